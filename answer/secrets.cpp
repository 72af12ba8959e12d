#include "answer/secrets.hpp"

#include <algorithm>
#include <array>

#include "answer/characters.hpp"

namespace kb::answer {
namespace {

/// Keys that are known by how they begin, with the number of characters that follow at least.
struct Form {
  std::string_view prefix;
  std::size_t more;
};
constexpr Form kForms[] = {{"sk-", 16},    {"ghp_", 20},  {"gho_", 20},  {"ghs_", 20},      {"github_pat_", 20},
                           {"glpat-", 16}, {"xoxb-", 10}, {"xoxp-", 10}, {"AKIA", 16},      {"AIza", 30},
                           {"eyJ", 24},    {"npm_", 20},  {"hf_", 20},   {"-----BEGIN ", 3}};
constexpr std::string_view kLabels[] = {
    "password", "passwd", "pwd",        "passphrase", "secret",      "token",      "api key", "api_key",
    "api-key",  "apikey", "access key", "access_key", "private key", "credential", "密码",    "密碼",
    "口令",     "密钥",   "密鑰",       "令牌",       "秘钥",        "授权码",     "授權碼"};
constexpr std::size_t kLabelReach = 24;  // bytes between the word and its code
constexpr std::size_t kMinCode = 8;

constexpr auto kCodeChars = [] {
  std::array<bool, 256> table{};
  for (unsigned char c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32u] = true;
  for (char const c : std::string_view("_-+/=.!@#$%^&*~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}();
bool is_code_char(char c) noexcept { return kCodeChars[static_cast<unsigned char>(c)]; }

/// What a form may begin with: one look at each character tells most of them.
constexpr auto kFormStarts = [] {
  std::array<bool, 256> table{};
  for (Form const& form : kForms) table[static_cast<unsigned char>(form.prefix[0])] = true;
  return table;
}();

/// Letters and digits in one word, long enough, and no address, path, date or version.
bool is_code(std::string_view word) noexcept {
  if (word.size() < kMinCode || word.find("://") != word.npos || word.find('/') != word.npos) return false;
  bool letter = false, digit = false;
  for (char const c : word) {
    bool const d = is_digit(static_cast<unsigned char>(c));
    digit = digit || d;
    letter = letter || (!d && is_ascii_alnum(static_cast<unsigned char>(c)));
  }
  return letter && digit;
}

bool begins_with_form(std::string_view text) noexcept {
  return std::any_of(std::begin(kForms), std::end(kForms), [text](Form const& form) {
    if (!text.starts_with(form.prefix)) return false;
    std::size_t end = form.prefix.size();
    while (end < text.size() &&
           (is_ascii_alnum(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == '-'))
      ++end;
    return end - form.prefix.size() >= form.more;
  });
}

bool has_known_form(std::string_view text) noexcept {
  bool inside_word = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto const c = static_cast<unsigned char>(text[at]);
    if (!inside_word && kFormStarts[c] && begins_with_form(text.substr(at))) return true;
    inside_word = is_ascii_alnum(c);
  }
  return false;
}

/// Whether any word could be a code: most texts have none, and need no second look.
bool may_hold_code(std::string_view text) noexcept {
  std::size_t size = 0;
  bool letter = false, digit = false;
  for (char const c : text) {
    if (!is_code_char(c)) {
      size = 0;
      letter = digit = false;
      continue;
    }
    bool const d = is_digit(static_cast<unsigned char>(c));
    digit = digit || d;
    letter = letter || (!d && is_ascii_alnum(static_cast<unsigned char>(c)));
    if (++size >= kMinCode && letter && digit) return true;
  }
  return false;
}

bool has_labelled_code(std::string_view text) {
  if (!may_hold_code(text)) return false;
  std::string const lower = lower_ascii(text);
  for (std::string_view const label : kLabels) {
    for (auto at = lower.find(label); at != lower.npos; at = lower.find(label, at + 1)) {
      std::string_view rest = text.substr(at + label.size());
      std::size_t const line = rest.find('\n');
      rest = rest.substr(0, line);
      bool parted = false;  // by a colon, an equals sign, 是 or "is"
      for (std::size_t i = 0; i < rest.size() && i < kLabelReach + kMinCode;) {
        if (!is_code_char(rest[i]) || rest[i] == '=') {
          std::size_t next = i;
          char32_t const code = next_char(rest, next);
          parted = parted || code == ':' || code == '=' || code == U'：' || code == U'是' || code == U'为' ||
                   code == U'為' || code == '|' || code == '`';
          i = next;
          continue;
        }
        std::size_t const begin = i;
        while (i < rest.size() && is_code_char(rest[i])) ++i;
        std::string_view const word = rest.substr(begin, i - begin);
        parted = parted || word == "is";
        if (parted && is_code(word)) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool holds_secret(std::string_view text) { return has_known_form(text) || has_labelled_code(text); }

}  // namespace kb::answer
