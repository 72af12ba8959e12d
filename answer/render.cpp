#include "answer/render.hpp"

#include "answer/characters.hpp"
#include "answer/texts.hpp"

namespace kb::answer {
namespace {

std::string notes_of(ReplyParts const& parts) {
  std::string out;
  for (std::string const& note : parts.notes) out += '\n' + note;
  return out;
}

/// Whether a line of Markdown begins an item, a row or a heading of its own.
bool opens_line(std::string_view line) noexcept {
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") || line.starts_with('|') ||
      line.starts_with('#'))
    return true;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(static_cast<unsigned char>(line[digits]))) ++digits;
  return digits > 0 && digits <= 3 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
}

/// Inline links and images become their text: the source line is where links are checked.
std::string without_links(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    bool const image = line[at] == '!' && at + 1 < line.size() && line[at + 1] == '[';
    std::size_t const open = image ? at + 1 : at;
    if (line[open] == '[' && line.substr(open, 2) != "[[") {
      auto const close = line.find(']', open);
      bool const linked = close != line.npos && close + 1 < line.size() && line[close + 1] == '(';
      auto const end = linked ? line.find(')', close) : line.npos;
      if (end != line.npos) {
        out += line.substr(open + 1, close - open - 1);
        at = end + 1;
        continue;
      }
    }
    out += line[at++];
  }
  return out;
}

bool is_fence(std::string_view line) noexcept { return line.starts_with("```") || line.starts_with("~~~"); }

std::string_view without_line_end(std::string_view line) noexcept {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

bool says_nothing(std::string_view text) noexcept {
  text = trim(text);
  return text.empty() || text == "-" || text == "*" || text == "+";
}

void join(std::string& line, std::string_view more) {
  bool const wide = is_wide(last_char(line));
  std::size_t at = 0;
  bool const wide_next = !more.empty() && is_wide(next_char(more, at));
  if (!wide || !wide_next) line += ' ';
  line += more;
}

}  // namespace

std::string link_of(Source const& source) {
  if (!source.url.empty()) return source.url;
  std::string out = source.repo.str() + ':' + source.path;
  if (source.line_begin > 0) {
    out += "#L" + std::to_string(source.line_begin) + "-L" + std::to_string(source.line_end);
  }
  return out;
}

std::vector<std::string> chat_lines(std::string_view markdown, bool keep_lines) {
  std::vector<std::string> out;
  bool fresh = true;
  bool in_fence = false;
  while (!markdown.empty()) {
    auto const end = markdown.find('\n');
    std::string_view const raw = markdown.substr(0, end);
    markdown.remove_prefix(end == markdown.npos ? markdown.size() : end + 1);
    std::string_view line = trim(raw);
    bool const fence = is_fence(line);
    if (fence || in_fence) {
      in_fence = in_fence != fence;
      if (!line.empty()) out.emplace_back(fence ? line : without_line_end(raw));
      fresh = true;
      continue;
    }
    while (line.starts_with('>')) line = trim(line.substr(1));
    std::string text = without_links(line);
    if (says_nothing(text)) {  // blank, or a picture without a name
      fresh = true;
      continue;
    }
    if (fresh || keep_lines || opens_line(line)) {
      out.push_back(std::move(text));
    } else {
      join(out.back(), text);
    }
    fresh = line.starts_with('|') || line.starts_with('#');
  }
  for (std::string& line : out) {
    if (line.find('\xE2') != line.npos || line.find('\xD8') != line.npos) line = without_direction_marks(line);
  }
  return out;
}

std::string render_answered(ReplyParts const& parts) {
  std::string out;
  bool said = false;
  for (ShownQuote const& quote : parts.quotes) {
    if (!out.empty() && !(said && !quote.own_words)) out += '\n';  // what carries a sentence stands right below it
    said = quote.own_words;
    for (std::size_t i = 0; i < quote.lines.size(); ++i) {
      out += (quote.own_words ? "" : "> ") + quote.lines[i];
      if (i + 1 == quote.lines.size()) {
        out += is_fence(quote.lines[i]) ? "\n> [" : " [";  // a mark behind ``` would open the fence again
        out += std::to_string(quote.source + 1) + ']';
      }
      out += '\n';
    }
  }
  out.pop_back();
  out += notes_of(parts);
  out += "\n\n";
  out += sources_heading(parts.lang);
  for (std::size_t i = 0; i < parts.sources.size(); ++i) {
    Source const& source = parts.sources[i];
    out += '\n' + std::to_string(i + 1) + ". 《" + title_text(source.title) + "》（" + source.label + "）" +
           link_of(source);
    if (parts.stale_since[i]) out += '\n' + stale_line(parts.lang, *parts.stale_since[i]);
  }
  return out;
}

std::string render_insufficient(ReplyParts const& parts) {
  std::string out(insufficient_sentence(parts.lang));
  out += notes_of(parts);
  out += "\n\n";
  out += sources_heading(parts.lang);
  for (std::size_t i = 0; i < parts.sources.size(); ++i) {
    out +=
        '\n' + std::to_string(i + 1) + ". 《" + title_text(parts.sources[i].title) + "》" + link_of(parts.sources[i]);
    if (!parts.excerpts[i].empty()) out += "\n   > " + parts.excerpts[i];
    if (parts.stale_since[i]) out += '\n' + stale_line(parts.lang, *parts.stale_since[i]);
  }
  return out;
}

std::string render_no_answer(ReplyParts const& parts, std::string_view subject) {
  std::string out = no_answer_sentence(parts.lang, subject_text(subject));
  out += notes_of(parts);
  out += "\n\n";
  out += no_sources_line(parts.lang);
  return out;
}

}  // namespace kb::answer
