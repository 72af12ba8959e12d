#include "config/result.hpp"

#include <ostream>

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

std::ostream& operator<<(std::ostream& out, Error const& error) {
  return out << to_string(error.code) << ": " << error.what;
}

}  // namespace kb
