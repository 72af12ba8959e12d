#include "kbrepo/glob.hpp"

#include <algorithm>

#include "kbrepo/ascii.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kMaxSpellings = 256;

/// The pattern once for each choice of its braces.
void spell_out(std::string const& pattern, std::vector<std::string>& out) {
  std::size_t const open = pattern.find('{');
  std::size_t const close = open == std::string::npos ? open : pattern.find('}', open);
  if (close == std::string::npos || out.size() >= kMaxSpellings) {
    out.push_back(pattern);
    return;
  }
  for (std::size_t from = open + 1; from <= close;) {
    std::size_t const to = std::min(pattern.find(',', from), close);
    spell_out(pattern.substr(0, open) + pattern.substr(from, to - from) + pattern.substr(close + 1), out);
    from = to + 1;
  }
}

/// One character: a whole UTF-8 sequence, so that `?` takes 中.
std::size_t step(std::string_view path) noexcept {
  std::size_t size = 1;
  while (size < path.size() && (static_cast<unsigned char>(path[size]) & 0xC0u) == 0x80u) ++size;
  return size;
}

/// Where to go on after a mismatch: the last star and what it has taken.
struct Retry {
  std::size_t pattern = std::string_view::npos, path = 0;
};

/// Braces are gone. Linear for `*`, O(pattern × path) with `**`: only the innermost of each kind is ever retried.
bool match(std::string_view pattern, std::string_view path) noexcept {
  Retry star;       // stops at a slash
  Retry star_star;  // does not
  std::size_t p = 0;
  std::size_t s = 0;
  while (s < path.size() || p < pattern.size()) {
    if (pattern.substr(p).starts_with("**")) {
      p += 2;
      bool const whole_segments = p < pattern.size() && pattern[p] == '/';
      if (whole_segments) ++p;  // `**/` also takes nothing
      star_star = {p, s};
      star = {};
      continue;
    }
    if (p < pattern.size() && pattern[p] == '*') {
      star = {++p, s};
      continue;
    }
    if (p < pattern.size() && s < path.size()) {
      if (pattern[p] == '?' && path[s] != '/') {
        s += step(path.substr(s));
        ++p;
        continue;
      }
      if (pattern[p] == path[s]) {
        ++p;
        ++s;
        continue;
      }
    }
    if (star.pattern != std::string_view::npos && star.path < path.size() && path[star.path] != '/') {
      p = star.pattern;
      s = ++star.path;
      continue;
    }
    if (star_star.pattern == std::string_view::npos || star_star.path >= path.size()) return false;
    bool const whole_segments = pattern[star_star.pattern - 1] == '/';
    if (whole_segments) {
      std::size_t const slash = path.find('/', star_star.path);
      if (slash == std::string_view::npos) return false;
      star_star.path = slash + 1;
    } else {
      ++star_star.path;
    }
    p = star_star.pattern;
    s = star_star.path;
    star = {};
  }
  return true;
}

std::vector<std::string> spelled_out(std::vector<std::string> const& patterns) {
  std::vector<std::string> out;
  for (std::string const& pattern : patterns) spell_out(pattern, out);
  return out;
}

bool is_markdown(std::string_view path) {
  std::string_view const name = path.substr(path.rfind('/') + 1);
  return ends_with_ascii(name, ".md") || ends_with_ascii(name, ".markdown");
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view path) {
  std::vector<std::string> spellings;
  spell_out(std::string(pattern), spellings);
  return std::any_of(spellings.begin(), spellings.end(), [path](auto const& one) { return match(one, path); });
}

PageFilter::PageFilter(config::RepoSettings const& settings)
    : include_(spelled_out(settings.include)), exclude_(spelled_out(settings.exclude)) {}

bool PageFilter::takes(std::string_view path) const {
  auto const hits = [path](std::string const& pattern) { return match(pattern, path); };
  bool const included = include_.empty() ? is_markdown(path) : std::any_of(include_.begin(), include_.end(), hits);
  return included && !excludes(path);
}

bool PageFilter::excludes(std::string_view path) const {
  auto const hits = [path](std::string const& pattern) { return match(pattern, path); };
  return std::any_of(exclude_.begin(), exclude_.end(), hits);
}

}  // namespace kb::kbrepo
