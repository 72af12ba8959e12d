#include "adapters/feishu/reply_view.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "adapters/feishu/blocks.hpp"
#include "adapters/feishu/escape.hpp"

namespace kb::feishu {
namespace {

using Json = nlohmann::json;

struct Labels {
  std::string_view up, down, recorded;
  std::string_view confidence, high, medium, low;
  std::string_view line, lines, line_end;
  std::string_view changed;
  std::string_view fresh, stale;
};

constexpr Labels kZh{.up = "有用",
                     .down = "没用",
                     .recorded = "已记录：",
                     .confidence = "置信度：",
                     .high = "高",
                     .medium = "中",
                     .low = "低",
                     .line = "第 ",
                     .lines = "第 ",
                     .line_end = " 行",
                     .changed = "更新于 ",
                     .fresh = "来源未标记过时",
                     .stale = "⚠ 含已标记过时的来源"};
constexpr Labels kEn{.up = "Helpful",
                     .down = "Not helpful",
                     .recorded = "Recorded: ",
                     .confidence = "Confidence: ",
                     .high = "high",
                     .medium = "medium",
                     .low = "low",
                     .line = "line ",
                     .lines = "lines ",
                     .line_end = "",
                     .changed = "changed ",
                     .fresh = "no source is marked as outdated",
                     .stale = "⚠ a source is marked as outdated"};

constexpr std::string_view kBetween = " · ";

Labels const& labels(Lang lang) noexcept { return lang == Lang::zh ? kZh : kEn; }

std::string text_in(Json const& object, char const* key) {
  if (!object.is_object()) return {};
  auto const at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// The heading of the sources, or the whole block when there are none.
struct Heading {
  std::string_view text;
  Lang lang;
};
constexpr std::array kHeadings{Heading{"来源：", Lang::zh}, Heading{"来源：无", Lang::zh},
                               Heading{"Sources:", Lang::en}, Heading{"Sources: none", Lang::en}};

struct Parted {
  std::string_view body, sources;
  std::optional<Lang> lang;
};

/// The sources begin at the last line that is a heading: what pages say stands behind `>`.
Parted part(std::string_view text) {
  Parted out{.body = text, .sources = {}, .lang = {}};
  std::string_view rest = text;
  while (!rest.empty()) {
    auto const begin = static_cast<std::size_t>(rest.data() - text.data());
    std::string_view const line = take_line(rest);
    for (Heading const& heading : kHeadings) {
      if (line == heading.text)
        out = {.body = text.substr(0, begin), .sources = text.substr(begin), .lang = heading.lang};
    }
  }
  return out;
}

/// The day of an ISO time in UTC, as it is in UTC+8. Empty when it is none.
std::string day_of(std::string_view iso) {
  auto const number = [iso](std::size_t at, std::size_t width) {
    int value = -1;
    if (iso.size() >= at + width) {
      auto const [end, error] = std::from_chars(iso.data() + at, iso.data() + at + width, value);
      if (error != std::errc() || end != iso.data() + at + width) value = -1;
    }
    return value;
  };
  int const year = number(0, 4), month = number(5, 2), day = number(8, 2), hour = number(11, 2);
  if (year < 1970 || month < 1 || day < 1 || hour < 0 || hour > 23) return {};
  using namespace std::chrono;
  year_month_day const date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  constexpr hours kZone{8};
  year_month_day const local{floor<days>(sys_days(date) + hours(hour) + kZone)};
  std::array<char, 16> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02u", static_cast<int>(local.year()),
                static_cast<unsigned>(local.month()), static_cast<unsigned>(local.day()));
  return out.data();
}

std::string lines_of(Json const& source, Lang lang) {
  auto const lines = source.find("lines");
  if (lines == source.end() || !lines->is_array() || lines->size() != 2) return {};
  if (!(*lines)[0].is_number_integer() || !(*lines)[1].is_number_integer()) return {};
  auto const first = (*lines)[0].get<std::int64_t>();
  auto const last = (*lines)[1].get<std::int64_t>();
  if (first <= 0 || last < first) return {};
  Labels const& words = labels(lang);
  std::string out(first == last ? words.line : words.lines);
  out += std::to_string(first);
  if (first != last) out += "–" + std::to_string(last);
  return out.append(words.line_end);
}

/// Writes the lines of the block. A line that names the source of its number gets that source's link and facts.
class SourceWriter {
 public:
  SourceWriter(std::string_view json, Lang lang) : sources_(Json::parse(json, nullptr, false)), lang_(lang) {}

  std::vector<Piece> write(std::string_view block) && {
    add_heading(take_line(block));
    while (!block.empty()) {
      std::string_view const line = take_line(block);
      if (!add_source(line)) add_below(line);
    }
    return std::move(out_);
  }

 private:
  void add_heading(std::string_view line) {
    out_.push_back({.text = "**" + std::string(line) + "**", .paragraph = true});
  }

  /// `1. 《title》（label）link`
  bool add_source(std::string_view line) {
    auto const dot = line.find(". ");
    if (dot == line.npos || !sources_.is_array()) return false;
    std::size_t number = 0;
    auto const [end, error] = std::from_chars(line.data(), line.data() + dot, number);
    if (error != std::errc() || end != line.data() + dot || number != next_ || number > sources_.size()) return false;
    Json const& source = sources_[number - 1];
    std::string_view const rest = line.substr(dot + 2);
    auto const title_end = rest.find("》");
    if (!rest.starts_with("《") || title_end == rest.npos) return false;
    std::string const url = clean_text(text_in(source, "url"));
    std::string const page =
        text_in(source, "owner") + '/' + text_in(source, "repo") + ':' + clean_text(text_in(source, "path"));
    bool const by_url = !url.empty() && rest.ends_with(url);
    if (!by_url && rest.find(page) == rest.npos) return false;

    std::string const target = by_url ? link_target(url) : std::string();
    std::string_view const title = rest.substr(0, title_end + std::string_view("》").size());
    std::string_view behind = rest.substr(title.size());
    Piece piece;
    piece.open = std::to_string(next_) + ". ";
    if (target.empty() || title.size() > kMaxTitle) {
      piece.text = escape_markdown(rest);
    } else {
      behind.remove_suffix(url.size());
      piece.text = '[' + escape_markdown(title) + "](" + target + ')' + escape_markdown(behind);
    }
    std::string facts = target.empty() ? std::string() : lines_of(source, lang_);
    if (std::string const day = day_of(text_in(source, "changed_at")); !day.empty()) {
      facts.append(facts.empty() ? "" : kBetween).append(labels(lang_).changed).append(day);
    }
    if (!facts.empty()) piece.text.append(kBetween).append(facts);
    out_.push_back(std::move(piece));
    ++next_;
    return true;
  }

  /// A warning or an excerpt below its source, or a line that names no source we know.
  void add_below(std::string_view line) {
    Piece piece;
    bool const inside = next_ > 1 && line.starts_with(kIndent);
    if (inside) piece.open = kIndent;
    line = trim_blanks(line);
    if (line.empty()) return;
    if (line.starts_with("> ")) {
      piece.open += "> ";
      line = trim_blanks(line.substr(2));
    }
    piece.text = escape_markdown(line);
    piece.reopen = piece.open;
    piece.paragraph = !inside;  // else it would go on in the item before it
    out_.push_back(std::move(piece));
  }

  static constexpr std::size_t kMaxTitle = 500;
  static constexpr std::string_view kIndent = "   ";

  Json sources_;
  Lang lang_;
  std::vector<Piece> out_;
  std::size_t next_ = 1;
};

std::string facts_of(adapters::Reply const& reply, Lang lang) {
  Json const details = Json::parse(reply.details_json, nullptr, false);
  if (!details.is_object()) return {};
  Labels const& words = labels(lang);
  std::string out;
  std::string const confidence = text_in(details, "confidence");
  for (auto const& [name, label] :
       {std::pair("high", words.high), std::pair("medium", words.medium), std::pair("low", words.low)}) {
    if (confidence == name) out.append(words.confidence).append(label);
  }
  auto const stale = details.find("stale_files");
  if (stale != details.end() && stale->is_array()) {
    out.append(out.empty() ? "" : kBetween).append(stale->empty() ? words.fresh : words.stale);
  }
  return out;
}

}  // namespace

ReplyView view_of(adapters::Reply const& reply, Votes const& votes) {
  std::string const text = clean_text(reply.text);
  Parted const parted = part(text);
  ReplyView out;
  out.lang = parted.lang.value_or(has_han(text) || text.empty() ? Lang::zh : Lang::en);
  out.body = parted.body;
  if (!parted.sources.empty()) out.sources = SourceWriter(reply.sources_json, out.lang).write(parted.sources);
  if (reply.outcome != "answered" && reply.outcome != "insufficient") return out;
  if (!reply.query_id.empty()) {
    out.facts = facts_of(reply, out.lang);
    out.query_id = clean_text(reply.query_id);
    if (votes.mine == "up" || votes.mine == "down") out.mine = votes.mine;
  }
  return out;
}

std::string summary_of(std::string_view body) {
  constexpr std::size_t kMaxChars = 60;
  std::string out;
  std::size_t chars = 0;
  for (Block const& block : read_blocks(body)) {
    std::string_view text = block.text;
    if (block.kind == Block::Kind::table) text = block.rows.front().front();
    if (text.empty()) continue;
    if (!out.empty()) out += ' ';
    while (!text.empty() && chars < kMaxChars) {
      std::size_t const unit = unit_length(text);
      out += text.front() == '\n' ? " " : text.substr(0, unit);
      text.remove_prefix(unit);
      ++chars;
    }
    if (chars >= kMaxChars) {
      out += "…";
      break;
    }
  }
  return escape_plain(out);
}

std::string vote_label(Lang lang, std::string_view vote) {
  return std::string(vote == "up" ? labels(lang).up : labels(lang).down);
}

std::string recorded_text(Lang lang, std::string_view vote) {
  return std::string(labels(lang).recorded) + vote_label(lang, vote);
}

}  // namespace kb::feishu
