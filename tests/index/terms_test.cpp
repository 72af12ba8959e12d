#include "kbrepo/index/terms.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <random>

using namespace kb::kbrepo::index;

namespace {

std::string spelled(std::string_view text) {
  std::vector<Term> terms;
  terms_of(text, terms);
  std::string out;
  for (Term const& term : terms) {
    if (!out.empty()) out += ' ';
    out += term.text;
  }
  return out;
}

/// What terms_of() promises for any bytes. Empty: kept; else what broke.
std::string broken_terms(std::string_view text) {
  std::vector<Term> terms;
  terms_of(text, terms);
  std::uint32_t position = 0;
  for (Term const& term : terms) {
    if (term.text.empty() || term.text.size() > 64) return "a term of " + std::to_string(term.text.size()) + " bytes";
    if (term.begin >= term.end || term.end > text.size()) return "offsets outside the text";
    if (term.position + 1 < position) return "positions go back by more than a bigram's one";
    position = std::max(position, term.position);
    bool const cjk = term.kind == TermKind::unigram || term.kind == TermKind::bigram;
    if (cjk && fold(text.substr(term.begin, term.end - term.begin)).find(term.text.substr(0, 3)) == std::string::npos) {
      return "offsets are not of " + term.text;
    }
  }
  return {};
}

QueryTerm find(std::vector<QueryTerm> const& terms, std::string_view text) {
  auto const at = std::find_if(terms.begin(), terms.end(), [&](QueryTerm const& t) { return t.text == text; });
  REQUIRE_MESSAGE(at != terms.end(), std::string(text));
  return *at;
}

}  // namespace

TEST_CASE("text becomes terms") {
  struct Row {
    char const* text;
    char const* want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"", "", "empty"},
      {"Running the backups", "run the backup", "English is stemmed, stop words stay"},
      {"数据库", "数 数据 据 据库 库", "unigrams, each after the bigram that ends in it"},
      {"數據庫", "数 数据 据 据库 库", "Traditional reads as Simplified"},
      {"备份，恢复", "备 备份 份 恢 恢复 复", "no bigram across punctuation"},
      {"用TiDB做", "用 tidb ti db 做", "scripts change: no bigram across a word"},
      {"カタカナ", "カ カタ タ タカ カ カナ ナ", "Katakana"},
      {"한국", "한 한국 국", "Hangul"},
      {"ＡＢＣ１２", "abc12", "full width"},
      {"Café naïve", "cafe naiv", "diacritics off"},
      {"ﬁle ½", "file 1 2", "compatibility forms; a fraction bar separates"},
      {"John's dogs’", "john dog", "possessives dropped, both apostrophes"},
      {"don't", "don't", "an apostrophe inside a word stays"},
      {"snake_case", "snakecas snake case", "joined and in parts, each stemmed"},
      {"snakeCase", "snakecas snake case", "another way to write the same name"},
      {"snake-case", "snakecas snake case", "and another"},
      {"HTTPServer", "httpserver http server", "an acronym before a word"},
      {"__init__", "init", "joiners at the edges are punctuation"},
      {"a__b", "ab a b", "underscores may repeat"},
      {"a--b", "a b", "a dash of two hyphens separates"},
      {"config.yaml", "configyaml config yaml", "a dot inside a name"},
      {"The end.", "the end", "a dot at the end"},
      {"3.14", "3.14", "decimals whole"},
      {"v1.2.3", "v1.2.3 v 1.2.3", "a version whole, and its number"},
      {"2024-01-15", "20240115 2024 01 15", "a date joined and in parts"},
      {"utf8 UTF-8", "utf8 utf8 utf 8", "digits do not split a word, hyphens do"},
      {"👍 ok", "ok", "emoji separate"},
      {"a\xFF"
       "b",
       "a b", "invalid bytes separate"},
      {"\xC0\x80x\xED\xA0\x80y", "x y", "overlong forms and surrogates are invalid"},
      {"\xE6\x95", "", "a character cut short"},
      {"soft\xC2\xADhyphen", "softhyphen", "invisible characters vanish"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    CHECK_EQ(spelled(row.text), row.want);
  }
}

TEST_CASE("terms know their kind, their bytes and their position") {
  std::vector<Term> terms;
  terms_of("The HTTPServer 用的端口 80", terms);
  struct Row {
    char const* text;
    TermKind kind;
    std::uint32_t begin, end, position;
  };
  static constexpr Row rows[] = {
      {"the", TermKind::word, 0, 3, 0},     {"httpserver", TermKind::word, 4, 14, 1},
      {"http", TermKind::part, 4, 8, 1},    {"server", TermKind::part, 8, 14, 1},
      {"用", TermKind::unigram, 15, 18, 2}, {"用的", TermKind::bigram, 15, 21, 2},
      {"的", TermKind::unigram, 18, 21, 3}, {"的端", TermKind::bigram, 18, 24, 3},
      {"端", TermKind::unigram, 21, 24, 4}, {"端口", TermKind::bigram, 21, 27, 4},
      {"口", TermKind::unigram, 24, 27, 5}, {"80", TermKind::number, 28, 30, 6},
  };
  REQUIRE_EQ(terms.size(), std::size(rows));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    CAPTURE(rows[i].text);
    CHECK_EQ(terms[i].text, rows[i].text);
    CHECK_EQ(static_cast<int>(terms[i].kind), static_cast<int>(rows[i].kind));
    CHECK_EQ(terms[i].begin, rows[i].begin);
    CHECK_EQ(terms[i].end, rows[i].end);
    CHECK_EQ(terms[i].position, rows[i].position);
  }
}

TEST_CASE("terms of more than 64 bytes are dropped, what stands beside them is not") {
  std::string const longest(64, 'x');
  CHECK_EQ(spelled("a " + longest + " b"), "a " + longest + " b");
  CHECK_EQ(spelled("a " + longest + "x b"), "a b");
  CHECK_EQ(spelled("a_" + longest), "a " + longest);
}

TEST_CASE("any bytes at all give sound terms") {
  std::mt19937 random(20240607);
  static constexpr std::string_view pieces[] = {"a", "B",  "1",  "_", ".",        "-",    "'s",   " ",  "数", "據",
                                                "é", "ß",  "Ａ", "½", "\xCC\x81", "\xFF", "\xE6", "한", "カ", "👍",
                                                "’", "㍿", "\n", "Ж", "\xF0\x9F", "⁄",    "ŉ",    "々", "0",  "C"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (auto i = random() % 40; i > 0; --i) text += pieces[random() % std::size(pieces)];
    CAPTURE(round);
    REQUIRE_EQ(broken_terms(text), "");
  }
}

TEST_CASE("folding is for comparing names") {
  CHECK_EQ(fold("Ｋubernetes 叢集"), fold("kubernetes 丛集"));
  CHECK_EQ(fold("Über"), "uber");
  CHECK_EQ(fold("Straße"), "strasse");
  CHECK_EQ(fold("a b"), "a b");
}

TEST_CASE("a question's terms carry weights") {
  auto const terms = query_terms("What is the port of TiDB？数据库如何备份");
  struct Row {
    char const* text;
    float weight;
    bool function_word;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"what", 0.5f, true, "asks"},
      {"the", 0.5f, true, "joins"},
      {"port", 1, false, "a word of the subject"},
      {"tidb", 1, false, "a name"},
      {"数", 0.25f, false, "one character says little"},
      {"数据", 1, false, "inside a word"},
      {"库如", 0.6f, false, "crosses two words"},
      {"如何", 0.5f, true, "asks"},
      {"备份", 1, false, "inside a word"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    CAPTURE(row.why);
    QueryTerm const term = find(terms, row.text);
    CHECK_EQ(term.weight, doctest::Approx(row.weight));
    CHECK_EQ(term.function_word, row.function_word);
  }
}

TEST_CASE("Traditional questions weigh as Simplified ones") {
  CHECK(find(query_terms("為什麼失敗"), "什么").function_word);
  CHECK_FALSE(find(query_terms("為什麼失敗"), "失败").function_word);
}

TEST_CASE("repeats in a question are one term of their common weight") {
  auto const terms = query_terms("backup and backups");
  CHECK_EQ(terms.size(), 2);
  CHECK_EQ(find(terms, "backup").weight, doctest::Approx(2));
}
