/// One thing wrong in a file that an operator wrote, with its place and what to do about it.
#pragma once

#include <string>

namespace kb::config {

/// A place in a text. Both 0: unknown, or the file as a whole.
struct Place {
  int line = 0;    ///< 1-based
  int column = 0;  ///< 1-based, in bytes

  friend bool operator==(Place const&, Place const&) = default;
};

struct Fault {
  std::string file;
  int line = 0;    ///< 1-based; 0: the file as a whole
  int column = 0;  ///< 1-based, in bytes; 0: unknown
  std::string message;
  std::string hint;  ///< the fix, as a short sentence; may be empty
};

/// "users.json:3:9: unknown key "tema_id" (did you mean "team_id"?)"
[[nodiscard]] std::string to_string(Fault const& fault);

}  // namespace kb::config
