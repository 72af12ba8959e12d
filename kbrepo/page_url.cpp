#include "kbrepo/page_url.hpp"

#include <array>
#include <utility>

namespace kb::kbrepo {

std::string percent_encoded(std::string_view text, std::string_view keep) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (char const c : text) {
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || std::string_view("-._~").find(c) != std::string_view::npos || keep.find(c) != keep.npos) {
      out += c;
      continue;
    }
    auto const byte = static_cast<unsigned char>(c);
    out.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
  return out;
}

std::string page_url(config::RepoSettings const& settings, CommitId const& commit, std::string_view path,
                     std::uint32_t line_begin, std::uint32_t line_end) {
  std::string_view form = settings.web_url;
  if (line_begin == 0) {
    std::size_t const fragment = form.find('#');
    bool const of_lines = fragment != form.npos && form.find("{start}", fragment) != form.npos;
    if (of_lines) form = form.substr(0, fragment);
  }
  std::array const values{std::pair<std::string_view, std::string>("{owner}", percent_encoded(settings.id.owner)),
                          std::pair<std::string_view, std::string>("{repo}", percent_encoded(settings.id.repo)),
                          std::pair<std::string_view, std::string>("{commit}", commit.hex()),
                          std::pair<std::string_view, std::string>("{path}", percent_encoded(path, "/")),
                          std::pair<std::string_view, std::string>("{start}", std::to_string(line_begin)),
                          std::pair<std::string_view, std::string>("{end}", std::to_string(line_end))};
  std::string out;
  while (!form.empty()) {
    std::size_t taken = 1;
    std::string_view put = form.substr(0, 1);
    for (auto const& [name, value] : values) {
      if (!form.starts_with(name)) continue;
      taken = name.size();
      put = value;
    }
    out += put;
    form.remove_prefix(taken);
  }
  return out;
}

}  // namespace kb::kbrepo
