// What brain_query prints and logs.
#include <nlohmann/json.hpp>

#include "answer/protocols/brain.hpp"
#include "answer/protocols/identity.hpp"
#include "kbrepo/lines.hpp"

namespace kb::protocols {
namespace {

using Json = nlohmann::ordered_json;

std::string print(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string three_digits(std::size_t n) {
  std::string const text = std::to_string(n);
  return text.size() >= 3 ? text : std::string(3 - text.size(), '0') + text;
}

}  // namespace

std::string to_json(BrainReply const& reply) {
  if (!reply.error.empty()) return print({{"success", false}, {"error", "bad_request"}, {"message", reply.error}});
  Json answers = Json::array();
  for (BrainAnswer const& answer : reply.answers) {
    Json row{{"question", answer.question},
             {"answer", answer.answer},
             {"confidence", answer.confidence},
             {"sources", answer.sources}};
    if (answer.gap) row["gap"] = true;
    row["consulted"] = answer.read;
    if (!answer.see_also.empty()) row["see_also"] = answer.see_also;
    answers.push_back(std::move(row));
  }
  Json out{{"answers", std::move(answers)}};
  if (!reply.warnings.empty()) out["warnings"] = reply.warnings;
  return print(out);
}

std::vector<Gap> parse_gaps(std::string_view jsonl) {
  std::vector<Gap> out;
  kbrepo::LineReader lines(jsonl);
  while (auto const line = lines.next()) {
    Json const json = Json::parse(line->of(jsonl), nullptr, false);
    if (!json.is_object()) continue;
    auto const text = [&json](char const* name) {
      auto const at = json.find(name);
      return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
    };
    Gap gap;
    gap.id = text("gap_id");
    gap.query = json.contains("query") ? text("query") : text("question");
    auto const confidence = json.find("confidence");
    if (confidence != json.end() && confidence->is_number()) gap.confidence = confidence->get<double>();
    auto const resolved = json.find("resolved");
    gap.resolved = resolved != json.end() && resolved->is_boolean() && resolved->get<bool>();
    if (!gap.query.empty()) out.push_back(std::move(gap));
  }
  return out;
}

std::string gap_lines(BrainReply const& reply, std::string_view cycle_id, TimePoint now, std::string_view existing) {
  std::size_t number = parse_gaps(existing).size();
  std::string const time = iso8601(now);
  std::string out;
  for (BrainAnswer const& answer : reply.answers) {
    if (!answer.gap) continue;
    double const confidence = answer.confidence == "high" ? .9 : answer.confidence == "medium" ? .6 : .1;
    out += print({{"gap_id", "GAP-" + time.substr(0, 10) + "-" + three_digits(++number)},
                  {"cycle_id", cycle_id},
                  {"phase", "brain"},
                  {"query", answer.question},
                  {"confidence", confidence},
                  {"resolved", false},
                  {"logged_at", time}}) +
           "\n";
  }
  return out;
}

std::string event_lines(BrainReply const& reply, std::string_view cycle_id, TimePoint now) {
  std::string const time = iso8601(now);
  std::string all;
  for (BrainAnswer const& answer : reply.answers) all += answer.question + "\n";
  std::string const call = short_hash(std::string(cycle_id) + time + all);
  std::string out;
  std::size_t number = 0;
  auto const add = [&](char const* type, char const* message, Json input, Json output, Json metadata) {
    Json event{{"event_id", "EV-" + call + "-" + three_digits(++number)},
               {"cycle_id", cycle_id},
               {"phase", "brain"},
               {"skill", "brain-query"},
               {"event_type", type},
               {"input_refs", std::move(input)},
               {"output_refs", std::move(output)},
               {"started_at", time},
               {"message", message}};
    if (!metadata.is_null()) event["metadata"] = std::move(metadata);
    out += print(event) + "\n";
  };
  Json questions = Json::array();
  std::size_t gaps = 0;
  for (BrainAnswer const& answer : reply.answers) {
    questions.push_back(answer.question);
    gaps += answer.gap ? 1 : 0;
  }
  add("start", "brain-query.start", Json::array(), Json::array(), {{"questions", questions}});
  for (BrainAnswer const& answer : reply.answers) {
    bool const hit = answer.confidence != "low";
    add("log", hit ? "brain-query.hit" : "brain-query.gap", answer.read, answer.sources,
        {{"question", answer.question}, {"confidence", answer.confidence}});
  }
  add("end", "brain-query.end", Json::array(), Json::array(), {{"questions", reply.answers.size()}, {"gaps", gaps}});
  return out;
}

}  // namespace kb::protocols
