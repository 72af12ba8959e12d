// kb_chunks and knowledge_bases: knowledge bases by name, as the operator has them.
#include <algorithm>

#include "daemon/embedder.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

std::vector<protocols::NamedBook> open_bases(config::Settings const& settings, Io io,
                                             kbrepo::VectorSets const& vectors = {}) {
  std::vector<protocols::NamedBook> out;
  for (config::RepoSettings const& repo : settings.repos) {
    Result<kbrepo::SnapshotPtr> snapshot = kbrepo::open_snapshot(settings, repo, {}, progress_on(io.err));
    if (!snapshot) {
      io.err << repo.id << ": " << snapshot.error().what << '\n';
      continue;
    }
    auto const set = vectors.find(repo.id);
    out.push_back({{std::move(*snapshot), scope::operator_grant(repo.id, scope::Label::team)},
                   repo.knowledge_base,
                   set == vectors.end() ? nullptr : set->second});
  }
  return out;
}

}  // namespace

int kb_chunks_verb(KbChunksOptions const& options, Io io) {
  std::optional<config::Books> const books = open_books(options.config, io);
  if (!books) return kConfiguration;
  protocols::ChunkQuery query = options.query;
  config::KnowledgeBaseRules const& rules = books->settings.knowledge_bases;
  if (rules.clamp_limit) query.limit = std::clamp<std::int64_t>(query.limit, 1, protocols::kMaxChunks);
  MeaningNow const meaning = meaning_now(books->settings, SystemClock(), query.query);
  if (!meaning.why.empty()) io.err << "words alone: " << meaning.why << '\n';
  query.meaning = meaning.meaning.get();
  std::vector<protocols::NamedBook> const bases =
      open_bases(books->settings, io, meaning.sets ? *meaning.sets : kbrepo::VectorSets());
  protocols::ChunkReply const reply =
      protocols::query_chunks(bases, protocols::Guard(options.asker, rules.peer_channels), query);
  if (!reply.fault) {
    io.out << protocols::to_json(reply, bases) << std::endl;
    return kDone;
  }
  print(io.out, {{"success", false},
                 {"error", reply.fault->not_found ? "knowledge_base_not_found" : "bad_request"},
                 {"message", reply.fault->message},
                 {"hint", reply.fault->hint}});
  return reply.fault->not_found ? kFailure : kUsage;
}

int knowledge_bases_verb(std::string const& config, protocols::Asker const& asker, Io io) {
  std::optional<config::Books> const books = open_books(config, io);
  if (!books) return kConfiguration;
  std::vector<protocols::NamedBook> const bases = open_bases(books->settings, io);
  protocols::Guard const guard(asker, books->settings.knowledge_bases.peer_channels);
  std::vector<protocols::VisibleBase> visible = protocols::visible_bases(bases, guard);
  Json out = Json::parse(protocols::to_json(visible, bases));
  if (asker.agent.empty() && asker.channel.empty()) {
    // Nobody asks: all of them, and who may.
    out["knowledgeBases"] = Json::array();
    for (config::RepoSettings const& repo : books->settings.repos) {
      config::KnowledgeBase const& base = repo.knowledge_base;
      Json users = Json::array();
      for (UserId const& user : base.users) users.push_back(user.str());
      Json teams = Json::array();
      for (TeamId const& team : base.teams) teams.push_back(team.str());
      out["knowledgeBases"].push_back({{"id", base.id},
                                       {"name", base.name},
                                       {"owner", repo.id.owner},
                                       {"repo", repo.id.repo},
                                       {"kind", config::to_string(repo.kind)},
                                       {"sourceRole", config::to_string(base.role)},
                                       {"scope", base.scope.empty() ? Json(nullptr) : Json(base.scope)},
                                       {"peerScopePolicy", base.permissive ? "permissive" : "strict"},
                                       {"agentIds", base.agents},
                                       {"isActive", base.active},
                                       {"users", std::move(users)},
                                       {"teams", std::move(teams)}});
    }
    out["totalCount"] = out["knowledgeBases"].size();
  }
  print(io.out, out);
  return kDone;
}

}  // namespace kb::daemon
