#include "answer/texts.hpp"

#include <array>

#include "answer/characters.hpp"

namespace kb::answer {
namespace {

struct Texts {
  std::string_view no_answer_head, no_answer_tail;  // around 「subject」
  std::string_view insufficient;
  std::string_view sources, no_sources;
  std::string_view stale_head, stale_tail, stale_undated;  // around the date
  std::string_view missing_head, missing_tail;             // around owner/repo
  std::string_view personal_only;
  std::string_view differing_head, differing_tail;  // around the sources and their dates
  std::string_view hand_off_head, hand_off_tail;    // around the skill
  std::string_view assumed_head, assumed_tail;      // around the subject
};

constexpr Texts kZh{
    .no_answer_head = "我在知识库中没有找到与「",                                              // S1-38
    .no_answer_tail = "」相关的资料，因此无法基于知识库回答。",                                // S1-38
    .insufficient = "我找到了相关资料，但其中没有足够信息回答该问题，因此目前不能得出结论。",  // S1-40
    .sources = "来源：",
    .no_sources = "来源：无",
    .stale_head = "   ⚠ 此页已标记为过时（自 ",
    .stale_tail = " 起），建议更新后再引用。",
    .stale_undated = "   ⚠ 此页已标记为过时，建议更新后再引用。",
    .missing_head = "（注意：知识库 ",
    .missing_tail = " 暂时无法读取，以上内容不包括它。）",
    .personal_only = "（注意：你还没有加入团队，以上内容只来自个人知识库。）",
    .differing_head = "（注意：两处的说法不同，请核对：",
    .differing_tail = "。）",
    .hand_off_head = "这个请求不是查询，请交给 `",
    .hand_off_tail = "` 技能处理，我没有查询知识库。",
    .assumed_head = "关于「",
    .assumed_tail = "」：",
};

constexpr Texts kEn{
    .no_answer_head = "I found nothing about 「",
    .no_answer_tail = "」 in the knowledge base, so I cannot answer from it.",
    .insufficient =
        "I found related material, but it does not hold enough information to answer the question, so no conclusion "
        "can "
        "be drawn for now.",
    .sources = "Sources:",
    .no_sources = "Sources: none",
    .stale_head = "   ⚠ This page is marked as outdated (since ",
    .stale_tail = "); update it before relying on it.",
    .stale_undated = "   ⚠ This page is marked as outdated; update it before relying on it.",
    .missing_head = "(Note: the knowledge base ",
    .missing_tail = " cannot be read at the moment and is not covered above.)",
    .personal_only = "(Note: you are in no team yet; the above comes from your personal knowledge base alone.)",
    .differing_head = "(Note: these two differ; check which one holds: ",
    .differing_tail = ".)",
    .hand_off_head = "This request is not a query; it belongs to the `",
    .hand_off_tail = "` skill. I have not searched the knowledge base.",
    .assumed_head = "About \"",
    .assumed_tail = "\":",
};

constexpr std::array kAll{kZh, kEn};
constexpr std::size_t kMaxSubjectChars = 40;
constexpr std::size_t kMaxTitleBytes = 400;
constexpr std::size_t kMaxDateBytes = 40;

Texts const& of(Lang lang) noexcept { return lang == Lang::zh ? kAll[0] : kAll[1]; }

std::string around(std::string_view head, std::string_view gap, std::string_view tail) {
  std::string out;
  out.reserve(head.size() + gap.size() + tail.size());
  return out.append(head).append(gap).append(tail);
}

template <class Accepts>
bool fits(std::string_view line, std::string_view head, std::string_view tail, Accepts const& accepts) {
  if (line.size() < head.size() + tail.size() || !line.starts_with(head) || !line.ends_with(tail)) return false;
  line.remove_prefix(head.size());
  line.remove_suffix(tail.size());
  return accepts(line);
}

bool is_date_text(std::string_view text) noexcept {
  if (text.empty() || text.size() > kMaxDateBytes || !is_digit(static_cast<unsigned char>(text.front()))) return false;
  for (char const c : text) {
    bool const letter = c == 'T' || c == 'Z';
    if (!letter && !is_digit(static_cast<unsigned char>(c)) &&
        std::string_view(" :.+-/").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_repo_text(std::string_view text) noexcept {
  int slashes = 0;
  for (char const c : text) {
    slashes += c == '/' ? 1 : 0;
    if (!is_ascii_alnum(static_cast<unsigned char>(c)) && std::string_view("/._-").find(c) == std::string_view::npos)
      return false;
  }
  return slashes == 1 && text.size() > 2;
}

constexpr std::string_view kNoDate = "?";

std::string dated_text(DatedSource const& source) {
  std::string_view const date = trim(source.date);
  return '[' + std::to_string(source.number) + "] " + std::string(is_date_text(date) ? date : kNoDate);
}

/// `[1] 2026-03-02` or `[1] ?`
bool is_dated_text(std::string_view text) noexcept {
  if (!text.starts_with('[')) return false;
  auto const close = text.find("] ");
  if (close == text.npos || close < 2 || close > 4) return false;
  for (char const c : text.substr(1, close - 1)) {
    if (!is_digit(static_cast<unsigned char>(c))) return false;
  }
  return text.substr(close + 2) == kNoDate || is_date_text(text.substr(close + 2));
}

bool is_dated_pair(std::string_view text) noexcept {
  auto const comma = text.find(", ");
  return comma != text.npos && is_dated_text(text.substr(0, comma)) && is_dated_text(text.substr(comma + 2));
}

/// One line; each of `from` becomes the character of `to` at the same place.
std::string one_line(std::string_view raw, std::u32string_view from, std::u32string_view to) {
  std::string out;
  bool space = false;
  for (std::size_t at = 0; at < raw.size();) {
    char32_t code = next_char(raw, at);
    if (is_direction_mark(code)) continue;
    if (code < 0x20 || code == 0x7F || code == 0x2028 || code == 0x2029 || code == 0x85) code = ' ';
    if (auto const found = from.find(code); found != from.npos) code = to[found];
    if (code == ' ' && space) continue;
    space = code == ' ';
    append_char(out, code);
  }
  return std::string(trim(out));
}

}  // namespace

std::string no_answer_sentence(Lang lang, std::string_view subject) {
  return around(of(lang).no_answer_head, subject, of(lang).no_answer_tail);
}
std::string_view insufficient_sentence(Lang lang) noexcept { return of(lang).insufficient; }
std::string_view sources_heading(Lang lang) noexcept { return of(lang).sources; }
std::string_view no_sources_line(Lang lang) noexcept { return of(lang).no_sources; }

std::string stale_line(Lang lang, std::string_view since) {
  since = trim(since);
  if (!is_date_text(since)) return std::string(of(lang).stale_undated);
  return around(of(lang).stale_head, since, of(lang).stale_tail);
}

std::string missing_note(Lang lang, RepoId const& repo) {
  return around(of(lang).missing_head, repo.str(), of(lang).missing_tail);
}

std::string_view personal_only_note(Lang lang) noexcept { return of(lang).personal_only; }

std::string differing_note(Lang lang, DatedSource const& one, DatedSource const& other) {
  return around(of(lang).differing_head, dated_text(one) + ", " + dated_text(other), of(lang).differing_tail);
}

std::string hand_off_text(Lang lang, std::string_view skill) {
  return around(of(lang).hand_off_head, skill, of(lang).hand_off_tail);
}

std::string assumed_line(Lang lang, std::string_view subject) {
  return around(of(lang).assumed_head, subject, of(lang).assumed_tail);
}

bool is_no_answer_sentence(std::string_view line) {
  for (Texts const& texts : kAll) {
    auto const plain = [](std::string_view gap) { return subject_text(gap) == gap; };
    if (fits(trim(line), texts.no_answer_head, texts.no_answer_tail, plain)) return true;
  }
  return false;
}

bool is_insufficient_sentence(std::string_view line) {
  for (Texts const& texts : kAll) {
    if (trim(line) == texts.insufficient) return true;
  }
  return false;
}

bool is_stale_line(std::string_view line) {
  for (Texts const& texts : kAll) {
    if (trim(line) == trim(texts.stale_undated)) return true;
    if (fits(trim(line), trim(texts.stale_head), texts.stale_tail,
             [](std::string_view gap) { return is_date_text(trim(gap)); })) {
      return true;
    }
  }
  return false;
}

bool is_note(std::string_view line) {
  for (Texts const& texts : kAll) {
    if (trim(line) == texts.personal_only) return true;
    if (fits(trim(line), texts.missing_head, texts.missing_tail, is_repo_text)) return true;
    if (fits(trim(line), texts.differing_head, texts.differing_tail, is_dated_pair)) return true;
  }
  return false;
}

std::optional<std::string_view> assumed_in(std::string_view line) {
  line = trim(line);
  for (Texts const& texts : kAll) {
    if (!fits(line, texts.assumed_head, texts.assumed_tail, is_assumed_subject)) continue;
    line.remove_prefix(texts.assumed_head.size());
    line.remove_suffix(texts.assumed_tail.size());
    return line;
  }
  return std::nullopt;
}

bool is_assumed_subject(std::string_view subject) {
  constexpr std::string_view kNeverIn = "<>@[](){}|*`~\\\"\n\r";
  return !subject.empty() && subject_text(subject) == subject && subject.find_first_of(kNeverIn) == subject.npos &&
         subject.find("//") == subject.npos && subject.find("：") == subject.npos;
}

std::string subject_text(std::string_view raw) {
  std::string const line = one_line(raw, U"「」『』。！？!?", U"“”“”     ");  // a subject makes no sentence
  std::string_view cut = first_chars(line, kMaxSubjectChars);
  bool const inside_word = cut.size() < line.size() && is_ascii_alnum(static_cast<unsigned char>(cut.back())) &&
                           is_ascii_alnum(static_cast<unsigned char>(line[cut.size()]));
  if (auto const space = cut.rfind(' '); inside_word && space != cut.npos) cut = cut.substr(0, space);
  return std::string(trim(cut));
}

std::string title_text(std::string_view raw) {
  std::string line = one_line(raw, U"《》", U"〈〉");
  if (line.size() > kMaxTitleBytes) line = std::string(trim(first_chars(line, kMaxTitleBytes / 4)));
  return line;
}

}  // namespace kb::answer
