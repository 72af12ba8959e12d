#include "config/result.hpp"

namespace kb {

std::string_view to_string(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_input:
      return "invalid_input";
    case Errc::not_found:
      return "not_found";
    case Errc::denied:
      return "denied";
    case Errc::unavailable:
      return "unavailable";
    case Errc::exhausted:
      return "exhausted";
    case Errc::corrupt:
      return "corrupt";
    case Errc::cancelled:
      return "cancelled";
  }
  return "unknown";
}

}  // namespace kb
