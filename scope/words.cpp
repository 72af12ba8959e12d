#include "scope/words.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "scope/fold.hpp"
#include "scope/words_table.hpp"

namespace kb::scope {
namespace {

/// How many characters behind 我 can still say what it means. Bounds the work of a text full of 我.
constexpr std::size_t kFarthest = 120;

struct Entry {
  std::u32string_view word;
  Says says;
  std::u32string_view not_after;
};

/// The longest word of a table at a place.
class Lexicon {
 public:
  explicit Lexicon(std::span<Family const> families) {
    for (auto const& family : families) {
      for (auto words = family.words; !words.empty();) {
        auto const word = words.substr(0, words.find(U'|'));
        entries_.push_back({word, family.says, family.not_after});
        words.remove_prefix(std::min(words.size(), word.size() + 1));
      }
    }
    std::sort(entries_.begin(), entries_.end(), [](Entry const& a, Entry const& b) {
      if (a.word.front() != b.word.front()) return a.word.front() < b.word.front();
      return a.word.size() > b.word.size();
    });
  }

  [[nodiscard]] Entry const* longest(std::u32string_view text, std::size_t at) const {
    auto const first = text[at];
    auto it = std::lower_bound(entries_.begin(), entries_.end(), first,
                               [](Entry const& entry, char32_t c) { return entry.word.front() < c; });
    for (; it != entries_.end() && it->word.front() == first; ++it) {
      if (!text.substr(at).starts_with(it->word) || !stands_alone(text, at, it->word.size())) continue;
      if (!it->not_after.empty() && follows(text, at, it->not_after)) continue;
      return &*it;
    }
    return nullptr;
  }

 private:
  static bool follows(std::u32string_view text, std::size_t at, std::u32string_view characters) {
    while (at > 0 && text[at - 1] == U' ') --at;
    if (at > 1 && text[at - 1] == U'的') --at;
    return at > 0 && characters.find(text[at - 1]) != characters.npos;
  }

  std::vector<Entry> entries_;
};

Lexicon const& words() {
  static Lexicon const lexicon(kWords);
  return lexicon;
}

Lexicon const& after_my() {
  static Lexicon const lexicon(kAfterMy);
  return lexicon;
}

Lexicon const& after_pronoun() {
  static Lexicon const lexicon(kAfterPronoun);
  return lexicon;
}

bool ends_sentence(char32_t c) {
  return c == U'。' || c == U'？' || c == U'?' || c == U'！' || c == U'!' || c == U'；' || c == U';' || c == U'\n';
}

std::u32string_view first_sentence(std::u32string_view text) {
  auto const end = std::find_if(text.begin(), text.end(), ends_sentence);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// 我做过的…, 我当时怎么解决的？ tell of what was, also where they ask how.
bool tells_of_the_past(std::u32string_view rest) {
  for (auto at = rest.find(U'过'); at != rest.npos; at = rest.find(U'过', at + 1)) {
    bool const other = std::any_of(kNoPast.begin(), kNoPast.end(), [&](std::u32string_view word) {
      return rest.substr(at).starts_with(word) || (at > 0 && rest.substr(at - 1).starts_with(word));
    });
    if (!other) return true;
  }
  while (!rest.empty() && std::u32string_view(U" 呢吗啊呀来着").find(rest.back()) != rest.npos) rest.remove_suffix(1);
  return rest.ends_with(U'的');
}

/// A question after the way things are done is the same for everyone: 我用 Mac 怎么装环境.
bool asks_how(std::u32string_view rest) {
  if (tells_of_the_past(rest)) return false;
  return std::any_of(kHow.begin(), kHow.end(), [&](std::u32string_view how) { return rest.find(how) != rest.npos; });
}

/// 我对强化学习感兴趣，有什么资料: the first clause asks nothing.
bool only_sets_the_scene(std::u32string_view text) {
  auto const end = text.find_first_of(U"，,。；;\n");
  if (end == text.npos || text.find_first_not_of(U" ，,。；;\n", end) == text.npos) return false;
  auto const clause = text.substr(0, end);
  return std::none_of(kAsking.begin(), kAsking.end(),
                      [&](std::u32string_view word) { return clause.find(word) != clause.npos; });
}

bool is_told(std::u32string_view before) {
  auto const ends_it = [&](std::u32string_view verb) { return before.ends_with(verb); };
  return std::any_of(kTelling.begin(), kTelling.end(), ends_it) &&
         std::none_of(kNotTelling.begin(), kNotTelling.end(), ends_it);
}

/// What the pronoun text[begin, end) says; moves `end` behind what was read.
Says read_pronoun(std::u32string_view text, std::size_t begin, std::size_t& end) {
  bool const chinese = is_han(text[begin]);
  if (chinese && is_told(text.substr(0, begin))) return Says::nothing;
  for (auto at = end; at < text.size();) {
    auto const* entry = text[at] == U' ' ? nullptr : after_pronoun().longest(text, at);
    if (entry == nullptr && text[at] != U' ') break;
    at += entry == nullptr ? 1 : entry->word.size();
    if (entry == nullptr || entry->says == Says::particle) continue;
    end = at;
    return entry->says;
  }
  auto const rest = text.substr(end, kFarthest);
  if (!chinese || asks_how(first_sentence(rest)) || only_sets_the_scene(rest)) return Says::nothing;
  return Says::mine;
}

/// What "my" that ends at `at` says: the first of its next three words that the table knows.
Says read_owner(std::u32string_view text, std::size_t at) {
  for (int word = 0; word < 3 && at < text.size(); ++word) {
    while (at < text.size() && text[at] == U' ') ++at;
    if (at == text.size()) break;
    if (auto const* entry = after_my().longest(text, at)) return entry->says;
    auto const start = at;
    while (at < text.size() && (is_word(text[at]) || text[at] == U'-')) ++at;
    if (at == start) break;                            // a mark ends the phrase
    if (at < text.size() && text[at] == U'\'') break;  // my manager's
  }
  return Says::nothing;
}

/// Where the next word can begin: in scripts with blanks not inside another.
std::size_t next_place(std::u32string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && is_word(text[at - 1]) && is_word(text[at])) ++at;
  return at;
}

}  // namespace

Ownership ownership_of(std::string_view question) {
  auto const text = spoken(question);
  Ownership found;
  for (std::size_t at = 0; at < text.size() && found != Ownership{true, true};) {
    auto const* entry = words().longest(text, at);
    if (entry == nullptr) {
      at = next_place(text, at);
      continue;
    }
    auto const begin = at;
    at += entry->word.size();
    auto says = entry->says;
    if (says == Says::owner) says = read_owner(text, at);
    if (says == Says::pronoun) says = read_pronoun(text, begin, at);
    found.personal |= says == Says::mine;
    found.team |= says == Says::ours;
  }
  return found;
}

Lang language_of(std::string_view text) noexcept { return speaks_han(text) ? Lang::zh : Lang::en; }

}  // namespace kb::scope
