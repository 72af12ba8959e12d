#include "answer/protocols/project_query.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "answer/protocols/budget.hpp"
#include "answer/protocols/graph.hpp"
#include "kbrepo/ascii.hpp"
#include "kbrepo/index/terms.hpp"
#include "kbrepo/lines.hpp"

namespace kb::protocols {
namespace {

using kbrepo::Page;
using kbrepo::PageInfo;
using PagePtr = std::shared_ptr<Page const>;

constexpr std::size_t kMaxFile = 16 * 1024 * 1024;
constexpr std::size_t kTopologyTokens = 200;

// To the letter (S0-11, 13, 70, 77, 78, 79).
constexpr char kGenerate[] = "Run kb-engineer or vp-onboarding to generate KB for this project";
constexpr char kIncomplete[] = "KB directory exists but is incomplete. Run kb-engineer with mode=full";
constexpr char kOutdated[] = "This content may be outdated. Run kb-engineer with mode=refresh-stale";
constexpr char kSpelling[] = "Check module name spelling, or run refresh";
constexpr char kFull[] = "Run kb-engineer with mode=full";
constexpr char kCorrupted[] = "KB may be corrupted, regenerate";

constexpr std::array<std::string_view, 7> kTypes{"overview",     "module", "service",         "dependency",
                                                 "relationship", "search", "service-topology"};

bool needs_target(std::string_view type) { return type != "overview" && type != "service-topology"; }

/// Names, not paths (C-19).
bool is_name(std::string_view text) {
  return !text.empty() && text != "." && text.find("..") == text.npos && text.find_first_of("/\\\n\r") == text.npos &&
         text.find('\0') == text.npos;
}

std::string_view body_of(Page const& page) {
  std::string_view const text = page.text;
  kbrepo::LineReader lines(text);
  for (std::uint32_t i = 0; i < page.front.lines; ++i) (void)lines.next();
  std::string_view body = text.substr(lines.position());
  while (body.starts_with('\n') || body.starts_with("\r\n")) body.remove_prefix(body.front() == '\r' ? 2 : 1);
  return body;
}

/// N-10: what was taken out of use.
bool is_withdrawn(Page const& page) {
  std::string_view const head = std::string_view(page.text).substr(0, page.text.size() - body_of(page).size());
  for (std::string_view const state : {"demoted", "quarantined", "invalidated"}) {
    auto const at = head.find("lifecycle_state:");
    if (at != head.npos && head.substr(at, 60).find(state) != head.npos) return true;
  }
  return page.path.find("quarantine/") != page.path.npos || page.path.find("archive/") != page.path.npos;
}

bool is_name_char(char c) {
  auto const u = static_cast<unsigned char>(c);
  return u >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_' || c == '-' || c == '.';
}

/// C-17: whether a text names `target` as a whole: "auth" is not in "oauth", nor in "auth-service".
bool names(std::string_view text, std::string_view target) {
  std::string const folded = kbrepo::index::fold(text);
  std::string const wanted = kbrepo::index::fold(target);
  if (wanted.empty()) return false;
  bool const wide = static_cast<unsigned char>(wanted.front()) >= 0x80;
  for (auto at = folded.find(wanted); at != folded.npos; at = folded.find(wanted, at + 1)) {
    std::size_t end = at + wanted.size();
    if (wide) return true;
    if (at > 0 && is_name_char(folded[at - 1])) continue;
    if (std::string_view(folded).substr(end).starts_with(".md")) end += 3;
    bool const dot_ends =
        end < folded.size() && folded[end] == '.' && (end + 1 == folded.size() || !is_name_char(folded[end + 1]));
    if (end == folded.size() || dot_ends || !is_name_char(folded[end])) return true;
  }
  return false;
}

struct Place {
  Book const* book = nullptr;
  std::string prefix;   ///< "projects/myapp/" or ""
  std::string kb_path;  ///< as people write it, with a slash at its end
};

/// "~/.cursor/docs/knowledge-base/" of a plain directory, else "owner/repo/".
std::string root_of(Book const& book) {
  std::string dir = book.snapshot->settings().dir.string();
  if (dir.empty()) return book.snapshot->repo().str() + "/";
  char const* const home = std::getenv("HOME");
  std::string const base = home == nullptr ? std::string() : home;
  if (!base.empty() && dir.starts_with(base + "/")) dir = "~" + dir.substr(base.size());
  while (dir.ends_with('/')) dir.pop_back();
  return dir + "/";
}

class Answerer {
 public:
  Answerer(std::span<Book const> books, ProjectQuery const& query) : books_(books), query_(query) {}

  ProjectReply run() {
    if (!resolve()) return std::move(out_);
    if (!exists() || !check_identity() || !check_type()) return std::move(out_);
    std::string const& type = query_.query_type;
    bool good = false;
    if (type == "overview") good = overview();
    if (type == "module") good = indexed("modules", "Module");
    if (type == "service") good = indexed("services", "Service");
    if (type == "dependency") good = dependency();
    if (type == "relationship") good = relationship();
    if (type == "search") good = search();
    if (type == "service-topology") good = topology();
    if (good && query_.deep) good = check_manifest();
    if (good) finish();
    if (query_.absolute_paths) make_absolute();
    return std::move(out_);
  }

 private:
  bool fail(ProjectStatus status, std::string error, std::string suggestion) {
    out_.status = status;
    out_.error = std::move(error);
    out_.suggestion = std::move(suggestion);
    out_.content.clear();
    return false;
  }
  bool corrupted(std::string const& path) { return fail(ProjectStatus::error, path + " does not parse", kCorrupted); }

  // ---- which knowledge base -----------------------------------------------------------------------------------------
  bool resolve() {
    if (!query_.project_name.empty()) {
      out_.project_name = query_.project_name;  // S0-5: as it is
    } else if (query_.identity) {
      if (query_.identity->status != "success") return fail(ProjectStatus::error, query_.identity->error, "");
      out_.project_name = query_.identity->project_name;
    } else {
      return fail(ProjectStatus::error, "project_name or project_root is required", "");
    }
    if (!is_name(out_.project_name)) return fail(ProjectStatus::kb_not_exists, "", kGenerate);
    std::vector<Place> places;
    for (Book const& book : books_) {
      std::string const folder = "projects/" + out_.project_name;
      if (book.snapshot->has_folder(book.grant, folder)) {
        places.push_back({&book, folder + "/", root_of(book) + folder + "/"});
      } else if (book.snapshot->repo().repo == out_.project_name) {
        places.push_back({&book, "", root_of(book)});
      }
    }
    if (places.empty()) return fail(ProjectStatus::kb_not_exists, "", kGenerate);
    place_ = places.front();
    if (query_.identity && !query_.identity->identity_hash.empty()) {
      // Two organisations may have a repository of one name: the one whose hash fits (N-3).
      auto const fits = std::find_if(places.begin(), places.end(), [&](Place const& place) {
        return hash_at(place) == query_.identity->identity_hash;
      });
      if (fits != places.end()) {
        place_ = *fits;
      } else if (std::string const other = hash_at(place_); !other.empty()) {
        out_.warnings.push_back("this knowledge base was made for " + out_.project_name + "-" + other + ", not for " +
                                query_.identity->full_identity);
      }
    } else if (places.size() > 1) {
      out_.warnings.push_back(std::to_string(places.size()) + " knowledge bases have a project " + out_.project_name +
                              "; the first is used");
    }
    out_.kb_path = place_.kb_path;
    out_.repo = place_.book->snapshot->repo();
    return true;
  }

  std::string hash_at(Place const& place) const {
    auto const text = place.book->snapshot->file(place.book->grant, place.prefix + ".meta/identity.json", kMaxFile);
    if (!text) return {};
    auto const json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || !json.contains("identity_hash") || !json["identity_hash"].is_string()) return {};
    return json["identity_hash"].get<std::string>();
  }

  // ---- files --------------------------------------------------------------------------------------------------------
  PageInfo const* info(std::string const& path) const {
    return place_.book->snapshot->find(place_.book->grant, place_.prefix + path);
  }
  PagePtr page(std::string const& path) {
    Result<PagePtr> const found = place_.book->snapshot->read(place_.book->grant, place_.prefix + path);
    if (!found) return nullptr;
    out_.read.push_back(path);
    return *found;
  }
  Result<std::string> file(std::string const& path) {
    Result<std::string> text = place_.book->snapshot->file(place_.book->grant, place_.prefix + path, kMaxFile);
    if (text) out_.read.push_back(path);
    return text;
  }

  bool exists() {
    hub_ = "README.md";
    if (info(hub_) != nullptr) return true;
    std::string const later = out_.project_name + ".md";  // N-9, C-24
    if (info(later) == nullptr) return fail(ProjectStatus::kb_not_exists, "", kIncomplete);
    hub_ = later;
    return true;
  }

  bool check_identity() {
    Result<std::string> const text = file(".meta/identity.json");
    if (!text) return true;  // S0-17
    auto const json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object()) return corrupted(".meta/identity.json");
    auto const refresh = json.find("needs_refresh");
    bool const stale = refresh != json.end() && refresh->is_boolean() && refresh->get<bool>();
    if (stale) out_.stale_files.emplace_back("identity.json (needs_refresh=true)");
    return true;
  }

  bool check_type() {
    bool const known = std::find(kTypes.begin(), kTypes.end(), query_.query_type) != kTypes.end();
    if (!known) return fail(ProjectStatus::error, "Unknown query_type '" + query_.query_type + "'", "");
    if (needs_target(query_.query_type) && query_.target.empty()) {
      return fail(ProjectStatus::error, "target is required for query_type '" + query_.query_type + "'", "");
    }
    return true;
  }

  [[nodiscard]] std::size_t budget() const {
    if (query_.max_tokens) return *query_.max_tokens;
    return query_.level ? tokens_of_level(*query_.level) : kDefaultTokens;
  }

  /// False: the page does not parse.
  bool note_stale(Page const& page, std::string const& path) {
    if (!page.front.fault.empty()) return corrupted(path);
    if (page.front.stale) out_.stale_files.push_back(path);
    return true;
  }

  // ---- the query types ----------------------------------------------------------------------------------------------
  bool overview() {
    int const level = query_.level.value_or(-1);
    if (level == 0) {  // S0-54, S0-86: told from the table of pages, no page is opened
      PageInfo const* hub = info(hub_);
      out_.content = cut_to("# " + hub->title + "\n\nproject knowledge base of " + out_.project_name, budget());
      if (hub->stale) out_.stale_files.push_back(hub_);
      out_.sources = {hub_};
      return true;
    }
    PagePtr const readme = page(hub_);
    if (!readme) return fail(ProjectStatus::error, hub_ + " cannot be read", kCorrupted);
    if (!note_stale(*readme, hub_)) return false;
    std::string text(body_of(*readme));
    out_.sources = {hub_};
    if (level == 1) {
      text += list_of("modules") + list_of("services");
    } else if (level >= 2) {
      if (!append("architecture.md", text)) return false;
      if (level >= 3 && !append_graph(text)) return false;
    }
    out_.content = cut_to(text, budget());
    return true;
  }

  /// Names of an index, from the table of pages.
  std::string list_of(std::string const& folder) {
    std::string out;
    std::string const prefix = place_.prefix + folder + "/";
    for (PageInfo const& one : place_.book->snapshot->pages(place_.book->grant)) {
      bool const below = one.path.starts_with(prefix) && one.path.find('/', prefix.size()) == one.path.npos;
      std::string const name = below ? one.path.substr(prefix.size()) : std::string();
      if (!below || name == "_index.md") continue;
      out.append(out.empty() ? "\n\n" + folder + ": " : ", ").append(name.substr(0, name.rfind('.')));
    }
    return out;
  }

  bool append(std::string const& path, std::string& text) {
    PagePtr const more = page(path);
    if (!more || is_withdrawn(*more)) return true;
    if (!note_stale(*more, path)) return false;
    text.append("\n\n").append(body_of(*more));
    out_.sources.push_back(path);
    return true;
  }

  bool append_graph(std::string& text) {
    Result<std::string> const json = file("graph.json");
    if (!json) return true;
    std::optional<Graph> const graph = parse_graph(*json);
    if (!graph) return corrupted("graph.json");
    text += "\n\ngraph: " + std::to_string(graph->nodes.size()) + " nodes, " + std::to_string(graph->edges.size()) +
            " edges";
    out_.sources.emplace_back("graph.json");
    return true;
  }

  bool indexed(std::string const& folder, std::string const& what) {
    std::string const missing = what + " '" + query_.target + "' not found in KB";
    if (!is_name(query_.target)) return fail(ProjectStatus::not_found, missing, kSpelling);
    std::string const index_path = folder + "/_index.md";
    if (PagePtr const index = page(index_path)) {
      out_.sources.push_back(index_path);
      if (!note_stale(*index, index_path)) return false;
      if (!names(body_of(*index), query_.target)) return fail(ProjectStatus::not_found, missing, kSpelling);
    }
    std::string const path = folder + "/" + query_.target + ".md";
    PagePtr const doc = page(path);
    if (!doc || is_withdrawn(*doc)) {
      std::string const shown = query_.absolute_paths ? out_.kb_path + path : path;
      return fail(ProjectStatus::not_found, what + " doc not found: " + shown, kSpelling);
    }
    out_.sources.push_back(path);
    if (!note_stale(*doc, path)) return false;
    out_.content = cut_to(body_of(*doc), budget());
    return true;
  }

  bool dependency() {
    std::string const path = "dependencies.md";
    PagePtr const doc = page(path);
    if (!doc) return fail(ProjectStatus::not_found, "dependencies.md not found", kFull);
    out_.sources = {path};
    if (!note_stale(*doc, path)) return false;
    std::string const section = query_.target == "*" ? std::string(body_of(*doc)) : dependency_section(*doc);
    if (section.empty()) {
      return fail(ProjectStatus::not_found, "Dependency '" + query_.target + "' not found", kSpelling);
    }
    out_.content = cut_to(section, budget());
    return true;
  }

  /// The section under a heading that names the target; else the item or row that begins with it.
  std::string dependency_section(Page const& doc) const {
    std::string const wanted = kbrepo::index::fold(query_.target);
    for (std::uint32_t s = 1; s < doc.sections.size(); ++s) {
      if (kbrepo::index::fold(doc.sections[s].heading) != wanted && !names(doc.sections[s].heading, query_.target))
        continue;
      std::uint32_t until = 0;  // the line of the next heading that is not below this one
      for (std::uint32_t next = s + 1; next < doc.sections.size() && until == 0; ++next) {
        if (doc.sections[next].level <= doc.sections[s].level) until = doc.sections[next].line;
      }
      return lines_of(doc, doc.sections[s].line, until);
    }
    for (kbrepo::Block const& block : doc.blocks) {
      bool const single = block.kind == kbrepo::BlockKind::table_row || block.kind == kbrepo::BlockKind::list_item;
      if (!single) continue;
      std::string_view text = doc.bytes(block);
      text.remove_prefix(std::min(text.find_first_not_of("|-*+ `\t[0123456789."), text.size()));
      std::string_view const first = text.substr(0, text.find_first_of("|:—–(`]"));
      if (!names(first, query_.target)) continue;
      std::string head;
      if (block.kind == kbrepo::BlockKind::table_row && block.context_begin != kbrepo::kNone) {
        head = doc.text.substr(block.context_begin, block.context_end - block.context_begin) + "\n";
      }
      return head + std::string(doc.bytes(block));
    }
    return {};
  }

  static std::string lines_of(Page const& doc, std::uint32_t from, std::uint32_t until) {
    std::string out;
    std::string_view const text = doc.text;
    kbrepo::LineReader lines(text);
    for (std::uint32_t number = 1;; ++number) {
      auto const line = lines.next();
      if (!line || (until != 0 && number >= until)) break;
      if (number >= from) out.append(line->of(text)).append("\n");
    }
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }

  bool relationship() {
    Result<std::string> const json = file("graph.json");
    if (!json) return fail(ProjectStatus::not_found, "graph.json not found", kFull);
    std::optional<Graph> const graph = parse_graph(*json);
    if (!graph) return corrupted("graph.json");
    GraphNode const* node = graph->find(query_.target);
    if (node == nullptr) {
      return fail(ProjectStatus::not_found, "Node '" + query_.target + "' not found in graph", kSpelling);
    }
    out_.sources = {"graph.json"};
    out_.content = relations_text(*graph, *node, budget());
    return true;
  }

  bool search() {
    LineBudget lines(budget(), "results");
    std::string const wanted = kbrepo::index::fold(query_.target);
    std::size_t hits = 0;
    auto const hit = [&](std::string const& path, char const* type, std::string const& excerpt) {
      lines.add("- " + path + " (" + type + ")" + (excerpt.empty() ? "" : ": " + excerpt));
      out_.sources.push_back(path);
      ++hits;
    };
    for (char const* path : {"modules/_index.md", "services/_index.md"}) {
      PagePtr const index = page(path);
      if (!index) continue;
      std::string const line = line_with(body_of(*index), wanted);
      if (line.empty()) continue;
      if (!note_stale(*index, path)) return false;
      hit(path, "index", line);
    }
    for (std::string const& path : {hub_, std::string("architecture.md"), std::string("dependencies.md")}) {
      PagePtr const doc = page(path);
      if (!doc || is_withdrawn(*doc)) continue;
      bool const tagged = std::any_of(doc->front.tags.begin(), doc->front.tags.end(),
                                      [&](std::string const& tag) { return kbrepo::index::fold(tag) == wanted; });
      std::string const line = tagged ? std::string() : line_with(body_of(*doc), wanted);
      if (!tagged && line.empty()) continue;
      if (!note_stale(*doc, path)) return false;
      hit(path, tagged ? "tag_match" : "content_match", line);
    }
    if (hits == 0) return fail(ProjectStatus::not_found, "No matches for '" + query_.target + "'", "");
    out_.content = lines.take();
    return true;
  }

  /// The first line that holds a folded text, as it stands.
  static std::string line_with(std::string_view text, std::string const& wanted) {
    kbrepo::LineReader lines(text);
    while (auto const line = lines.next()) {
      std::string_view const one = kbrepo::trimmed(line->of(text));
      if (kbrepo::index::fold(one).find(wanted) != std::string::npos) return std::string(one);
    }
    return {};
  }

  bool topology() {
    std::string text;
    std::string const path = "services/_index.md";
    if (PagePtr const index = page(path)) {
      if (!note_stale(*index, path)) return false;
      out_.sources.push_back(path);
      // The heading and what stands right below it.
      std::string_view const body = body_of(*index);
      std::size_t const heading = body.starts_with('#') ? body.find("\n\n") : 0;
      text = std::string(body.substr(0, heading == body.npos ? body.npos : body.find("\n\n", heading + 2)));
    }
    std::size_t const budget = std::min(query_.max_tokens.value_or(kTopologyTokens), kTopologyTokens);
    LineBudget lines(budget, "edges");
    if (!text.empty()) lines.add(text);
    if (Result<std::string> const json = file("graph.json")) {
      std::optional<Graph> const graph = parse_graph(*json);
      if (!graph) return corrupted("graph.json");
      out_.sources.emplace_back("graph.json");
      for (std::string const& edge : service_edges(*graph)) lines.add(edge);
    }
    if (out_.sources.empty()) return fail(ProjectStatus::not_found, "graph.json not found", kFull);
    out_.content = lines.take();
    return true;
  }

  // ---- the end ------------------------------------------------------------------------------------------------------
  bool check_manifest() {
    Result<std::string> const json = file(".meta/manifest.json");
    if (!json) {
      out_.warnings.emplace_back("there is no .meta/manifest.json: nothing to compare");
      return true;
    }
    std::optional<std::vector<ManifestSource>> const sources = parse_manifest(*json);
    if (!sources) return corrupted(".meta/manifest.json");
    if (!query_.hash_of) {
      out_.warnings.emplace_back("a deep check needs project_root: sources were not compared");
      return true;
    }
    for (std::string& document : stale_documents(*sources, query_.hash_of)) {
      bool const known =
          std::find(out_.stale_files.begin(), out_.stale_files.end(), document) != out_.stale_files.end();
      if (!known) out_.stale_files.push_back(std::move(document));
    }
    return true;
  }

  void finish() {
    bool const stale = !out_.stale_files.empty();
    out_.status = stale ? ProjectStatus::stale_warning : ProjectStatus::success;
    if (stale) out_.suggestion = kOutdated;
  }

  void make_absolute() {
    for (std::string& source : out_.sources) source = out_.kb_path + source;
  }

  std::span<Book const> books_;
  ProjectQuery const& query_;
  Place place_;
  std::string hub_;
  ProjectReply out_;
};

}  // namespace

std::string_view to_string(ProjectStatus status) noexcept {
  switch (status) {
    case ProjectStatus::success:
      return "success";
    case ProjectStatus::not_found:
      return "not_found";
    case ProjectStatus::stale_warning:
      return "stale_warning";
    case ProjectStatus::kb_not_exists:
      return "kb_not_exists";
    case ProjectStatus::error:
      return "error";
  }
  return "error";
}

std::size_t tokens_of_level(int level) noexcept {
  constexpr std::array<std::size_t, 4> kTokens{50, 200, 500, 1000};
  return kTokens[static_cast<std::size_t>(std::clamp(level, 0, 3))];
}

ProjectReply query_project(std::span<Book const> books, ProjectQuery const& query) {
  return Answerer(books, query).run();
}

std::string to_json(ProjectReply const& reply) {
  nlohmann::ordered_json out{{"status", to_string(reply.status)}};
  bool const answered = reply.status == ProjectStatus::success || reply.status == ProjectStatus::stale_warning;
  if (answered) {
    out["content"] = reply.content;
    out["sources"] = reply.sources;
    out["stale_files"] = reply.stale_files;
  }
  if (!reply.suggestion.empty()) out["suggestion"] = reply.suggestion;
  if (!reply.error.empty()) out["error"] = reply.error;
  if (!reply.project_name.empty()) out["project_name"] = reply.project_name;
  if (!reply.kb_path.empty()) out["kb_path"] = reply.kb_path;
  if (!reply.read.empty()) out["consulted"] = reply.read;
  if (!reply.warnings.empty()) out["warnings"] = reply.warnings;
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<ProjectRoute> route_of(std::string_view question) {
  std::string const folded = kbrepo::index::fold(question);
  auto const holds = [&](std::string_view words) { return folded.find(words) != folded.npos; };
  auto const word_behind = [&](std::string_view lead) {
    auto const at = folded.find(lead);
    if (at == folded.npos) return std::string();
    std::string_view rest = std::string_view(folded).substr(at + lead.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" '\"`"), rest.size()));
    return std::string(rest.substr(0, rest.find_first_of(" ?.,'\"`")));
  };
  if (holds("what is this project")) return ProjectRoute{0, "overview", ""};
  if (holds("what does this project do")) return ProjectRoute{1, "overview", ""};
  if (holds("what modules exist") || holds("which modules")) return ProjectRoute{1, "overview", ""};
  if (holds("external dep") || holds("what dependencies")) return ProjectRoute{1, "dependency", "*"};
  if (holds("architecture")) return ProjectRoute{2, "overview", ""};
  for (std::string_view const lead : {"depends on module ", "depends on "}) {
    if (std::string target = word_behind(lead); !target.empty())
      return ProjectRoute{3, "relationship", std::move(target)};
  }
  if (std::string target = word_behind("how does module "); !target.empty()) {
    return ProjectRoute{2, "module", std::move(target)};
  }
  return std::nullopt;
}

}  // namespace kb::protocols
