#include "answer/protocols/hit_list.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace kb::protocols {
namespace {

using Json = nlohmann::ordered_json;

/// Two decimals, half up, the same on every machine.
std::string two_decimals(double score) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", score + 1e-9);
  return text;
}

/// RFC 4180; a cell that a spreadsheet would take for a formula is text here all the same: it is quoted, not changed.
std::string cell(std::string_view text) {
  bool const plain = text.find_first_of(",\"\r\n") == text.npos && !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) return std::string(text);
  std::string out = "\"";
  for (char const c : text) out.append(c == '"' ? "\"\"" : std::string(1, c));
  return out + "\"";
}

std::string file_path(Hit const& hit) { return hit.repo.str() + "/" + hit.path; }

std::string value_of(Hit const& hit, std::string_view column) {
  if (column == "file_path") return file_path(hit);
  if (column == "location") return hit.location;
  if (column == "snippet") return hit.snippet;
  if (column == "relevance_score") return two_decimals(hit.score.parts.total());
  if (column == "notes") return hit.notes;
  if (column == "owner") return hit.repo.owner;
  if (column == "repo") return hit.repo.repo;
  if (column == "commit") return hit.commit.hex();
  if (column == "lines") return hit.lines;
  if (column == "title") return hit.title;
  if (column == "url") return hit.url;
  if (column == "date") return hit.date;
  if (column == "heading") return hit.heading_form;
  return {};
}

std::vector<std::string> columns_of(std::string_view header) {
  if (header.starts_with("\xEF\xBB\xBF")) header.remove_prefix(3);
  header = header.substr(0, header.find_first_of("\r\n"));
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= header.size();) {
    std::size_t const to = std::min(header.find(',', from), header.size());
    out.emplace_back(header.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

Json query_json(QueryWords const& query) {
  Json variants = Json::object();
  for (QueryUnit const& unit : query.units) {
    if (!unit.variants.empty()) variants[unit.text] = unit.variants;
  }
  return {{"keywords", query.tokens},
          {"entities", query.texts(QueryUnit::Kind::entity)},
          {"actions", query.texts(QueryUnit::Kind::action)},
          {"constraints", query.texts(QueryUnit::Kind::constraint)},
          {"variants", std::move(variants)}};
}

Json hit_json(Hit const& hit, bool explain) {
  Json out{{"file_path", file_path(hit)}, {"owner", hit.repo.owner},
           {"repo", hit.repo.repo},       {"path", hit.path},
           {"commit", hit.commit.hex()},  {"title", hit.title},
           {"location", hit.location},    {"lines", Json::array({hit.line_begin, hit.line_end})},
           {"snippet", hit.snippet},      {"relevance_score", Json::parse(two_decimals(hit.score.parts.total()))},
           {"score_kind", "weighted"},    {"notes", hit.notes}};
  if (!hit.heading_form.empty()) out["heading"] = hit.heading_form;
  if (!hit.url.empty()) out["url"] = hit.url;
  if (!hit.date.empty()) out["date"] = hit.date;
  if (explain) {
    HitParts const& parts = hit.score.parts;
    out["score"] = parts.total();
    out["parts"] = {{"keyword", {{"weight", kKeywordWeight}, {"value", parts.keyword}, {"exact", hit.score.exact}}},
                    {"proximity", {{"weight", kProximityWeight}, {"value", parts.proximity}}},
                    {"section", {{"weight", kSectionWeight}, {"value", parts.section}}},
                    {"coverage", {{"weight", kCoverageWeight}, {"value", parts.coverage}}}};
    out["matched"] = hit.score.matched;
  }
  return out;
}

Json root_json(RootStatus const& root, std::string const& method) {
  return {{"owner", root.repo.owner},
          {"repo", root.repo.repo},
          {"commit", root.commit.hex()},
          {"updated", root.updated},
          {"pages", root.pages},
          {"indices",
           {{"filename", true}, {"content", root.content_index}, {"vector", false}, {"page_index", root.page_indices}}},
          {"searched_by", method}};
}

}  // namespace

std::string to_csv(HitList const& list, std::string_view header) {
  std::vector<std::string> const columns = columns_of(header);
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) out.append(i == 0 ? "" : ",").append(columns[i]);
  out += "\n";
  for (Hit const& hit : list.hits) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      out.append(i == 0 ? "" : ",").append(cell(value_of(hit, columns[i])));
    out += "\n";
  }
  return out;
}

std::string to_json(HitList const& list, bool explain) {
  Json hits = Json::array();
  for (Hit const& hit : list.hits) hits.push_back(hit_json(hit, explain));
  Json roots = Json::array();
  for (RootStatus const& root : list.roots) roots.push_back(root_json(root, list.method));
  Json out{{"success", list.fault.empty()}, {"query", list.query.text}, {"method", list.method}};
  if (!list.fault.empty()) out = {{"success", false}, {"error", "bad_request"}, {"message", list.fault}};
  if (list.fault.empty()) {
    if (explain) out["understood"] = query_json(list.query);
    out["hits"] = std::move(hits);
    out["roots"] = std::move(roots);
    out["notes"] = list.notes;
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kb::protocols
