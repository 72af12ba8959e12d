/// Faithful claims made from real pages. Knows Markdown blocks and characters, nothing of how claims are checked.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "answer/characters.hpp"
#include "answer/claims.hpp"
#include "answer/render.hpp"
#include "kbrepo/page.hpp"

namespace kb::test {

using Random = std::mt19937_64;

/// Without the mark of an item.
inline std::string bare(std::string_view line) {
  for (std::string_view const mark : {"- [ ] ", "- [x] ", "- ", "* ", "+ "}) {
    if (line.starts_with(mark)) return std::string(answer::trim(line.substr(mark.size())));
  }
  return std::string(line);
}

/// Claims over the pages of one knowledge base. A claim is checked with five pages, as in a question.
class ClaimSource {
 public:
  struct Sample {
    std::vector<kbrepo::Page const*> pages;  ///< pages[0] is the one that is quoted
    std::vector<std::string> quotes;         ///< bytes of pages[0]
    std::string sentence;
    std::size_t block = 0;  ///< of pages[0]
    kbrepo::Page const* made_from = nullptr;
    std::vector<std::size_t> used;   ///< all blocks quoted
    std::vector<std::string> cells;  ///< of a row that is read out: its name and the cell
  };

  ClaimSource(std::vector<kbrepo::Page> const& pages, std::uint64_t seed) : random_(seed) {
    for (kbrepo::Page const& page : pages) {
      if (page.kind != kbrepo::PageKind::evidence) continue;
      std::size_t const known = spots_.size();
      for (std::size_t b = 0; b < page.blocks.size(); ++b) {
        if (is_plain(page, page.blocks[b])) spots_.push_back({&page, b});
      }
      if (spots_.size() > known) pages_.push_back(&page);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return spots_.empty(); }
  Random& random() noexcept { return random_; }
  kbrepo::Page const& any_page() { return *pages_[below(pages_.size())]; }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  static constexpr std::array<std::string_view, 4> kForms{"copied", "normalised", "list items joined", "table cells"};

  Sample faithful(std::size_t form) {
    for (;;) {
      std::optional<Sample> made = form == 2 ? joined() : form == 3 ? cells() : copied();
      if (!made) continue;
      if (form == 1) made->sentence = in_other_form(made->sentence);
      return std::move(*made);
    }
  }

  /// A sentence, item or row as the page has it.
  std::optional<Sample> copied() {
    Spot const spot = spots_[below(spots_.size())];
    Sample out = begin(spot);
    kbrepo::Page const& page = *spot.page;
    std::string_view text = page.bytes(page.blocks[spot.block]);
    if (page.blocks[spot.block].kind == kbrepo::BlockKind::paragraph) {
      std::vector<std::string_view> const sentences = answer::sentences_of(text);
      text = sentences[below(sentences.size())];
    }
    std::vector<std::string> const lines = answer::chat_lines(text, false);
    if (lines.size() != 1 || !has_words(lines[0])) return std::nullopt;
    out.quotes = {std::string(text)};
    out.sentence = bare(lines[0]);
    return out;
  }

  /// Items of one list as one sentence.
  std::optional<Sample> joined() {
    Spot const spot = spots_[below(spots_.size())];
    kbrepo::Page const& page = *spot.page;
    if (page.blocks[spot.block].kind != kbrepo::BlockKind::list_item) return std::nullopt;
    Sample out = begin(spot);
    out.used.clear();
    bool const zh = answer::count_chars(page.text) * 2 < page.text.size();
    std::size_t const most = 2 + below(2);
    for (std::size_t b = spot.block; b < page.blocks.size() && out.quotes.size() < most; ++b) {
      kbrepo::Block const& block = page.blocks[b];
      kbrepo::Block const& first = page.blocks[spot.block];
      if (block.kind != first.kind || block.section != first.section || block.paragraph != first.paragraph) break;
      std::vector<std::string> const lines = answer::chat_lines(page.bytes(block), false);
      if (lines.size() != 1 || !has_words(lines[0]) || lines[0].ends_with('?') || lines[0].ends_with("？")) break;
      std::string item = bare(lines[0]);
      while (item.ends_with('.') || item.ends_with(';') || item.ends_with(',')) item.pop_back();
      for (std::string_view const mark : {"。", "；", "，"}) {
        if (item.ends_with(mark)) item.erase(item.size() - mark.size());
      }
      if (!out.sentence.empty()) out.sentence += zh ? (below(2) == 0 ? "；" : "、") : (below(2) == 0 ? "; " : ", and ");
      out.sentence += item;
      out.quotes.emplace_back(page.bytes(block));
      out.used.push_back(b);
    }
    if (out.quotes.size() < 2) return std::nullopt;
    out.sentence += zh ? "。" : ".";
    return out;
  }

  /// A cell read out with the name of its row and the head of its column.
  std::optional<Sample> cells() {
    for (int tries = 0; tries < 200; ++tries) {
      Spot const spot = spots_[below(spots_.size())];
      kbrepo::Page const& page = *spot.page;
      kbrepo::Block const& block = page.blocks[spot.block];
      if (block.kind != kbrepo::BlockKind::table_row || block.context_begin == kbrepo::kNone) continue;
      if (page.bytes(block).find("\\|") != std::string_view::npos) continue;
      std::vector<std::string> const row = row_cells(page.bytes(block));
      std::vector<std::string> const head =
          row_cells(std::string_view(page.text).substr(block.context_begin, block.context_end - block.context_begin));
      if (row.size() != head.size() || row.size() < 2 || row[0].empty()) continue;
      std::size_t const column = 1 + below(row.size() - 1);
      if (row[column].empty() || head[column].empty() || !has_words(row[0] + row[column])) continue;
      Sample out = begin(spot);
      out.quotes = {std::string(page.bytes(block))};
      out.cells = {row[0], row[column]};
      bool const zh = answer::count_chars(out.quotes[0]) * 3 < out.quotes[0].size() * 2;
      switch (below(3)) {
        case 0:
          out.sentence = zh ? row[0] + " 的" + head[column] + "是 " + row[column] + "。"
                            : "The " + head[column] + " of " + row[0] + " is " + row[column] + ".";
          break;
        case 1:
          out.sentence = row[0] + (zh ? "：" : ": ") + head[column] + (zh ? "：" : ": ") + row[column];
          break;
        default:
          out.sentence = head[0] + ": " + row[0] + ", " + head[column] + ": " + row[column];
      }
      return out;
    }
    return std::nullopt;
  }

 private:
  struct Spot {
    kbrepo::Page const* page;
    std::size_t block;
  };

  static bool has_words(std::string_view text) {
    std::size_t letters = 0;
    for (std::size_t at = 0; at < text.size();) {
      char32_t const c = answer::next_char(text, at);
      letters += answer::is_han(c) ? 2u : answer::is_ascii_alnum(c) ? 1u : 0u;
    }
    return letters >= 12;
  }

  static bool is_plain(kbrepo::Page const& page, kbrepo::Block const& block) {
    std::string_view const text = page.bytes(block);
    return block.kind != kbrepo::BlockKind::fence && text.size() >= 12 && text.size() <= 900 && has_words(text);
  }

  Sample begin(Spot spot) {
    Sample out;
    out.pages = {spot.page};
    out.made_from = spot.page;
    for (int i = 0; i < 4 && pages_.size() > 4; ++i) {
      kbrepo::Page const* const other = pages_[below(pages_.size())];
      if (std::find(out.pages.begin(), out.pages.end(), other) == out.pages.end()) out.pages.push_back(other);
    }
    out.block = spot.block;
    out.used = {spot.block};
    return out;
  }

  static std::vector<std::string> row_cells(std::string_view row) {
    std::vector<std::string> out;
    row = answer::trim(row);
    if (row.starts_with('|')) row.remove_prefix(1);
    if (row.ends_with('|')) row.remove_suffix(1);
    while (true) {
      auto const bar = row.find('|');
      std::vector<std::string> const text = answer::chat_lines(row.substr(0, bar), false);
      out.push_back(text.size() == 1 ? text[0] : std::string());
      if (bar == row.npos) break;
      row.remove_prefix(bar + 1);
    }
    return out;
  }

  /// Width, case, white space, marks and Traditional characters.
  std::string in_other_form(std::string const& text) {
    static std::map<char32_t, char32_t> const traditional{
        {U'国', U'國'}, {U'会', U'會'}, {U'数', U'數'}, {U'据', U'據'}, {U'这', U'這'}, {U'个', U'個'},
        {U'们', U'們'}, {U'时', U'時'}, {U'问', U'問'}, {U'题', U'題'}, {U'图', U'圖'}, {U'点', U'點'},
        {U'线', U'線'}, {U'树', U'樹'}, {U'节', U'節'}, {U'为', U'為'}};
    int const way = static_cast<int>(below(4));
    bool const has_link = text.find("://") != text.npos;
    std::string out;
    bool word_start = true;
    bool plain_word = true;
    bool plain_number = false;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t const from = at;
      char32_t c = answer::next_char(text, at);
      bool const letter = answer::is_ascii_alnum(c) || c == '_';
      if (letter && word_start) {  // a word of letters alone, not behind a number
        std::size_t end = from;
        while (end < text.size() && (answer::is_ascii_alnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
          ++end;
        std::string_view const word = std::string_view(text).substr(from, end - from);
        bool const letters = std::all_of(word.begin(), word.end(),
                                         [](char l) { return (l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z'); });
        bool const behind =
            from > 0 &&
            (answer::is_digit(static_cast<unsigned char>(text[from - 1])) ||
             (from > 1 && text[from - 1] == ' ' && answer::is_digit(static_cast<unsigned char>(text[from - 2]))));
        plain_word = letters && !behind;
        plain_number = std::all_of(word.begin(), word.end(), [](char d) { return d >= '0' && d <= '9'; });
      }
      word_start = !letter;
      if (way == 0 && c == ',') c = U'，';
      if (way == 0 && c == U'，') c = ',';
      if (way == 0 && c == U'：') c = ':';
      if (way == 1 && letter && plain_word && !has_link && c >= 'A' && c <= 'Z') c += 'a' - 'A';
      if (way == 2 && c == ' ' && at < text.size() && static_cast<unsigned char>(text[at]) >= 0xE3) continue;
      if (way == 3 && answer::is_digit(c) && plain_number) c += 0xFF10 - '0';
      if (auto const t = traditional.find(c); t != traditional.end() && way != 1) c = t->second;
      answer::append_char(out, c);
    }
    return out;
  }

  Random random_;
  std::vector<Spot> spots_;
  std::vector<kbrepo::Page const*> pages_;
};

/// A sample as a model would claim it.
inline answer::Claim claim_of(ClaimSource::Sample const& sample) {
  answer::Claim out{sample.sentence, {}};
  for (std::string const& quote : sample.quotes) out.quotes.push_back({std::size_t{0}, quote});
  return out;
}

}  // namespace kb::test
