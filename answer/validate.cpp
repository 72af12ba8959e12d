#include "answer/validate.hpp"

#include <algorithm>
#include <numeric>

#include "answer/characters.hpp"
#include "answer/claims.hpp"
#include "answer/grounding.hpp"
#include "answer/quotes.hpp"
#include "answer/source_block.hpp"
#include "answer/texts.hpp"

namespace kb::answer {
namespace {

constexpr std::size_t kMaxExcerptChars = 160;  // INTERFACES §3

struct Body {
  std::vector<std::string_view> lines;  ///< to be proved, without kbgate's own notes
  bool no_answer = false;               ///< the fixed sentence alone
  bool insufficient = false;            ///< the fixed sentence alone
  bool empty = true;
  std::string_view assumed;  ///< the subject in its first line, if that is an assumed_line
};

/// A no-answer is the fixed text and nothing beside it; a good answer may quote 没有找到 (ACCEPTANCE 1.2).
Body read_body(std::string_view text) {
  Body out;
  std::size_t fixed_no_answer = 0, fixed_insufficient = 0;
  while (!text.empty()) {
    auto const end = text.find('\n');
    std::string_view const line = trim(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.empty() || is_note(line)) continue;
    if (out.empty && out.assumed.empty()) {  // the first line alone, and never the only one
      out.assumed = assumed_in(line).value_or("");
      if (!out.assumed.empty()) continue;
    }
    out.empty = false;
    if (is_no_answer_sentence(line)) {
      ++fixed_no_answer;
    } else if (is_insufficient_sentence(line)) {
      ++fixed_insufficient;
    } else {
      out.lines.push_back(line);
    }
  }
  bool const nothing_else = out.lines.empty() && out.assumed.empty();  // S1-38: to the letter
  out.no_answer = fixed_no_answer > 0 && fixed_insufficient == 0 && nothing_else;
  out.insufficient = fixed_insufficient > 0 && fixed_no_answer == 0 && out.lines.empty();
  return out;
}

/// The page a source line names: everything it says of title, label and link must fit.
bool is_line_of(SourceLine const& line, ReadPage const& page) {
  bool const title_fits = line.title == page.title || line.title == title_text(page.title);
  if (!line.title.empty() && !title_fits) return false;
  if (!line.label.empty() && !page.label.empty() && line.label != page.label) return false;
  if (line.link.empty()) return !line.title.empty();
  std::string const link = plain_link(line.link);
  if (!page.url.empty() && link == plain_link(page.url)) return true;
  if (!page.path.empty() && link == page.path) return true;
  std::optional<std::string> const path = path_in_link(line.link);
  if (path && !page.path.empty() && *path == page.path)
    return line.link.find("://") == line.link.npos || page.url.empty();
  if (line.title.empty()) return line.link == page.title || line.link == title_text(page.title);
  return page.url.empty() && page.path.empty();
}

/// `text [2]` → text and 2; 0 when the line carries no mark.
int take_mark(std::string_view& line) {
  if (!line.ends_with(']')) return 0;
  auto const open = line.rfind('[');
  if (open == line.npos || line.size() - open > 5 || line.size() - open < 3) return 0;
  int number = 0;
  for (char const c : line.substr(open + 1, line.size() - open - 2)) {
    if (!is_digit(static_cast<unsigned char>(c))) return 0;
    number = number * 10 + (c - '0');
  }
  line = trim(line.substr(0, open));
  return number;
}

class Check {
 public:
  explicit Check(ValidationInput const& input) : input_(input) {}

  Validation run() {
    if (trim(input_.answer).empty()) {
      add("empty_answer", "the answer is empty");
      return std::move(out_);
    }
    block_ = read_source_block(input_.answer);
    body_ = read_body(block_.body);
    out_.no_answer = body_.no_answer;
    if (body_.empty) add("empty_answer", "nothing stands before the sources");
    check_block();
    if (input_.allowed_sources) check_allowed(*input_.allowed_sources);
    if (input_.pages) check_pages(*input_.pages);
    if (!out_.unmatched_sources.empty()) list_allowed();
    out_.valid = out_.errors.empty();
    return std::move(out_);
  }

 private:
  void add(std::string code, std::string message, std::string_view sentence = {}, std::string_view source = {}) {
    out_.errors.push_back({std::move(code), std::move(message), std::string(sentence), std::string(source)});
  }

  void check_block() {
    if (!block_.present) {
      add("missing_sources", "no line begins with 来源： or Sources:");  // S1-43, S1-45
    } else if (body_.no_answer) {
      for (SourceLine const& line : block_.lines) {  // S1-46
        add("no_answer_sources_must_be_empty", "a no-answer lists no pages", {}, line.text);
      }
      if (block_.lines.empty() && !block_.says_none) add("empty_sources", "a no-answer must say 来源：无");  // S1-45
    } else if (block_.lines.empty()) {
      add("empty_sources", "an answer needs at least one source");  // S1-44
    } else if (block_.says_none) {
      add("empty_sources", "the sources say 无 and list pages");
    }
    for (SourceLine const& line : block_.lines) {
      for (std::string const& excerpt : line.excerpts) {
        if (!body_.insufficient)
          add("unsupported", "excerpts belong to the insufficient text only", excerpt, line.text);
        if (count_chars(excerpt) > kMaxExcerptChars)
          add("unsupported", "an excerpt is longer than 160 characters", excerpt, line.text);
      }
    }
  }

  void check_allowed(std::vector<std::string> const& allowed) {
    out_.checked_allowed_sources = true;
    for (SourceLine const& line : block_.lines) {  // S1-48
      bool const known =
          std::any_of(allowed.begin(), allowed.end(), [&](std::string const& entry) { return names(line, entry); });
      if (!known) not_allowed(line);
    }
  }

  void not_allowed(SourceLine const& line) {
    out_.unmatched_sources.push_back(line.text);
    add("source_not_in_allowed_hits", "this source is no page that was read for the answer", {}, line.text);
  }

  void list_allowed() {
    if (input_.allowed_sources) out_.allowed_sources = *input_.allowed_sources;
    if (!input_.pages) return;
    for (ReadPage const& page : *input_.pages) out_.allowed_sources.push_back(page.url.empty() ? page.title : page.url);
  }

  void check_pages(std::vector<ReadPage> const& pages) {
    out_.checked_sentences = true;
    Grounds grounds(pages);
    std::vector<std::vector<std::size_t>> by_line;  // pages of each source line
    std::vector<std::size_t> cited;
    for (SourceLine const& line : block_.lines) {
      std::vector<std::size_t>& matches = by_line.emplace_back();
      for (std::size_t i = 0; i < pages.size(); ++i) {
        if (is_line_of(line, pages[i])) matches.push_back(i);
      }
      bool const reported = !out_.unmatched_sources.empty() && out_.unmatched_sources.back() == line.text;
      if (matches.empty() && !reported) not_allowed(line);
      cited.insert(cited.end(), matches.begin(), matches.end());
      for (std::string const& excerpt : line.excerpts) report(grounds.prove(excerpt, matches), excerpt, line.text);
    }
    // A subject that the caller did not take from an earlier turn must be the pages' own.
    if (!body_.assumed.empty() && body_.assumed != input_.assumed && !grounds.stands(body_.assumed, cited))
      report(grounds.prove(body_.assumed, cited), body_.assumed, {});
    for (std::size_t i = 0; i < body_.lines.size(); ++i) {
      if (!is_carried(pages, i, by_line, cited)) check_line(grounds, body_.lines[i], by_line, cited);
    }
  }

  /// A sentence that is said in a form of derivation.hpp, by the quotes right below it.
  bool is_carried(std::vector<ReadPage> const& pages, std::size_t number,
                  std::vector<std::vector<std::size_t>> const& by_line, std::vector<std::size_t> const& cited) {
    std::string_view text = body_.lines[number];
    if (text.starts_with('>')) return false;
    static_cast<void>(take_mark(text));
    Claim claim{std::string(text), {}};
    for (std::size_t i = number + 1; i < body_.lines.size() && body_.lines[i].starts_with('>'); ++i) {
      std::string_view quote = trim(body_.lines[i].substr(1));
      int const mark = take_mark(quote);
      std::vector<std::size_t> const* carriers = &cited;
      for (std::size_t s = 0; s < block_.lines.size() && mark > 0; ++s) {
        if (block_.lines[s].number == mark) carriers = &by_line[s];
      }
      for (std::size_t const page : *carriers) claim.quotes.push_back({page, std::string(quote)});
    }
    if (claim.quotes.empty()) return false;
    if (parsed_.empty()) {
      for (ReadPage const& page : pages) parsed_.push_back(kbrepo::parse_page(page.path, {}, page.text));
      std::vector<kbrepo::Page const*> pointers;
      for (kbrepo::Page const& page : parsed_) pointers.push_back(&page);
      claims_.emplace(pointers);
    }
    return claims_->check(claim).proven();
  }

  void check_line(Grounds& grounds, std::string_view line, std::vector<std::vector<std::size_t>> const& by_line,
                  std::vector<std::size_t> const& cited) {
    std::string_view text = line;
    int const mark = take_mark(text);
    std::vector<std::size_t> const* allowed = mark == 0 ? &cited : nullptr;
    for (std::size_t i = 0; i < block_.lines.size() && mark > 0; ++i) {
      if (block_.lines[i].number == mark) allowed = &by_line[i];
    }
    if (allowed != nullptr && grounds.stands(text, *allowed)) return;
    if (mark > 0 && grounds.stands(line, cited)) return;  // a page may end its line like this
    if (allowed == nullptr) {
      add("misattributed", "there is no source with this number", line);
      return;
    }
    for (std::string_view const sentence : sentences_of(text)) report(grounds.prove(sentence, *allowed), sentence, {});
  }

  void report(Proof proof, std::string_view sentence, std::string_view source) {
    if (proof == Proof::found) return;
    add(std::string(to_string(proof)), "this sentence does not stand so in the pages cited for it", sentence, source);
  }

  ValidationInput const& input_;
  Validation out_;
  SourceBlock block_;
  Body body_;
  std::vector<kbrepo::Page> parsed_;  ///< made when a sentence is not a quote itself
  std::optional<ClaimCheck> claims_;
};

}  // namespace

Validation validate(ValidationInput const& input) { return Check(input).run(); }

}  // namespace kb::answer
