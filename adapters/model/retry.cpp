#include "adapters/model/retry.hpp"

#include <charconv>

namespace kb::model {

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

}  // namespace kb::model
