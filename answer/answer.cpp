#include "answer/answer.hpp"

#include <nlohmann/json.hpp>

namespace kb::answer {
namespace {

using Json = nlohmann::ordered_json;

/// Text of pages and questions can hold anything; what is no UTF-8 becomes U+FFFD instead of an exception.
std::string dump(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_of(Source const& source) {
  Json out{{"title", source.title},
           {"label", source.label},
           {"owner", source.repo.owner},
           {"repo", source.repo.repo},
           {"path", source.path},
           {"commit", source.commit.hex()},
           {"lines", {source.line_begin, source.line_end}},
           {"locator", source.locator},
           {"quote", source.quote},
           {"url", source.url},
           {"author", source.author}};
  out["changed_at"] = source.changed_at ? Json(iso8601(*source.changed_at)) : Json(nullptr);
  return out;
}

Json json_of(std::vector<Source> const& sources) {
  Json out = Json::array();
  for (Source const& source : sources) out.push_back(json_of(source));
  return out;
}

Json json_of(Timings const& took) {
  return {{"scope", took.scope}, {"search", took.search},     {"read", took.read},
          {"draft", took.draft}, {"validate", took.validate}, {"total", took.total}};
}

Json quote_json(RepoId const& repo, std::string const& path, std::string const& text) {
  return {{"owner", repo.owner}, {"repo", repo.repo}, {"path", path}, {"text", text}};
}

/// The sentences of a model, or the quotes of an answer without one.
Json explanation_of(Answer const& answer) {
  Json out = Json::array();
  for (ClaimNote const& note : answer.claims) {
    Json one{{"text", note.text}, {"verdict", note.verdict}, {"guard", note.guard}, {"fate", note.fate}};
    one["reason"] = note.reason;
    one["quotes"] = Json::array();
    for (NotedQuote const& quote : note.quotes) one["quotes"].push_back(quote_json(quote.repo, quote.path, quote.text));
    out.push_back(std::move(one));
  }
  if (answer.drafter == "model" || answer.outcome != Outcome::answered) return out;
  for (Source const& source : answer.sources) {
    Json one{{"text", source.quote}, {"verdict", "verbatim"}, {"guard", "none"}, {"fate", "said"}, {"reason", ""}};
    one["quotes"] = Json::array({quote_json(source.repo, source.path, source.quote)});
    out.push_back(std::move(one));
  }
  return out;
}

bool succeeded(Outcome outcome) noexcept { return outcome != Outcome::scope_refused && outcome != Outcome::error; }

}  // namespace

std::string_view to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::answered:
      return "answered";
    case Outcome::insufficient:
      return "insufficient";
    case Outcome::no_answer:
      return "no_answer";
    case Outcome::scope_refused:
      return "scope_refused";
    case Outcome::handed_off:
      return "handed_off";
    case Outcome::busy:
      return "busy";
    case Outcome::error:
      return "error";
  }
  return "error";
}

std::string_view to_string(Intent intent) noexcept {
  switch (intent) {
    case Intent::project:
      return "project";
    case Intent::person:
      return "person";
    case Intent::concept_:
      return "concept";
    case Intent::resource:
      return "resource";
    case Intent::material:
      return "material";
    case Intent::general:
      return "general";
  }
  return "general";
}

std::string_view to_string(Confidence confidence) noexcept {
  switch (confidence) {
    case Confidence::none:
      return "none";
    case Confidence::low:
      return "low";
    case Confidence::medium:
      return "medium";
    case Confidence::high:
      return "high";
  }
  return "none";
}

std::string to_json(Answer const& answer, bool explained) {
  Json out{{"success", succeeded(answer.outcome)},
           {"outcome", to_string(answer.outcome)},
           {"query_id", answer.query_id},
           {"question", answer.question},
           {"lang", answer.lang == Lang::zh ? "zh" : "en"},
           {"answer", answer.text},
           {"confidence", to_string(answer.confidence)}};
  out["scope"] = answer.scope ? Json(scope::to_string(*answer.scope)) : Json(nullptr);
  out["intent"] = to_string(answer.intent);
  if (!answer.route.empty()) out["route"] = answer.route;
  out["sources"] = json_of(answer.sources);
  Json consulted = Json::array();
  for (Consulted const& page : answer.consulted) consulted.push_back(page.path);
  out["consulted"] = std::move(consulted);
  out["stale_files"] = answer.stale_files;
  out["warnings"] = answer.warnings;
  out["gap"] = answer.gap;
  if (!answer.drafter.empty()) {
    out["drafter"] = answer.drafter;
    if (!answer.model_fault.empty()) out["model_fault"] = answer.model_fault;
    out["claims"] = Json::array();
    for (ClaimNote const& note : answer.claims) {
      out["claims"].push_back(
          {{"text", note.text}, {"verdict", note.verdict}, {"guard", note.guard}, {"fate", note.fate}});
    }
  }
  if (explained) out["explain"] = explanation_of(answer);
  if (!answer.handed_to.empty()) out["handed_to"] = answer.handed_to;
  if (!answer.scope_error.empty()) {  // the scope object's own names, so that one reader serves both
    out["error"] = answer.scope_error;
    out["message"] = answer.text;
  }
  out["took_us"] = json_of(answer.took_us);
  return dump(out);
}

std::string sources_json(Answer const& answer) { return dump(json_of(answer.sources)); }

}  // namespace kb::answer
