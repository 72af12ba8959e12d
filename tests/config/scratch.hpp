/// What the tests of this room share: a directory of their own, and texts with a marked place.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "config/fault.hpp"

namespace kb::config {

inline std::ostream& operator<<(std::ostream& out, Place const& place) {
  return out << place.line << ':' << place.column;
}

}  // namespace kb::config

namespace kb::test {

/// A fresh directory, removed with everything in it. (tests/support has one too, but needs every room below git.)
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kbgate-config-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = std::filesystem::canonical(pattern);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;

  [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

  std::filesystem::path write(std::string const& name, std::string_view content) const {
    std::filesystem::path const file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << content;
    REQUIRE(out.flush().good());
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The names in a directory, sorted.
inline std::vector<std::string> names_in(std::filesystem::path const& directory) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A text without its mark «§», and the place where the mark stood.
struct Marked {
  std::string text;
  config::Place place{1, 1};

  explicit Marked(std::string_view marked) {
    constexpr std::string_view kMark = "§";
    auto const at = marked.find(kMark);
    REQUIRE(at != marked.npos);
    std::string_view const before = marked.substr(0, at);
    text = std::string(before) + std::string(marked.substr(at + kMark.size()));
    place.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    place.column = static_cast<int>(at - (before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1)) + 1;
  }
};

inline config::Place place_of(config::Fault const& fault) { return {fault.line, fault.column}; }

/// All faults, one a line, for messages of failed checks.
inline std::string all_of(std::vector<config::Fault> const& faults) {
  std::string text;
  for (auto const& fault : faults) text += to_string(fault) + "\n";
  return text;
}

}  // namespace kb::test
