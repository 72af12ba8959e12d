/// Errors as values. Every fallible function of this project returns Result<T>.
#pragma once

#include <boost/system/result.hpp>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace kb {

/// What the caller can do about a failure. Closed set: adding one means looking at every switch.
enum class Errc {
  invalid_input,  ///< the peer, file or user sent something malformed; say what and where
  not_found,      ///< the named thing does not exist (or may not be known to exist)
  denied,         ///< exists, but this principal may not have it
  unavailable,    ///< a dependency is down or slow; retrying later can help
  exhausted,      ///< a limit of ours was hit: queue, size, rate
  corrupt,        ///< stored data fails its check; rebuild or restore
  cancelled,      ///< we are shutting down or the caller gave up
};

[[nodiscard]] std::string_view to_string(Errc code) noexcept;

struct Error {
  Errc code = Errc::corrupt;
  std::string what;   ///< for the operator: one sentence naming the thing and the place
  Error() = default;  ///< only because boost's error() of 1.81 wants it; no function of ours returns one
  // A constructor, so that Error is no aggregate: gcc 12 frees aggregates made inside a co_await twice.
  Error(Errc c, std::string w) : code(c), what(std::move(w)) {}
};

/// "denied: users.json: not yours"; lets a failed check print a Result.
std::ostream& operator<<(std::ostream& out, Error const& error);

/// Hook used by boost::system::result when value() is called on an error: a programming fault.
[[noreturn]] inline void throw_exception_from_error(Error const& e, boost::source_location const&) {
  throw std::logic_error("value() on error: " + e.what);
}

template <class T>
using Result = boost::system::result<T, Error>;

/// "reading users.json: line 3: ...": adds the outer step in front.
[[nodiscard]] inline Error at(std::string_view step, Error e) {
  e.what.insert(0, std::string(step) + ": ");
  return e;
}

}  // namespace kb
