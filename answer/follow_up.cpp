#include "answer/follow_up.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "answer/characters.hpp"
#include "answer/follow_up_words.hpp"
#include "answer/texts.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::answer {
namespace {

constexpr std::size_t kMaxChars = 120;      ///< a longer question speaks for itself
constexpr std::size_t kMaxTopicChars = 24;  ///< a longer topic is a sentence

/// Folded text and the byte of the source that each of its bytes comes from.
struct FoldedText {
  explicit FoldedText(std::string_view source) {
    for (std::size_t at = 0; at < source.size();) {
      std::size_t const begin = at;
      (void)next_char(source, at);
      text += kbrepo::index::fold(source.substr(begin, at - begin));
      origin.resize(text.size(), begin);
    }
    origin.push_back(source.size());
  }
  std::string text;
  std::vector<std::size_t> origin;
};

struct Token {
  WordClass word_class = WordClass::subject;
  std::size_t begin = 0, end = 0;  ///< in the folded text
};

bool is_latin(char c) noexcept { return is_ascii_alnum(static_cast<unsigned char>(c)) || c == '\''; }

bool stands_alone(std::string_view text, std::size_t begin, std::size_t size) {
  std::size_t const end = begin + size;
  bool const runs_on = end < text.size() && is_latin(text[end - 1]) && is_latin(text[end]);
  bool const continues = begin > 0 && is_latin(text[begin]) && is_latin(text[begin - 1]);
  return !runs_on && !continues;
}

struct ListedWord {
  std::string_view text;
  WordClass word_class;
};

/// The lists by the first byte of their words, in their order.
std::vector<ListedWord> const& words_on(char first) {
  static auto const kTable = [] {
    std::array<std::vector<ListedWord>, 256> table;
    for (WordFamily const& family : kFollowUpWords) {
      for (std::string_view words = family.words; !words.empty();) {
        std::string_view const word = words.substr(0, words.find('|'));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        if (!word.empty()) table[static_cast<unsigned char>(word.front())].push_back({word, family.word_class});
      }
    }
    return table;
  }();
  return kTable[static_cast<unsigned char>(first)];
}

Token longest_word(std::string_view text, std::size_t at) {
  Token best{WordClass::subject, at, at};
  for (ListedWord const& word : words_on(text[at])) {
    if (word.text.size() <= best.end - at || !text.substr(at).starts_with(word.text)) continue;
    if (stands_alone(text, at, word.text.size())) best = {word.word_class, at, at + word.text.size()};
  }
  return best;
}

bool is_mark(char32_t code) {
  constexpr std::u32string_view kMarks = U" \t,.?!;:~-()[]\"，。？！；：、～…（）《》「」“”—　";
  return kMarks.find(code) != kMarks.npos;
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  for (std::size_t at = 0; at < text.size();) {
    Token token = longest_word(text, at);
    if (token.end == at) {
      char32_t const code = next_char(text, token.end);
      if (!is_mark(code)) {
        while (is_latin(text[token.end - 1]) && token.end < text.size() && is_latin(text[token.end])) ++token.end;
        out.push_back(token);
      }
    } else {
      out.push_back(token);
    }
    at = token.end;
  }
  return out;
}

/// What a question leans with and where.
struct Reading {
  Leaning leaning = Leaning::none;
  std::size_t rest = 0;                    ///< behind the words that only join on
  std::size_t gap_begin = 0, gap_end = 0;  ///< the pronoun; empty: the subject goes in front of `rest`
  bool names_property = false;             ///< `rest` begins with a property: X 的 …
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), tokens_(tokens_of(text)) {}

  Reading read() {
    Reading out;
    while (first_ < tokens_.size() && (is(first_, WordClass::opener) || is(first_, WordClass::polite))) {
      opened_ = opened_ || is(first_, WordClass::opener);
      ++first_;
    }
    out.rest = first_ < tokens_.size() ? tokens_[first_].begin : text_.size();
    if (!find_pronoun(out) && !has_subject_) read_bare(out);
    return out;
  }

 private:
  [[nodiscard]] bool is(std::size_t i, WordClass c) const { return i < tokens_.size() && tokens_[i].word_class == c; }
  [[nodiscard]] bool any(WordClass c) const {
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(first_), tokens_.end(),
                       [c](Token const& token) { return token.word_class == c; });
  }

  /// Whether the pointer at `i` stands for something: 这个是什么, 这个项目; not 这个 Atlas.
  [[nodiscard]] bool points_back(std::size_t i) const {
    bool const with_noun = is(i + 1, WordClass::general) || is(i + 1, WordClass::property);
    if (is(i, WordClass::article)) return with_noun;
    return with_noun || i + 1 == tokens_.size() || is(i + 1, WordClass::filler) || is(i + 1, WordClass::asking);
  }

  [[nodiscard]] bool is_dummy(std::size_t i) const {
    if (i + 1 >= tokens_.size()) return false;
    std::string_view const next = text_.substr(tokens_[i + 1].begin, tokens_[i + 1].end - tokens_[i + 1].begin);
    if (std::find(kAfterDummyIt.begin(), kAfterDummyIt.end(), next) == kAfterDummyIt.end()) return false;
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(i) + 2, tokens_.end(),
                       [](Token const& token) { return token.word_class == WordClass::subject; });
  }

  /// The first word that stands for something, unless a subject stands before it.
  bool find_pronoun(Reading& out) {
    for (std::size_t i = first_; i < tokens_.size(); ++i) {
      bool const he = is(i, WordClass::he);
      bool const pointer = is(i, WordClass::pointer) || is(i, WordClass::article);
      if (he || is(i, WordClass::it) || (pointer && points_back(i))) {
        if (is_dummy(i)) return has_subject_ = true, false;
        out.leaning = he ? Leaning::person : Leaning::thing;
        out.gap_begin = tokens_[i].begin;
        out.gap_end = pointer && is(i + 1, WordClass::general) ? tokens_[i + 1].end : tokens_[i].end;
        return true;
      }
      if (pointer || is(i, WordClass::subject) || is(i, WordClass::general)) break;
    }
    has_subject_ = any(WordClass::subject) || any(WordClass::pointer) || any(WordClass::article);
    return false;
  }

  /// A question that names a property of nothing, or only asks.
  void read_bare(Reading& out) const {
    bool const property = any(WordClass::property);
    bool const general = any(WordClass::general);
    if (general && !opened_) return;  // 有哪些项目: asks after all of them
    if (property || general) {
      out.leaning = Leaning::thing;
      out.names_property = is(first_, WordClass::property) || is(first_, WordClass::general);
    } else if (any(WordClass::asking)) {
      out.leaning = Leaning::question;
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t first_ = 0;
  bool opened_ = false;
  bool has_subject_ = false;
};

Reading read(FoldedText const& folded) {
  bool const short_enough = count_chars(folded.text) <= kMaxChars;
  if (!short_enough || folded.text.find_first_of("\n\r") != folded.text.npos) return {};
  return Reader(folded.text).read();
}

bool same_repos(std::vector<RepoId> const& earlier, scope::ReadGrant const& grant) {
  std::span<scope::GrantedRepo const> const now = grant.repos();
  return earlier.size() == now.size() && std::all_of(now.begin(), now.end(), [&](scope::GrantedRepo const& repo) {
           return std::find(earlier.begin(), earlier.end(), repo.id) != earlier.end();
         });
}

/// The latest of `turns` about a person, or else the latest.
EarlierTurn const& person_of(std::span<EarlierTurn const> turns) {
  auto const found = std::find_if(turns.rbegin(), turns.rend(), [](EarlierTurn const& turn) { return turn.of_person; });
  return found == turns.rend() ? turns.back() : *found;
}

std::string_view without_tail(std::string_view text) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view const tail : kBehindTopic) {
      if (text.size() <= tail.size() || !text.ends_with(tail)) continue;
      text = trim(text.substr(0, text.size() - tail.size()));
      again = true;
    }
  }
  return text;
}

std::string_view without_owner(std::string_view text) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view const owner : kOwners) {
      if (text.size() <= owner.size() || !lower_ascii(text.substr(0, owner.size())).starts_with(owner)) continue;
      text = trim(text.substr(owner.size()));
      again = true;
    }
  }
  return text;
}

/// Where a zh question stops naming and begins asking, or goes on to a property of what it named.
std::size_t end_of_topic(std::string_view folded) {
  for (std::size_t at = 0; at < folded.size();) {
    Token const word = longest_word(folded, at);
    bool const asks = word.word_class == WordClass::asking && word.end > at;
    bool const copula = word.word_class == WordClass::filler && word.end > at && is_latin(folded[at]);
    if (at > 0 && (asks || copula || folded.substr(at).starts_with("的"))) return at;
    if (word.word_class == WordClass::property && word.end > at) {
      at = word.end;  // 目的 is no 目 的
    } else {
      (void)next_char(folded, at);
    }
  }
  return folded.size();
}

std::string named_in(Question const& question, Names const& names, FoldedText const& folded) {
  std::size_t best_at = std::string::npos, best_size = 0;
  auto const look = [&](std::vector<Names::Entry> const& entries) {
    for (Names::Entry const& entry : entries) {
      if (!has_word(folded.text, entry.name)) continue;
      std::size_t const at = folded.text.find(entry.name);
      if (at < best_at || (at == best_at && entry.name.size() > best_size)) {
        best_at = at;
        best_size = entry.name.size();
      }
    }
  };
  look(names.projects);
  look(names.people);
  if (best_size == 0) return {};
  std::size_t const begin = folded.origin[best_at];
  return question.text.substr(begin, folded.origin[best_at + best_size] - begin);
}

}  // namespace

Leaning leaning_of(std::string_view question) { return read(FoldedText(question)).leaning; }

std::string with_subject(std::string_view question, std::string_view subject) {
  FoldedText const folded(question);
  Reading const reading = read(folded);
  auto const typed = [&](std::size_t begin, std::size_t end) {
    return question.substr(folded.origin[begin], folded.origin[end] - folded.origin[begin]);
  };
  std::string out;
  if (reading.gap_end > reading.gap_begin) {
    return out.append(typed(reading.rest, reading.gap_begin))
        .append(subject)
        .append(typed(reading.gap_end, folded.text.size()));
  }
  out = subject;
  std::size_t at = reading.rest;
  bool const wide = reading.rest < folded.text.size() && is_wide(next_char(folded.text, at));
  out += reading.names_property && wide ? "的" : " ";
  return out.append(typed(reading.rest, folded.text.size()));
}

std::optional<FollowUp> follow_up_of(std::string_view question, std::span<EarlierTurn const> earlier,
                                     scope::ReadGrant const& grant) {
  std::size_t usable = 0;  // a turn of another scope ends what can be meant
  while (usable < earlier.size() && same_repos(earlier[earlier.size() - 1 - usable].granted, grant)) ++usable;
  if (usable == 0) return std::nullopt;
  Leaning const leaning = leaning_of(question);
  if (leaning == Leaning::none) return std::nullopt;
  std::span<EarlierTurn const> const turns = earlier.last(usable);
  EarlierTurn const& turn = leaning == Leaning::person ? person_of(turns) : turns.back();
  FollowUp out;
  out.subject = leaning == Leaning::question ? turn.subject : turn.topic;
  if (!is_assumed_subject(out.subject)) return std::nullopt;
  out.question = with_subject(question, out.subject);
  out.context = turn.cited;
  return out;
}

std::optional<EarlierTurn> turn_of(Answer const& answer) {
  if (answer.outcome != Outcome::answered && answer.outcome != Outcome::insufficient) return std::nullopt;
  if (!is_assumed_subject(answer.topic)) return std::nullopt;
  EarlierTurn out;
  out.topic = answer.topic;
  std::string subject = subject_text(answer.subject);
  out.subject = is_assumed_subject(subject) ? std::move(subject) : out.topic;
  out.of_person = answer.intent == Intent::person;
  out.granted = answer.granted;
  for (Source const& source : answer.sources) out.cited.push_back({source.repo, source.path});
  return out;
}

std::string topic_of(Question const& question, Names const& names) {
  std::string named = named_in(question, names, FoldedText(question.text));
  if (!named.empty()) return named;
  std::string const subject(without_owner(question.subject));
  FoldedText const folded(subject);
  std::size_t const end = folded.origin[end_of_topic(folded.text)];
  std::string_view const topic = without_tail(trim(std::string_view(subject).substr(0, end)));
  return subject_text(first_chars(topic, kMaxTopicChars));
}

}  // namespace kb::answer
