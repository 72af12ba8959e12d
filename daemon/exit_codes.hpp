/// Exit codes of the program (INTERFACES §2).
#pragma once

namespace kb::daemon {

enum Exit : int {
  kDone = 0,
  kFailure = 1,
  kUsage = 2,
  kRefused = 3,      ///< nothing supports an answer
  kScopeDenied = 4,  ///< scope denied or unbound
  kNotValid = 5,     ///< validation failed
  kNotVerified = 6,  ///< a log does not verify
  kUnavailable = 69,
  kTryAgain = 75,
  kPermission = 77,
  kConfiguration = 78,
};

}  // namespace kb::daemon
