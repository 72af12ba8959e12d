#include "answer/protocols/budget.hpp"

#include <algorithm>

namespace kb::protocols {
namespace {

constexpr std::string_view kMark = "…";

bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Quarter tokens: exact, so that sums are.
std::size_t quarters_in(std::string_view text) noexcept {
  std::size_t sum = 0;
  for (char const c : text) {
    if (continues(c)) continue;
    sum += static_cast<unsigned char>(c) < 0x80 ? 1 : 4;
  }
  return sum;
}

std::size_t rounded(std::size_t quarters) noexcept { return (quarters + 3) / 4; }

/// The longest head of at most `quarters`, at a character.
std::size_t head_size(std::string_view text, std::size_t quarters) noexcept {
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues(text[i])) continue;
    used += static_cast<unsigned char>(text[i]) < 0x80 ? 1 : 4;
    if (used > quarters) return i;
  }
  return text.size();
}

/// Where an open [[ of the head began; npos: none is open.
std::size_t open_link(std::string_view head) noexcept {
  std::size_t const open = head.rfind("[[");
  if (open == head.npos) {
    return head.ends_with('[') ? head.size() - 1 : head.npos;
  }
  std::size_t const close = head.find("]]", open);
  return close == head.npos ? open : head.npos;
}

/// Where an open code fence of the head began; npos: none is open.
std::size_t open_fence(std::string_view head) noexcept {
  std::size_t begin = head.npos;
  for (std::size_t at = 0; at < head.size();) {
    std::size_t const end = std::min(head.find('\n', at), head.size());
    std::string_view line = head.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("```") || line.starts_with("~~~")) begin = begin == head.npos ? at : head.npos;
    at = end + 1;
  }
  return begin;
}

/// The last good place to stop in the second half of the head: paragraph, sentence, line, blank.
std::size_t good_end(std::string_view head) noexcept {
  std::size_t const half = head.size() / 2;
  std::size_t const paragraph = head.rfind("\n\n");
  if (paragraph != head.npos && paragraph >= half) return paragraph;
  std::size_t best = 0;
  for (std::string_view const end : {"。", "！", "？", ". ", "! ", "? ", ".\n", "；"}) {
    std::size_t const at = head.rfind(end);
    if (at != head.npos) best = std::max(best, at + end.size() - (end.ends_with(' ') || end.ends_with('\n') ? 1 : 0));
  }
  if (best >= half && best > 0) return best;
  std::size_t const line = head.rfind('\n');
  if (line != head.npos && line >= half) return line;
  std::size_t const blank = head.rfind(' ');
  if (blank != head.npos && blank >= half) return blank;
  return head.size();
}

}  // namespace

std::size_t tokens_in(std::string_view text) noexcept { return rounded(quarters_in(text)); }

std::string cut_to(std::string_view text, std::size_t budget) {
  if (tokens_in(text) <= budget) return std::string(text);
  if (budget == 0) return {};
  std::string_view head = text.substr(0, head_size(text, (budget - 1) * 4));
  head = head.substr(0, good_end(head));
  if (std::size_t const fence = open_fence(head); fence != head.npos) head = head.substr(0, fence);
  if (std::size_t const link = open_link(head); link != head.npos) head = head.substr(0, link);
  std::size_t const last = head.find_last_not_of(" \t\r\n");
  head = last == head.npos ? std::string_view() : head.substr(0, last + 1);
  return std::string(head) + std::string(kMark);
}

std::string LineBudget::more(std::size_t count) const { return "… and " + std::to_string(count) + " more " + what_; }

void LineBudget::add(std::string_view line) { lines_.emplace_back(line); }

std::string LineBudget::take() {
  std::string whole;
  for (std::string const& line : lines_) whole.append(whole.empty() ? "" : "\n").append(line);
  if (tokens_in(whole) <= budget_) return whole;
  std::string kept;
  std::string best = cut_to(more(lines_.size()), budget_);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    kept.append(kept.empty() ? "" : "\n").append(lines_[i]);
    std::string text = kept + "\n" + more(lines_.size() - i - 1);
    if (tokens_in(text) > budget_) break;
    best = std::move(text);
  }
  return best;
}

}  // namespace kb::protocols
