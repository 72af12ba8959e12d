#include "daemon/scoring.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "daemon/json_out.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::daemon {
namespace {

std::vector<std::string> strings_of(Json const& array) {
  std::vector<std::string> out;
  for (Json const& item : array) out.push_back(item.get<std::string>());
  return out;
}

GoldQuestion question_of(Json const& json) {
  GoldQuestion q;
  q.id = json.value("id", "");
  q.question = json.at("question").get<std::string>();
  q.type = json.value("type", "");
  q.lang = json.value("lang", "");
  q.answerable = json.value("answerable", false);
  if (json.contains("gold_pages") && json["gold_pages"].is_array()) q.gold_pages = strings_of(json["gold_pages"]);
  if (json.contains("answer_contains") && json["answer_contains"].is_array()) {
    for (Json const& group : json["answer_contains"]) q.answer_contains.push_back(strings_of(group));
  }
  if (json.contains("main_lines") && json["main_lines"].is_array()) {
    q.line_begin = json["main_lines"].at(0).get<std::uint32_t>();
    q.line_end = json["main_lines"].at(1).get<std::uint32_t>();
  }
  return q;
}

/// Folded, without Markdown's marks and without white space: how the sets are meant to be compared.
std::string bare(std::string_view text) {
  std::string out;
  for (char const c : kbrepo::index::fold(text)) {
    bool const mark = c == '*' || c == '`' || c == '$' || c == '\\';
    bool const space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!mark && !space) out += c;
  }
  return out;
}

bool holds_group(std::string const& bare_text, std::vector<std::string> const& group) {
  return std::any_of(group.begin(), group.end(),
                     [&](std::string const& s) { return bare_text.find(bare(s)) != std::string::npos; });
}

bool is_gold(GoldQuestion const& gold, std::string const& path) {
  return std::find(gold.gold_pages.begin(), gold.gold_pages.end(), path) != gold.gold_pages.end();
}

bool lines_fit(GoldQuestion const& gold, answer::Source const& source) {
  bool const main_page = !gold.gold_pages.empty() && source.path == gold.gold_pages.front();
  if (main_page && source.line_begin <= gold.line_end && source.line_end >= gold.line_begin) return true;
  std::string const quote = bare(source.quote);
  return std::any_of(gold.answer_contains.begin(), gold.answer_contains.end(),
                     [&](std::vector<std::string> const& group) { return holds_group(quote, group); });
}

/// odd, even, or nothing for an id that does not end in a number.
std::string half_of(std::string_view id) {
  if (id.empty() || id.back() < '0' || id.back() > '9') return {};
  return (id.back() - '0') % 2 == 1 ? "odd" : "even";
}

double share(std::size_t part, std::size_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Result<std::vector<GoldQuestion>> parse_questions(std::string_view jsonl) {
  std::vector<GoldQuestion> out;
  std::size_t number = 0;
  while (!jsonl.empty()) {
    auto const end = jsonl.find('\n');
    std::string_view const line = jsonl.substr(0, end);
    jsonl.remove_prefix(end == jsonl.npos ? jsonl.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    try {
      out.push_back(question_of(Json::parse(line)));
    } catch (Json::exception const& fault) {
      return Error(Errc::invalid_input, "line " + std::to_string(number) + ": " + fault.what());
    }
  }
  return out;
}

Score score(GoldQuestion const& gold, std::vector<answer::Found> const& found, answer::Answer const& answer) {
  Score out;
  std::vector<std::string> pages;
  for (answer::Found const& hit : found) {
    if (std::find(pages.begin(), pages.end(), hit.path) != pages.end()) continue;
    pages.push_back(hit.path);
    if (out.page_rank == 0 && is_gold(gold, hit.path)) out.page_rank = pages.size();
  }
  out.answered = answer.outcome == answer::Outcome::answered;
  out.insufficient = answer.outcome == answer::Outcome::insufficient;
  std::string const text = bare(answer.text);
  out.contains = !gold.answer_contains.empty() &&
                 std::all_of(gold.answer_contains.begin(), gold.answer_contains.end(),
                             [&](std::vector<std::string> const& group) { return holds_group(text, group); });
  for (answer::Source const& source : answer.sources) {
    if (!is_gold(gold, source.path)) continue;
    out.cites_page = true;
    out.cites_lines = out.cites_lines || lines_fit(gold, source);
  }
  out.took_us = answer.took_us.total;
  return out;
}

Totals total(std::vector<GoldQuestion> const& questions, std::vector<Score> const& scores) {
  Totals t;
  std::vector<std::uint64_t> times;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    Score const& s = scores[i];
    ++t.questions;
    times.push_back(s.took_us);
    if (!questions[i].answerable) {
      ++t.unanswerable;
      t.wrongly_answered += s.answered;
      t.unanswerable_refused += !s.answered && !s.insufficient;
      continue;
    }
    ++t.answerable;
    t.page1 += s.page_rank == 1;
    t.page5 += s.page_rank >= 1 && s.page_rank <= 5;
    t.page10 += s.page_rank >= 1 && s.page_rank <= 10;
    t.answered += s.answered;
    t.answered_right_page += s.answered && s.cites_page;
    t.answered_contains += s.answered && s.contains;
    t.sent_contains += s.contains;
    t.cited_page += s.cites_page;
    t.cited_lines += s.cites_lines;
    t.refused_plainly += !s.answered && !s.insufficient;
  }
  if (times.empty()) return t;
  std::sort(times.begin(), times.end());
  t.median_us = times[times.size() / 2];
  t.p99_us = times[(times.size() - 1) * 99 / 100];
  return t;
}

double Totals::wrong_answer_rate() const noexcept {
  return share(wrongly_answered + answered - answered_right_page, questions);
}

double Totals::needless_refusal_rate() const noexcept { return share(refused_plainly, answerable); }

std::vector<Group> groups(std::vector<GoldQuestion> const& questions, std::vector<Score> const& scores) {
  std::vector<Group> out{{"all", total(questions, scores)}};
  auto const split = [&](auto const& name_of) {
    std::map<std::string, std::pair<std::vector<GoldQuestion>, std::vector<Score>>> parts;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      std::string name = name_of(questions[i]);
      if (name.empty()) continue;
      auto& [part, part_scores] = parts[std::move(name)];
      part.push_back(questions[i]);
      part_scores.push_back(scores[i]);
    }
    for (auto const& [name, part] : parts) out.push_back({name, total(part.first, part.second)});
  };
  split([](GoldQuestion const& q) { return half_of(q.id); });
  split([](GoldQuestion const& q) { return q.lang; });
  split([](GoldQuestion const& q) { return q.type; });
  return out;
}

}  // namespace kb::daemon
