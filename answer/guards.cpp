#include "answer/guards.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "answer/characters.hpp"
#include "answer/likeness.hpp"
#include "answer/quotes.hpp"

namespace kb::answer {
namespace {

using Words = std::span<std::string_view const>;

constexpr std::string_view kModalHan[] = {"可能", "也许", "也許", "或许", "或許", "大概", "应该", "應該", "应当",
                                          "應當", "必须", "必須", "可以", "计划", "計劃", "打算", "建议", "建議",
                                          "考虑", "考慮", "预计", "預計", "暂定", "暫定", "尽量", "盡量"};
constexpr std::string_view kModalLatin[] = {"may",     "might",   "could",    "would",   "should",   "must",
                                            "can",     "will",    "shall",    "plan",    "plans",    "plan",
                                            "planned", "propose", "proposed", "perhaps", "probably", "possibly",
                                            "likely",  "usually", "expects",  "optional"};
constexpr std::string_view kCompareHan[] = {"大于", "大於", "小于", "小於", "高于", "高於", "低于", "低於",
                                            "超过", "超過", "至少", "至多", "最多", "最少", "以上", "以下",
                                            "以内", "以內", "多于", "多於", "少于", "少於", "早于", "早於",
                                            "晚于", "晚於", "之前", "之后", "之後", "最大", "最小", "优于"};
constexpr std::string_view kCompareLatin[] = {"more",   "less",   "greater", "fewer",   "higher", "lower",  "over",
                                              "under",  "above",  "below",   "before",  "after",  "larger", "smaller",
                                              "most",   "least",  "faster",  "slower",  "better", "worse",  "until",
                                              "within", "exceed", "exceeds", "minimum", "maximum"};

/// Behind a number no unit.
constexpr std::string_view kGlue[] = {"is", "are", "of", "the", "and", "or", "in", "to", "for", "on", "at"};

/// How often each of the words stands in a text.
std::map<std::string_view, int> count_words(std::string_view text, Words han, Words latin) {
  std::map<std::string_view, int> out;
  for (std::string_view const word : han) {
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) ++out[word];
  }
  for (std::string const& unit : units_of(text)) {
    auto const found = std::find(latin.begin(), latin.end(), lower_ascii(unit));
    if (found != latin.end()) ++out[*found];
  }
  return out;
}

bool is_token(char c) noexcept { return is_ascii_alnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Latin words whose letter case matters: with a digit or underscore, or right behind a number.
std::vector<std::string_view> signs_of(std::string_view text) {
  std::vector<std::string_view> out;
  bool after_number = false;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_token(text[at])) {
      if (text[at] != ' ') after_number = false;
      ++at;
      continue;
    }
    std::size_t const begin = at;
    while (at < text.size() && is_token(text[at])) ++at;
    std::string_view const token = text.substr(begin, at - begin);
    bool const letters =
        std::any_of(token.begin(), token.end(), [](char c) { return is_token(c) && (c < '0' || c > '9'); });
    bool const digits =
        std::any_of(token.begin(), token.end(), [](char c) { return is_digit(static_cast<unsigned char>(c)); });
    bool const marked = digits || token.find('_') != token.npos;
    bool const glue = std::find(std::begin(kGlue), std::end(kGlue), token) != std::end(kGlue);
    if (letters && (marked || (after_number && !glue))) out.push_back(token);
    after_number = !letters;
  }
  return out;
}

bool same_number(std::string_view sentence, std::string_view evidence) {
  std::vector<std::string> const known = numbers_of(evidence);
  std::vector<std::string> const said = numbers_of(sentence);
  return std::all_of(said.begin(), said.end(),
                     [&](std::string const& n) { return std::find(known.begin(), known.end(), n) != known.end(); });
}

/// Each number with the character or Latin word behind it.
std::set<std::string> quantities_of(std::string_view text) {
  std::set<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    std::string quantity;
    while (at < text.size() && (is_digit(static_cast<unsigned char>(text[at])) || text[at] == '.' || text[at] == ',')) {
      quantity += text[at++];
    }
    while (at < text.size() && text[at] == ' ') ++at;
    if (at == text.size()) break;
    std::size_t const unit = at;
    if (is_token(text[at])) {
      while (at < text.size() && is_token(text[at])) ++at;
    } else {
      char32_t const code = next_char(text, at);
      if (!is_han(code) && code != '%' && code != U'℃' && code != U'°' && code != U'‰') continue;
    }
    out.insert(quantity + ' ' + std::string(text.substr(unit, at - unit)));
  }
  return out;
}

bool same_quantities(std::string_view sentence, std::string_view evidence) {
  std::set<std::string> const known = quantities_of(evidence);
  std::set<std::string> const said = quantities_of(sentence);
  return std::includes(known.begin(), known.end(), said.begin(), said.end());
}

/// Runs of the sentence's units that the evidence does not hold.
bool names_somebody_else(std::vector<std::string> const& sentence, std::vector<std::string> const& evidence) {
  std::set<std::string> const known(evidence.begin(), evidence.end());
  std::vector<std::string> run;
  for (std::size_t i = 0; i <= sentence.size(); ++i) {
    if (i < sentence.size() && !known.contains(sentence[i])) {
      run.push_back(sentence[i]);
      continue;
    }
    if (is_name(run)) return true;
    run.clear();
  }
  return false;
}

}  // namespace

std::string_view to_string(Guard guard) noexcept {
  switch (guard) {
    case Guard::none:
      return "none";
    case Guard::number:
      return "number";
    case Guard::unit:
      return "unit";
    case Guard::link:
      return "link";
    case Guard::identifier:
      return "identifier";
    case Guard::name:
      return "name";
    case Guard::negation:
      return "negation";
    case Guard::modality:
      return "modality";
    case Guard::comparison:
      return "comparison";
    case Guard::swapped:
      return "swapped";
    case Guard::too_short:
      return "too_short";
  }
  return "none";
}

bool keeps_signs(std::string_view sentence, std::string_view evidence) {
  std::vector<std::string_view> const said = signs_of(sentence);
  if (said.empty()) return true;
  std::vector<std::string_view> const known = signs_of(evidence);
  return std::all_of(said.begin(), said.end(),
                     [&](std::string_view sign) { return std::find(known.begin(), known.end(), sign) != known.end(); });
}

Guard departs(std::string_view sentence, std::string_view evidence) {
  if (!same_number(sentence, evidence)) return Guard::number;
  if (!same_quantities(sentence, evidence)) return Guard::unit;
  if (!keeps_signs(sentence, evidence)) return Guard::identifier;
  if (negations_in(sentence) != negations_in(evidence)) return Guard::negation;
  if (count_words(sentence, kModalHan, kModalLatin) != count_words(evidence, kModalHan, kModalLatin))
    return Guard::modality;
  if (count_words(sentence, kCompareHan, kCompareLatin) != count_words(evidence, kCompareHan, kCompareLatin))
    return Guard::comparison;
  std::vector<std::string> said = units_of(sentence);
  std::vector<std::string> known = units_of(evidence);
  if (names_somebody_else(said, known)) return Guard::name;
  if (said == known) return Guard::none;
  std::sort(said.begin(), said.end());
  std::sort(known.begin(), known.end());
  return said == known ? Guard::swapped : Guard::none;
}

}  // namespace kb::answer
