/// A small team and a small personal knowledge base as real repositories, and questions put to them.
#pragma once

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "answer/respond.hpp"
#include "answer/validate.hpp"
#include "kbrepo/snapshot.hpp"
#include "scope/resolve.hpp"
#include "tests/support/temp_repo.hpp"

namespace kb::test {

inline std::map<std::string, std::string> team_pages() {
  return {
      {"catalog.json",
       R"({"documents": [{"title": "组会纪要 2026-03-12", "file": "summaries/meetings/2026-03-12-组会.md"}],
        "concepts": [{"name": "左偏树", "file": "concepts/左偏树.md"}], "people": [{"name": "王敏", "file": "people/王敏.md"}],
        "projects": [{"project_id": "atlas", "name": "Atlas", "folder": "projects/atlas"}]})"},
      {"index.md", "# 目录\n\n- [[王敏]] — 检索服务\n- [[左偏树]] — 数据结构\n"},
      {"TEAM_INFO.md", "# NLP 团队\n\n邀请码：NLP-7F3K\n"},
      {"projects/atlas/index.md", "# Atlas\n\n- 目标：为全公司提供统一检索。\n- 负责人：王敏\n- 状态：开发中\n"},
      {"projects/atlas/timeline.md",
       "# Atlas 时间线\n\n- `2026-03-01` 完成索引原型。\n- `2026-06-15` 开始内测。\n- `2026-09-01` 正式上线。\n"},
      {"projects/atlas/decisions.md",
       "# Atlas 决策记录\n\n- `2026-03-12` 数据库采用 PostgreSQL 16，端口 5433。\n- `2026-04-02` 不采用 "
       "Kafka，消息走数据库队列。\n"},
      {"projects/atlas/open_questions.md", "# Atlas 未决问题\n\n- 是否支持跨语言检索？\n"},
      {"people/王敏.md",
       "---\ntitle: 王敏\naliases: [Wang Min]\n---\n\n王敏负责检索服务，在上海办公室。\n\n- 2025 年加入团队。\n"},
      {"people/李雷.md", "# 李雷\n\n李雷负责测试平台。\n"},
      {"concepts/左偏树.md", "# 左偏树\n\n左偏树是一种可并堆，合并两个堆的复杂度是 O(log n)。\n\n它的深度没有保证。\n"},
      {"resources/服务清单.md",
       "# 服务清单\n\n| 服务 | 端口 | 机房 |\n|---|---|---|\n| 网关 | 8443 | 上海 |\n| 评测 | 9100 | 北京 |\n"},
      {"summaries/meetings/2026-03-12-组会.md",
       "# 组会纪要 2026-03-12\n\n## 备份\n\n决定每天凌晨 3 点备份一次，保留 30 天。\n\n## "
       "招聘\n\n下个月招两名实习生。\n"},
      {"guides/security.md",
       "# Security guide\n\n## Keys\n\nAPI keys are rotated every 90 days. The rotation is done by the on-call "
       "engineer.\n\n"
       "## Laptops\n\nDisks are encrypted. Do not leave laptops in cars.\n"},
      {"guides/borealis.md",
       "# Borealis\n\nBorealis is deployed in Frankfurt. It uses Redis 7 as its cache and does not store personal "
       "data.\n"},
      {"guides/旧版部署.md",
       "---\ntitle: 旧版部署\nstale: true\nupdated: 2025-01-02\n---\n\n旧版部署脚本在 build-02 机器上运行。\n"},
      {"log.md", "# Log\n\n- 法国首都 巴黎\n"},
  };
}

inline std::map<std::string, std::string> personal_pages(std::string const& extra) {
  return {{"notes/raft.md", "# 读书笔记：Raft\n\nRaft 的选举超时取 150 到 300 毫秒之间的随机值。\n"},
          {"notes/extra.md", "# 备忘\n\n" + (extra.empty() ? std::string("- 买牛奶。\n") : extra)}};
}

/// All Markdown pages and catalogues below a folder of this source tree.
inline std::map<std::string, std::string> pages_below(std::string const& folder) {
  std::filesystem::path const root = std::filesystem::path(KB_SOURCE_DIR) / folder;
  std::map<std::string, std::string> out;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    out[entry.path().lexically_relative(root).generic_string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return out;
}

class Library {
 public:
  /// `extra` becomes a page of the personal knowledge base.
  explicit Library(std::string const& extra = {}) : Library(team_pages(), personal_pages(extra)) {}
  /// The knowledge bases of the demo.
  static Library demo() { return {pages_below("tests/demo/team"), pages_below("tests/demo/personal")}; }

  Library(std::map<std::string, std::string> const& team_files, std::map<std::string, std::string> const& own_files) {
    team_repo_.commit(team_files);
    personal_repo_.commit(own_files);
    snapshots_[team_id()] = build(team_id(), team_repo_, config::RepoKind::team);
    snapshots_[personal_id()] = build(personal_id(), personal_repo_, config::RepoKind::personal);
    config::User user;
    user.id = UserId("ou_wang");
    user.name = "王敏";
    user.personal_kb = personal_id();
    user.teams = {TeamId("team_nlp")};
    user.role = "member";
    config::Team team;
    team.id = TeamId("team_nlp");
    team.name = "NLP";
    team.kb = team_id();
    team.members = {user.id};
    team.projects = {{"atlas", "Atlas", ""}};
    directory_.users[user.id] = user;
    directory_.teams[team.id] = team;
  }

  using Earlier = std::span<answer::EarlierTurn const>;

  static RepoId team_id() { return {"nlp", "team-kb"}; }
  static RepoId personal_id() { return {"wang", "notes"}; }
  [[nodiscard]] kbrepo::CommitId team_commit() const { return snapshots_.at(team_id())->commit(); }

  [[nodiscard]] answer::Answer ask(std::string const& question, Earlier earlier = {}) const {
    return ask_in(question, scope::Scope::both, snapshots_, earlier);
  }
  [[nodiscard]] answer::Answer ask_team(std::string const& question, Earlier earlier = {}) const {
    return ask_in(question, scope::Scope::team, snapshots_, earlier);
  }
  [[nodiscard]] answer::Answer ask_personal(std::string const& question, Earlier earlier = {}) const {
    return ask_in(question, scope::Scope::personal, snapshots_, earlier);
  }
  /// With a model: a function of what it is asked.
  using Model = std::function<std::string(answer::Prompt const&)>;
  [[nodiscard]] answer::Answer ask_model(std::string const& question, Model const& model) const {
    scope::ScopeOutcome outcome = resolve(question, scope::Scope::both);
    kbrepo::Shelf shelf = kbrepo::open_shelf(*outcome.grant, snapshots_);
    answer::Inquiry inquiry("q1", question, std::move(outcome), std::move(shelf), {}, {}, {}, true);
    for (auto prompt = inquiry.prompt(); prompt; prompt = inquiry.prompt()) inquiry.take(model(*prompt));
    return inquiry.conclude();
  }
  [[nodiscard]] answer::Answer ask_without_personal(std::string const& question) const {
    return ask_in(question, scope::Scope::both, {{team_id(), snapshots_.at(team_id())}});
  }
  [[nodiscard]] answer::Answer ask_nothing(std::string const& question) const {
    return ask_in(question, scope::Scope::both, {});
  }

  [[nodiscard]] std::vector<answer::Found> find(std::string const& question, std::size_t limit) const {
    scope::ScopeOutcome const outcome = resolve(question, scope::Scope::both);
    return answer::find_passages(question, outcome, kbrepo::open_shelf(*outcome.grant, snapshots_), limit);
  }

  [[nodiscard]] std::string file(RepoId const& repo, std::string const& path) const {
    return (repo == team_id() ? team_repo_ : personal_repo_).file(path).value_or("");
  }

  /// Lines first…last of a text, 1-based, with their line ends.
  static std::string lines(std::string const& text, std::size_t first, std::size_t last) {
    std::string out;
    std::size_t number = 1;
    for (char const c : text) {
      if (number >= first && number <= last) out += c;
      if (c == '\n') ++number;
    }
    return out;
  }

  /// The pages an answer consulted, as `validate_answer --pages_file` would get them.
  [[nodiscard]] std::vector<answer::ReadPage> pages_of(answer::Answer const& answer) const {
    std::vector<answer::ReadPage> out;
    for (answer::Consulted const& consulted : answer.consulted) {
      if (!consulted.path.ends_with(".md")) continue;
      auto const& book = *snapshots_.at(consulted.repo);
      auto const grant = scope::operator_grant(consulted.repo, scope::Label::team);
      auto const page = book.read(grant, consulted.path);
      REQUIRE(page.has_value());
      out.push_back({(*page)->title, book.url(consulted.path, 0, 0), "", (*page)->text, consulted.path});
    }
    return out;
  }

  static std::vector<std::string> questions() {
    return {"Atlas 的数据库用什么？",
            "Atlas 项目的负责人是谁",
            "Atlas 什么时候上线？",
            "王敏负责什么？",
            "上周组会关于备份定了什么",
            "什么是左偏树？",
            "网关的端口是多少",
            "How often are API keys rotated?",
            "Where is Borealis deployed?",
            "Atlas 的年度预算是多少？",
            "法国首都是哪里？",
            "Atlas 用 Kafka 吗",
            "旧版部署脚本在哪台机器上运行？",
            "有哪些服务",
            "Does Borealis store personal data?"};
  }

 private:
  static kbrepo::SnapshotPtr build(RepoId const& id, TempRepo const& repo, config::RepoKind kind) {
    config::RepoSettings settings;
    settings.id = id;
    settings.kind = kind;
    settings.git = repo.path();
    settings.web_url = "https://git.example/{owner}/{repo}/src/commit/{commit}/{path}#L{start}-L{end}";
    auto const commit = kbrepo::CommitId::parse(repo.head());
    REQUIRE(commit.has_value());
    auto snapshot = kbrepo::Snapshot::build(settings, *commit, nullptr, {});
    REQUIRE(snapshot.has_value());
    return *snapshot;
  }

  [[nodiscard]] scope::ScopeOutcome resolve(std::string const& question, scope::Scope scope) const {
    scope::ScopeRequest request;
    request.sender = UserId("ou_wang");
    request.question = question;
    request.forced = scope;
    scope::ScopeOutcome outcome = scope::resolve(request, directory_);
    REQUIRE(outcome.granted());
    return outcome;
  }

  [[nodiscard]] answer::Answer ask_in(std::string const& question, scope::Scope scope,
                                      kbrepo::Snapshots const& snapshots, Earlier earlier = {}) const {
    scope::ScopeOutcome const outcome = resolve(question, scope);
    return answer::respond("q1", question, outcome, kbrepo::open_shelf(*outcome.grant, snapshots), {}, {}, earlier);
  }

  TempRepo team_repo_, personal_repo_;
  kbrepo::Snapshots snapshots_;
  config::Directory directory_;
};

}  // namespace kb::test
