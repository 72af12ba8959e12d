#include <algorithm>

#include "kbrepo/index/index.hpp"
#include "kbrepo/index/index_state.hpp"

namespace kb::kbrepo::index {
namespace {

constexpr std::size_t kMinLetters = 5;  // of shorter words too many are one letter apart
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

/// Of the forms offered the one that most live passages hold.
class Best {
 public:
  explicit Best(LiveSet const& live) : live_(live) {}
  void offer(std::string const& form) {
    std::uint32_t const holding = live_.document_frequency(form);
    if (holding <= most_) return;
    most_ = holding;
    form_ = form;
  }
  [[nodiscard]] std::string take() { return std::move(form_); }

 private:
  LiveSet const& live_;
  std::uint32_t most_ = 0;
  std::string form_;
};

}  // namespace

std::string Index::mended(std::string_view term) const {
  bool const latin =
      term.size() >= kMinLetters && std::all_of(term.begin(), term.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!latin || document_frequency(term) > 0) return {};
  Best best(state_->live);
  std::string form;
  for (std::size_t i = 1; i <= term.size(); ++i) {  // the first letter is hardly ever the wrong one
    if (i < term.size()) {
      form = term;
      best.offer(form.erase(i, 1));
    }
    if (i + 1 < term.size()) {
      form = term;
      std::swap(form[i], form[i + 1]);
      best.offer(form);
    }
    for (char const letter : kLetters) {
      form = term;
      best.offer(form.insert(i, 1, letter));
      if (i == term.size()) continue;
      form = term;
      form[i] = letter;
      best.offer(form);
    }
  }
  return best.take();
}

}  // namespace kb::kbrepo::index
