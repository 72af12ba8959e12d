/// The files of daemon/web, built into the program.
#pragma once

#include <string_view>

namespace kb::daemon {

struct WebFile {
  std::string_view path;  ///< as requested; "/" for index.html
  std::string_view content_type;
  std::string_view content;
};

/// Null when nothing is served there.
[[nodiscard]] WebFile const* find_web_file(std::string_view path) noexcept;

}  // namespace kb::daemon
