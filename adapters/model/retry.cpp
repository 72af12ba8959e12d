#include "adapters/model/retry.hpp"

#include <charconv>

#include "logging/service_log.hpp"

namespace kb::model {
namespace {

constexpr int kFaultsToRest = 3;
constexpr std::chrono::seconds kRest{30};

}  // namespace

using std::chrono::milliseconds;

std::optional<milliseconds> retry_after(aio::HttpResponse const& response) {
  auto const at = response.headers.find("retry-after");
  if (at == response.headers.end()) return std::nullopt;
  unsigned seconds = 0;
  char const* const end = at->second.data() + at->second.size();
  auto const [rest, fault] = std::from_chars(at->second.data(), end, seconds);
  if (fault != std::errc() || rest != end || seconds > 3600) return std::nullopt;
  return milliseconds(seconds * 1000);
}

bool can_help_to_repeat(unsigned status) noexcept {
  return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

void Rest::note(bool worked, Time now) {
  faults_ = worked ? 0 : faults_ + 1;
  if (faults_ < kFaultsToRest) return;
  until_ = now + kRest;
  log::write(log::Level::warn, event_, {{"seconds", kRest.count()}});
  faults_ = 0;
}

}  // namespace kb::model
