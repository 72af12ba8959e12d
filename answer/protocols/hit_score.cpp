#include "answer/protocols/hit_score.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "answer/question.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::protocols {
namespace {

constexpr double kPartial = .7;  // all words, not together
constexpr double kVariant = .6;  // a synonym
constexpr double kInName = .5;   // in heading, title or path
constexpr double kNearTokens = 10;

// S4-54: folded; a Latin word must stand by itself.
constexpr std::array<std::string_view, 34> kImportant{
    "procedure",     "procedures",   "policy",      "policies",  "steps",        "runbook",     "how to",
    "security",      "credential",   "credentials", "operation", "operations",   "requirement", "requirements",
    "configuration", "installation", "management",  "guide",     "instructions", "流程",        "步骤",
    "政策",          "制度",         "规范",        "规定",      "安全",         "凭证",        "运维",
    "操作",          "要求",         "决定",        "配置",      "指南",         "须知"};
// S4-33, S4-55.
constexpr std::array<std::string_view, 14> kStepWords{"step", "steps", "first", "then", "next", "finally", "(1)",
                                                      "1.",   "步骤",  "首先",  "然后", "接着", "最后",    "第一步"};
constexpr std::array<std::string_view, 26> kConditionWords{
    "must",  "required", "require",  "requires", "prerequisite", "prerequisites", "before", "approval", "permission",
    "every", "within",   "at least", "at most",  "only",         "never",         "必须",   "需要",     "前提",
    "审批",  "权限",     "不得",     "不能",     "每",           "以内",          "至少",   "仅"};
constexpr std::array<std::string_view, 16> kVerificationWords{
    "verify", "verification", "verifies", "check", "confirm", "evidence", "audit", "log",
    "logs",   "test",         "验证",     "确认",  "检查",    "核对",     "证据",  "审计"};

template <std::size_t N>
bool holds_any(std::string_view folded, std::array<std::string_view, N> const& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return answer::has_word(folded, word); });
}

using Texts = std::vector<std::string>;

Texts texts_of(std::string_view text) {
  Texts out;
  for (Token& token : tokens_of(text)) out.push_back(std::move(token.text));
  return out;
}

/// Where `phrase` stands in `text`, each place.
std::vector<std::size_t> places_of(Texts const& text, Texts const& phrase) {
  std::vector<std::size_t> out;
  if (phrase.empty()) return out;
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), phrase.begin(), phrase.end());
    if (at == text.end()) return out;
    out.push_back(static_cast<std::size_t>(at - text.begin()));
  }
}

/// The pieces of a unit that count when it is not found whole: words, or pairs of CJK characters.
std::vector<Texts> pieces_of(QueryUnit const& unit) {
  std::vector<Texts> out;
  if (!unit.cjk || unit.tokens.size() < 2) {
    for (std::string const& token : unit.tokens) out.push_back({token});
    return out;
  }
  for (std::size_t i = 0; i + 1 < unit.tokens.size(); ++i) out.push_back({unit.tokens[i], unit.tokens[i + 1]});
  return out;
}

struct UnitMatch {
  double strength = 0;
  std::string variant;              ///< found as this; empty: as itself
  std::vector<std::size_t> places;  ///< in the text's tokens
  std::size_t length = 1;
};

UnitMatch match(QueryUnit const& unit, Texts const& text) {
  UnitMatch out;
  out.places = places_of(text, unit.tokens);
  if (!out.places.empty()) {
    out.strength = 1;
    out.length = unit.tokens.size();
    return out;
  }
  std::vector<Texts> const pieces = pieces_of(unit);
  std::size_t found = 0;
  for (Texts const& piece : pieces) {
    std::vector<std::size_t> const at = places_of(text, piece);
    found += at.empty() ? 0 : 1;
    out.places.insert(out.places.end(), at.begin(), at.end());
  }
  double const share = pieces.empty() ? 0 : static_cast<double>(found) / static_cast<double>(pieces.size());
  if (found == pieces.size()) {
    out.strength = kPartial;
  } else if (share >= .5) {
    out.strength = kPartial * share * .8;
  } else {
    out.places.clear();
  }
  if (out.strength >= kVariant) return out;
  for (std::size_t i = 0; i < unit.variant_tokens.size(); ++i) {
    std::vector<std::size_t> at = places_of(text, unit.variant_tokens[i]);
    if (at.empty()) continue;
    out.strength = kVariant;
    out.places = std::move(at);
    out.length = unit.variant_tokens[i].size();
    for (std::string const& variant : unit.variants) {
      if (texts_of(variant) == unit.variant_tokens[i]) out.variant = variant;
    }
    return out;
  }
  return out;
}

double weight_of(QueryUnit const& unit) {
  switch (unit.kind) {
    case QueryUnit::Kind::entity:
      return 1;
    case QueryUnit::Kind::action:
      return .8;
    case QueryUnit::Kind::constraint:
      return .6;
  }
  return 1;
}

/// Tokens of the smallest window that holds a place of every matched unit.
std::size_t window_of(std::vector<UnitMatch> const& matches) {
  struct Mark {
    std::size_t at, unit, end;
  };
  std::vector<Mark> marks;
  std::size_t wanted = 0;
  for (std::size_t unit = 0; unit < matches.size(); ++unit) {
    if (matches[unit].places.empty()) continue;
    ++wanted;
    for (std::size_t const at : matches[unit].places) marks.push_back({at, unit, at + matches[unit].length});
  }
  std::sort(marks.begin(), marks.end(), [](Mark const& a, Mark const& b) { return a.at < b.at; });
  std::vector<std::size_t> count(matches.size(), 0);
  std::size_t have = 0;
  std::size_t best = std::numeric_limits<std::size_t>::max();
  for (std::size_t left = 0, right = 0; right < marks.size(); ++right) {
    have += count[marks[right].unit]++ == 0 ? 1 : 0;
    while (have == wanted) {
      best = std::min(best, std::max(marks[right].end, marks[left].end) - marks[left].at);
      have -= --count[marks[left].unit] == 0 ? 1 : 0;
      ++left;
    }
  }
  return best;
}

double proximity_of(std::vector<UnitMatch> const& matches) {
  std::size_t matched = 0;
  std::size_t length = 0;
  for (UnitMatch const& m : matches) {
    if (m.places.empty()) continue;
    ++matched;
    length += m.length;
  }
  if (matched == 0) return 0;
  double const share = static_cast<double>(matched) / static_cast<double>(matches.size());
  if (matched == 1) return matches.size() == 1 ? 1 : 0;
  std::size_t const window = window_of(matches);
  double const gap = window > length ? static_cast<double>(window - length) : 0;
  return share / (1 + gap / kNearTokens);
}

double section_of(QueryWords const& query, kbrepo::Page const& page, std::string const& heading_path) {
  if (holds_any(kbrepo::index::fold(heading_path), kImportant)) return 1;
  Texts const heading = texts_of(heading_path);
  Texts const title = texts_of(page.title);
  double best = heading_path.empty() ? .1 : .2;
  for (QueryUnit const& unit : query.units) {
    if (match(unit, heading).strength >= kVariant) best = std::max(best, .8);
    if (match(unit, title).strength >= kVariant) best = std::max(best, .6);
  }
  return best;
}

bool has_ordered_list(kbrepo::Page const& page, kbrepo::Passage const& passage) {
  std::size_t items = 0;
  for (std::uint32_t b = passage.first_block; b <= passage.last_block; ++b) {
    if (page.blocks[b].kind != kbrepo::BlockKind::list_item) continue;
    std::string_view const text = page.bytes(page.blocks[b]);
    std::size_t const first = text.find_first_not_of(" \t");
    if (first != text.npos && text[first] >= '0' && text[first] <= '9') ++items;
  }
  return items >= 2;
}

}  // namespace

double keyword_of(QueryWords const& query, std::string_view text) {
  Texts const tokens = texts_of(text);
  if (!query.tokens.empty() && !places_of(tokens, query.tokens).empty()) return 1;
  double sum = 0;
  double all = 0;
  for (QueryUnit const& unit : query.units) {
    sum += weight_of(unit) * match(unit, tokens).strength;
    all += weight_of(unit);
  }
  return all == 0 ? 0 : sum / all;
}

Scored score_passage(QueryWords const& query, kbrepo::Page const& page, kbrepo::Passage const& passage) {
  Scored out;
  std::string_view const body = page.bytes(passage);
  std::string const heading_path = page.heading_path(passage.section);
  Texts const text = texts_of(body);
  std::string name = heading_path + " " + page.title + " " + page.path.substr(0, page.path.rfind('.'));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '_' || c == '/'; }, ' ');
  Texts const names = texts_of(name);
  std::vector<UnitMatch> matches;
  double sum = 0;
  double all = 0;
  bool in_text = false;
  for (QueryUnit const& unit : query.units) {
    UnitMatch found = match(unit, text);
    in_text = in_text || found.strength > 0;
    double strength = found.strength;
    if (strength < kInName && match(unit, names).strength >= kVariant) strength = kInName;
    if (strength > 0) {
      out.matched.push_back(found.variant.empty() ? unit.text : unit.text + " (as " + found.variant + ")");
    }
    sum += weight_of(unit) * strength;
    all += weight_of(unit);
    matches.push_back(std::move(found));
  }
  out.exact = !query.tokens.empty() && !places_of(text, query.tokens).empty();
  out.parts.keyword = out.exact ? 1 : all == 0 ? 0 : sum / all;
  out.name_only = !in_text && !out.matched.empty();
  out.parts.proximity = out.exact ? 1 : proximity_of(matches);
  out.parts.section = section_of(query, page, heading_path);
  std::string const folded = kbrepo::index::fold(body);
  out.steps = holds_any(folded, kStepWords) || has_ordered_list(page, passage);
  out.conditions = holds_any(folded, kConditionWords);
  out.verification = holds_any(folded, kVerificationWords);
  out.parts.coverage = (double(out.steps) + double(out.conditions) + double(out.verification)) / 3;
  return out;
}

}  // namespace kb::protocols
