#include "adapters/feishu/fragments.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "adapters/feishu/frame.hpp"

namespace kb::feishu {
namespace {

std::optional<std::size_t> number(std::string_view text) noexcept {
  std::size_t value = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string> Fragments::add(Frame const& frame, Instant now) {
  expire(now);
  std::string_view const id = frame.header("message_id");
  std::optional<std::size_t> const said = number(frame.header("sum"));
  std::size_t const sum = std::max<std::size_t>(said.value_or(1), 1);
  std::size_t const seq = number(frame.header("seq")).value_or(sum == 1 ? 0 : sum);
  std::string_view const payload = frame.payload();
  if (id.empty() || !said || (sum == 1 && seq == 0)) return std::string(payload);

  auto set = find(id);
  bool const possible = sum <= limits_.max_parts && seq < sum;
  bool const agrees = set == sets_.end() || set->parts.size() == sum;
  if (!possible || !agrees) {
    ++dropped_;
    if (set != sets_.end()) drop(set);
    return std::nullopt;
  }
  if (set == sets_.end()) {
    Set fresh;
    fresh.id = id;
    fresh.parts.resize(sum);
    fresh.missing = sum;
    set = sets_.insert(sets_.end(), std::move(fresh));
  }
  std::optional<std::string>& part = set->parts[seq];
  if (part) return std::nullopt;  // once more the same
  part = payload;
  --set->missing;
  set->bytes += payload.size();
  bytes_ += payload.size();
  set->last = now;
  sets_.splice(sets_.end(), sets_, set);
  // This set is the last in the list, so it goes only when it is too large by itself.
  while (sets_.size() > limits_.max_sets || bytes_ > limits_.max_bytes) {
    bool const own = sets_.begin() == set;
    drop(sets_.begin());
    if (own) return std::nullopt;
  }
  if (set->missing != 0) return std::nullopt;

  std::string whole;
  whole.reserve(set->bytes);
  for (auto const& piece : set->parts) whole += *piece;
  bytes_ -= set->bytes;
  sets_.erase(set);
  return whole;
}

void Fragments::expire(Instant now) {
  while (!sets_.empty() && sets_.front().last + limits_.life < now) drop(sets_.begin());
}

void Fragments::clear() {
  sets_.clear();
  bytes_ = 0;
}

Fragments::Sets::iterator Fragments::find(std::string_view id) {
  return std::find_if(sets_.begin(), sets_.end(), [id](Set const& set) { return set.id == id; });
}

void Fragments::drop(Sets::iterator set) {
  dropped_ += set->parts.size() - set->missing;
  bytes_ -= set->bytes;
  sets_.erase(set);
}

}  // namespace kb::feishu
