#include "answer/protocols/query_words.hpp"

#include <algorithm>
#include <array>

#include "kbrepo/index/function_words.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::protocols {
namespace {

namespace index = kbrepo::index;

// A condition begins with one of these and ends with a unit or with what it asks for.
constexpr std::array<std::string_view, 14> kLeads{"every", "each",  "within", "after", "before", "per",  "least",
                                                  "most",  "under", "over",   "once",  "until",  "than", "in"};
constexpr std::array<std::string_view, 22> kUnits{
    "second", "seconds", "minute", "minutes", "hour",    "hours",    "day",     "days",  "week", "weeks", "month",
    "months", "quarter", "year",   "years",   "percent", "approval", "request", "times", "time", "gb",    "mb"};
constexpr std::array<std::string_view, 2> kConditions{"approval", "required"};
constexpr std::array<std::string_view, 6> kChineseLeads{"每", "内", "超", "至", "最", "少"};
constexpr std::array<std::string_view, 9> kChineseUnits{"天", "日", "周", "月", "年", "时", "分", "秒", "次"};
constexpr std::size_t kMaxConditionTokens = 4;

template <std::size_t N>
bool is_in(std::array<std::string_view, N> const& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

struct Word {
  Token token;
  std::string folded;  ///< of its source bytes, not stemmed
  bool function = false;
};

std::vector<Word> words_of(std::string_view query) {
  std::vector<Word> out;
  std::size_t function_until = 0;
  for (Token& token : tokens_of(query)) {
    Word word;
    word.folded = index::fold(query.substr(token.begin, token.end - token.begin));
    if (token.cjk) {
      std::size_t const size = index::chinese_function_word_at(index::fold(query.substr(token.begin)));
      if (size > 0) function_until = std::max(function_until, token.begin + size);
      word.function = token.begin < function_until;
    } else {
      word.function = index::is_english_function_word(word.folded);
    }
    word.token = std::move(token);
    out.push_back(std::move(word));
  }
  return out;
}

/// The end of the condition that begins at `from`; `from` when there is none.
std::size_t condition_end(std::vector<Word> const& words, std::size_t from) {
  std::size_t const last = std::min(words.size(), from + kMaxConditionTokens);
  if (words[from].token.cjk) {
    if (!is_in(kChineseLeads, words[from].folded)) return from;
    bool number = false;
    for (std::size_t i = from + 1; i < last + 1 && i < words.size(); ++i) {
      number = number || is_number(words[i].folded);
      if (number && is_in(kChineseUnits, words[i].folded)) return i + 1;
    }
    return from;
  }
  bool const required =
      from + 1 < words.size() && words[from].folded == kConditions[0] && words[from + 1].folded == kConditions[1];
  if (required) return from + 2;
  if (!is_in(kLeads, words[from].folded)) return from;
  bool number = false;
  for (std::size_t i = from + 1; i < last; ++i) {
    number = number || is_number(words[i].folded);
    bool const counted =
        number || words[from].folded == "every" || words[from].folded == "each" || words[from].folded == "per";
    if (counted && is_in(kUnits, words[i].folded)) return i + 1;
  }
  return from;
}

std::vector<std::string> texts_of(std::vector<Token> const& tokens) {
  std::vector<std::string> out;
  for (Token const& token : tokens) out.push_back(token.text);
  return out;
}

bool stands_at(std::vector<Word> const& words, std::size_t at, std::vector<Token> const& phrase) {
  if (phrase.empty() || at + phrase.size() > words.size()) return false;
  for (std::size_t i = 0; i < phrase.size(); ++i) {
    if (words[at + i].token.text != phrase[i].text) return false;
  }
  return true;
}

/// The end of the action that begins at `from`; `from` when there is none.
std::size_t action_end(std::vector<Word> const& words, std::size_t from, Synonyms const& synonyms) {
  std::size_t end = from;
  for (SynonymGroup const& group : synonyms.groups()) {
    if (!group.action) continue;
    for (std::string const& word : group.words) {
      std::vector<Token> const phrase = tokens_of(word);
      if (stands_at(words, from, phrase)) end = std::max(end, from + phrase.size());
    }
  }
  return end;
}

std::string singular(std::string text) {
  bool const plural = text.size() > 3 && text.ends_with('s') && !text.ends_with("ss");
  if (!plural) return text;
  std::string const shorter = text.substr(0, text.size() - 1);
  return texts_of(tokens_of(shorter)) == texts_of(tokens_of(text)) ? shorter : text;
}

void add_variant(QueryUnit& unit, std::string const& text, bool searched) {
  bool const known =
      text == unit.text || std::find(unit.variants.begin(), unit.variants.end(), text) != unit.variants.end();
  if (known) return;
  unit.variants.push_back(text);
  if (!searched) return;
  std::vector<std::string> tokens = texts_of(tokens_of(text));
  bool const same =
      tokens.empty() || tokens == unit.tokens ||
      std::find(unit.variant_tokens.begin(), unit.variant_tokens.end(), tokens) != unit.variant_tokens.end();
  if (!same) unit.variant_tokens.push_back(std::move(tokens));
}

/// Plural and hyphen are the same words to the index; they are said for people (S4-49).
void add_variants(QueryUnit& unit, Synonyms const& synonyms) {
  if (unit.kind == QueryUnit::Kind::constraint) return;
  bool const spaced = unit.text.find(' ') != unit.text.npos;
  if (!unit.cjk && unit.kind == QueryUnit::Kind::entity) add_variant(unit, unit.text + "s", false);
  if (spaced) {
    std::string hyphenated = unit.text;
    std::replace(hyphenated.begin(), hyphenated.end(), ' ', '-');
    add_variant(unit, hyphenated, false);
  }
  std::size_t const space = unit.text.rfind(' ');
  std::string const head = spaced ? unit.text.substr(space + 1) : std::string();
  std::vector<std::string> const head_tokens = texts_of(tokens_of(head));
  for (SynonymGroup const& group : synonyms.groups()) {
    auto const holds = [&](std::vector<std::string> const& tokens) {
      return !tokens.empty() && std::any_of(group.words.begin(), group.words.end(), [&](std::string const& word) {
        return texts_of(tokens_of(word)) == tokens;
      });
    };
    bool const whole = holds(unit.tokens);
    if (!whole && !holds(head_tokens)) continue;
    for (std::string const& word : group.words) {
      if (!whole && texts_of(tokens_of(word)) == head_tokens) continue;
      add_variant(unit, word, true);
    }
  }
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<index::Term> terms;
  index::terms_of(text, terms);
  std::vector<Token> out;
  for (index::Term& term : terms) {
    bool const whole = term.kind == index::TermKind::word || term.kind == index::TermKind::number ||
                       term.kind == index::TermKind::unigram;
    if (whole) out.push_back({std::move(term.text), term.begin, term.end, term.kind == index::TermKind::unigram});
  }
  std::stable_sort(out.begin(), out.end(), [](Token const& a, Token const& b) { return a.begin < b.begin; });
  return out;
}

std::vector<std::string> QueryWords::texts(QueryUnit::Kind kind) const {
  std::vector<std::string> out;
  for (QueryUnit const& unit : units) {
    if (unit.kind == kind) out.push_back(unit.text);
  }
  return out;
}

std::string QueryWords::expanded() const {
  std::string out = text;
  for (QueryUnit const& unit : units) {
    for (std::string const& variant : unit.variants) out.append(" ").append(variant);
  }
  return out;
}

QueryWords take_apart(std::string_view query, Synonyms const& synonyms) {
  QueryWords out;
  out.text = std::string(query);
  std::vector<Word> const words = words_of(query);
  for (Word const& word : words) {
    if (!word.function) out.tokens.push_back(word.token.text);
  }
  auto const take = [&](std::size_t from, std::size_t to, QueryUnit::Kind kind) {
    QueryUnit unit;
    unit.kind = kind;
    std::uint32_t const begin = words[from].token.begin;
    unit.text = std::string(query.substr(begin, words[to - 1].token.end - begin));
    if (kind != QueryUnit::Kind::constraint) unit.text = singular(std::move(unit.text));
    for (std::size_t i = from; i < to; ++i) unit.tokens.push_back(words[i].token.text);
    unit.cjk = words[from].token.cjk;
    add_variants(unit, synonyms);
    bool const known =
        std::any_of(out.units.begin(), out.units.end(), [&](auto const& u) { return u.tokens == unit.tokens; });
    if (!known) out.units.push_back(std::move(unit));
  };
  std::size_t run = words.size();  // where the entity at hand began; words.size(): none
  auto const end_run = [&](std::size_t at) {
    if (run < at) take(run, at, QueryUnit::Kind::entity);
    run = words.size();
  };
  for (std::size_t i = 0; i < words.size();) {
    std::size_t const condition = condition_end(words, i);
    std::size_t const action = condition > i ? i : action_end(words, i, synonyms);
    if (condition > i || action > i) {
      end_run(i);
      std::size_t const end = std::max(condition, action);
      take(i, end, condition > i ? QueryUnit::Kind::constraint : QueryUnit::Kind::action);
      i = end;
      continue;
    }
    bool const other_script = run < i && words[run].token.cjk != words[i].token.cjk;
    bool const apart = run < i && words[i].token.begin > words[i - 1].token.end + 1;
    if (words[i].function || other_script || apart) end_run(i);
    if (!words[i].function && run == words.size()) run = i;
    ++i;
  }
  end_run(words.size());
  return out;
}

}  // namespace kb::protocols
