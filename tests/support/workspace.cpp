#include "tests/support/workspace.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "adapters/aio/http.hpp"

namespace kb::test {
namespace {

std::string text_of(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Json repo_json(std::string const& owner, std::string const& repo, std::string const& kind, TempRepo const& git) {
  return {{"owner", owner},
          {"repo", repo},
          {"kind", kind},
          {"git", git.path().string()},
          {"ref", "refs/heads/main"},
          {"web_url", "https://git.example/{owner}/{repo}/src/commit/{commit}/{path}#L{start}-L{end}"}};
}

Json user_json(std::string const& id, std::string const& name, std::string const& kb_owner, std::string const& team) {
  Json user{{"gitea_username", kb_owner},
            {"name", name},
            {"team_id", team},
            {"role", team.empty() ? "personal_only" : "member"}};
  if (!kb_owner.empty()) {
    user["personal_kb_owner"] = kb_owner;
    user["personal_kb_repo"] = kb_owner + "-personal-kb";
  }
  user["open_id"] = id;
  return user;
}

/// Header and as much body as it announces.
bool whole(std::string const& reply) {
  auto const end = reply.find("\r\n\r\n");
  if (end == reply.npos) return false;
  std::string head = reply.substr(0, end);
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  auto const length = head.find("content-length:");
  if (length == head.npos) return false;
  return reply.size() - end - 4 >= std::strtoul(head.c_str() + length + 15, nullptr, 10);
}

}  // namespace

Workspace::Workspace() {
  team.commit({{"projects/atlas/index.md",
                "# Atlas\n\nAtlas 是团队的检索平台，2025 年 3 月立项，负责人是李明。\n\nAtlas is the retrieval "
                "platform of the team. The reranker answers in 118 ms at the 95th percentile.\n"},
               {"projects/atlas/decisions.md",
                "# Atlas 决定\n\n- `2026-10-12 10:00:00` 上线日期推迟到 2026-11-23，因为日语评测集还没有标完。\n- "
                "`2026-10-19 10:00:00` 向量库选用 Milvus，不再使用 Faiss。\n"},
               {"people/李明.md", "# 李明\n\n- `2026-09-01 09:00:00` 李明负责 Atlas 的索引和部署。\n"},
               {"concepts/难负例.md",
                "# 难负例\n\n难负例是与问题相似但不能回答问题的段落。混合来源的难负例使 nDCG@10 达到 0.741。\n"},
               {"summaries/meetings/2026-11-02-组会.md",
                "# 2026-11-02 组会\n\n组会每周一上午 10 点半开始，地点在 B203 会议室。\n"},
               {"TEAM_INFO.md", "# 团队信息\n\n邀请码：NLP-7K2M\n"}});
  alice.commit({{"notes/2026-11-14-东京.md", "# 东京参会\n\n我的航班是 2026-12-05 的 NH964，酒店订在上野。\n"},
                {"concepts/知识蒸馏.md", "# 知识蒸馏\n\n知识蒸馏时温度取 4 最好。\n"}});
  bob.commit({{"notes/2026-11-01-计划.md", "# 计划\n\n我计划在 12 月 18 日之前读完三篇论文。\n"}});
  cv.commit({{"README.md", "# CV\n\n视觉团队的组会在周四下午三点。\n"}});
  Json const config{
      {"state_dir", "state"},
      {"users", "users.json"},
      {"teams", "teams.json"},
      {"chat_bindings", "chat_bindings.json"},
      {"repos", Json::array({repo_json("nlp", "nlp-team-kb", "team", team), repo_json("cv", "cv-team-kb", "team", cv),
                             repo_json("alice", "alice-personal-kb", "personal", alice),
                             repo_json("bob", "bob-personal-kb", "personal", bob)})},
      {"listen", {{"address", "127.0.0.1"}, {"port", 0}}},
      {"limits", {{"questions_per_user_per_minute", 0}}}};
  write("kbgate.json", config.dump(2));
  write("users.json", Json{{"ou_alice", user_json("ou_alice", "Alice", "alice", "team_nlp")},
                           {"ou_bob", user_json("ou_bob", "Bob", "bob", "team_nlp")},
                           {"ou_carol", user_json("ou_carol", "Carol", "", "")},
                           {"ou_dave", user_json("ou_dave", "Dave", "", "team_cv")}}
                          .dump(2));
  write("teams.json", Json{{"team_nlp",
                            {{"team_id", "team_nlp"},
                             {"team_name", "NLP 团队"},
                             {"team_kb_owner", "nlp"},
                             {"team_kb_repo", "nlp-team-kb"},
                             {"admins", {"ou_alice"}},
                             {"members", {"ou_alice", "ou_bob"}},
                             {"invite_code", "NLP-7K2M"},
                             {"projects", {{"general", {{"name", "通用"}}}, {"atlas", {{"name", "Atlas"}}}}}}},
                           {"team_cv",
                            {{"team_id", "team_cv"},
                             {"team_name", "CV 团队"},
                             {"team_kb_owner", "cv"},
                             {"team_kb_repo", "cv-team-kb"},
                             {"admins", {"ou_dave"}},
                             {"members", {"ou_dave"}},
                             {"projects", Json::object()}}}}
                          .dump(2));
  write("chat_bindings.json", Json{{"oc_nlp",
                                    {{"chat_id", "oc_nlp"},
                                     {"chat_name", "NLP"},
                                     {"team_id", "team_nlp"},
                                     {"team_name", "NLP 团队"},
                                     {"team_kb_owner", "nlp"},
                                     {"team_kb_repo", "nlp-team-kb"},
                                     {"bound_by", "ou_alice"},
                                     {"bound_at", "2026-01-01 08:00:00"},
                                     {"colour", "kept"}}}}
                                  .dump(2));
}

void Workspace::configure(std::function<void(Json&)> const& change) {
  Json config = read_json("kbgate.json");
  change(config);
  write("kbgate.json", config.dump(2));
}

void Workspace::write(std::string const& name, std::string const& text) const { (void)dir_.write(name, text); }
Json Workspace::read_json(std::string const& name) const { return Json::parse(text_of(path() / name)); }

Finished Workspace::run(std::string const& program, std::vector<std::string> args) const {
  args.insert(args.end(), {"--config", config()});
  return run_program(program, args);
}

std::vector<Json> Workspace::records(std::string const& program, std::string const& owner,
                                     std::string const& repo) const {
  std::vector<Json> out;
  std::istringstream lines(run(program, {"log", "export", "--owner", owner, "--repo", repo}).out);
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

Daemon::Daemon(std::string const& program, Workspace const& workspace, std::map<std::string, std::string> const& env)
    : child_(std::make_unique<Child>(program, std::vector<std::string>{"serve", "--config", workspace.config()}, env)) {
  Json const ready = Json::parse(child_->line());
  if (!ready.value("ready", false)) throw std::runtime_error("not ready: " + ready.dump());
  port_ = ready.at("port").get<std::uint16_t>();
}

int Daemon::stop() {
  child_->signal(SIGTERM);
  return child_->wait();
}

void Daemon::kill() {
  child_->signal(SIGKILL);
  (void)child_->wait();
}

Client::Client(Daemon const& daemon, std::string const& token) : Client(daemon.url(), token) {}

Client::Client(std::string const& url, std::string const& token) {
  Result<std::unique_ptr<aio::Link>> link =
      loop_.get(aio::connect_ws(loop_.executor(), url, token, aio::ServerLimits()));
  if (!link) throw std::runtime_error(link.error().what);
  link_ = std::move(*link);
  loop_.spawn(read_all());
}

Client::~Client() {
  link_->abort();
  (void)loop_.finishes();  // the reader holds the link and what it received, which go before the loop does
}

aio::Task<> Client::read_all() {
  for (;;) {
    Result<std::string> message = co_await link_->read();
    if (!message) break;
    received_.push_back(std::move(*message));
  }
  ended_ = true;
}

void Client::send(Json const& frame) { send_text(frame.dump()); }

void Client::send_text(std::string text) {
  Result<void> const sent = loop_.get(link_->write(std::move(text)));
  if (!sent) throw std::runtime_error("write: " + sent.error().what);
}

Json Client::next(std::chrono::seconds bound) {
  if (!loop_.until([&] { return !received_.empty() || ended_; }, bound) || received_.empty())
    throw std::runtime_error("no frame");
  std::string const text = std::move(received_.front());
  received_.pop_front();
  return Json::parse(text);
}

Json Client::next(std::string const& type, std::string const& id, std::chrono::seconds bound) {
  for (;;) {
    Json frame = next(bound);
    if (frame.value("type", "") == type && frame.value("id", "") == id) return frame;
  }
}

bool Client::ends(std::chrono::seconds bound) {
  return loop_.until([&] { return ended_; }, bound);
}

void Client::close() {
  loop_.spawn(link_->close());
  (void)ends();
}

Json Client::message(std::string const& id, std::string const& sender, std::string const& chat,
                     std::string const& text) {
  return {{"type", "message"},    {"id", id},     {"SenderId", sender}, {"ChatType", chat.empty() ? "direct" : "group"},
          {"GroupSubject", chat}, {"text", text}, {"mentioned", true}};
}

Json Client::ask(std::string const& id, std::string const& sender, std::string const& chat, std::string const& text) {
  send(message(id, sender, chat, text));
  for (;;) {
    Json frame = next();
    std::string const type = frame.value("type", "");
    if (frame.value("id", "") == id && (type == "answer" || type == "error")) return frame;
  }
}

HttpReply http_get(std::uint16_t port, std::string const& target, std::vector<std::string> const& headers,
                   std::string const& host) {
  return http_send(port, "GET", target, {}, headers, host);
}

HttpReply http_post(std::uint16_t port, std::string const& target, std::string const& body,
                    std::vector<std::string> const& headers) {
  return http_send(port, "POST", target, body, headers);
}

HttpReply http_send(std::uint16_t port, std::string const& method, std::string const& target, std::string const& body,
                    std::vector<std::string> const& headers, std::string const& host) {
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
    ::close(fd);
    return {};
  }
  auto const own_connection = [](std::string const& header) { return header.starts_with("Connection:"); };
  std::string request = method + " " + target +
                        " HTTP/1.1\r\nHost: " + (host.empty() ? "127.0.0.1:" + std::to_string(port) : host) + "\r\n";
  if (std::none_of(headers.begin(), headers.end(), own_connection)) request += "Connection: close\r\n";
  for (std::string const& header : headers) request += header + "\r\n";
  if (!body.empty())
    request += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  request += "\r\n" + body;
  (void)!::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  timeval const bound{10, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
  std::string reply;
  char chunk[4096];
  while (!whole(reply)) {
    ssize_t const n = ::recv(fd, chunk, sizeof chunk, 0);
    if (n <= 0) break;
    reply.append(chunk, static_cast<std::size_t>(n));
  }
  ::close(fd);
  HttpReply out;
  if (reply.size() > 12) out.status = std::atoi(reply.c_str() + 9);
  auto const head_end = reply.find("\r\n\r\n");
  if (head_end == reply.npos) return out;
  out.head = reply.substr(0, head_end + 2);
  out.body = reply.substr(head_end + 4);
  return out;
}

bool eventually(std::function<bool()> const& holds, std::chrono::seconds bound) {
  auto const until = std::chrono::steady_clock::now() + bound;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, 20);
  }
  return true;
}

}  // namespace kb::test
