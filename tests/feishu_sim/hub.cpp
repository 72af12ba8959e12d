#include "tests/feishu_sim/hub.hpp"

#include <algorithm>
#include <utility>

#include "adapters/aio/task_group.hpp"
#include "adapters/aio/watchdog.hpp"
#include "logging/service_log.hpp"
#include "tests/feishu_sim/query.hpp"

namespace kb::feishu_sim {
namespace {

std::string const kText = "text";  // tag of what goes out as a text message
constexpr std::size_t kOutbox = 100000;
constexpr auto kCloseGrace = std::chrono::milliseconds(2000);

Json first_pong() { return {{"enabled", true}, {"delay_ms", 0}, {"with_config", true}, {"config", nullptr}}; }

aio::HttpResponse refusal(unsigned http_status, std::int64_t status, std::string const& msg,
                          std::optional<std::int64_t> autherrcode) {
  aio::HttpResponse response;
  response.status = http_status;
  response.headers["Handshake-Status"] = std::to_string(status);
  response.headers["Handshake-Msg"] = msg;
  if (autherrcode) response.headers["Handshake-Autherrcode"] = std::to_string(*autherrcode);
  return response;
}

}  // namespace

struct Hub::Connection {
  int id;
  aio::Link* link;  ///< null once it ended
  std::string device_id, user_agent, peer;
  aio::Outbox outbox;
  Millis opened, closed{};
  std::string ended_by;
  std::size_t pings = 0, frames = 0;
  bool frozen = false;

  Connection(int i, aio::Link* l, aio::Executor ex, Millis now) : id(i), link(l), outbox(ex, kOutbox), opened(now) {}
};

Hub::Hub(aio::Executor ex, World& world, Network& network, Hooks hooks)
    : ex_(std::move(ex)), world_(world), network_(network), hooks_(std::move(hooks)), pong_(first_pong()) {}
Hub::~Hub() = default;

std::string Hub::new_url(std::string const& scheme, std::string const& host) {
  std::string const ticket = world_.hex(16);
  Ticket const made{std::to_string(7600000000000000000 + world_.number()), world_.hex(16)};
  tickets_[ticket] = made;
  return scheme + "://" + host + "/ws/v2?fpid=493&aid=552564&device_id=" + made.device_id +
         "&access_key=" + made.access_key + "&service_id=" + std::to_string(world_.options.service_id) +
         "&ticket=" + ticket;
}

std::optional<aio::HttpResponse> Hub::refuse(aio::HttpRequest const& request) {
  auto const refused = [&](aio::HttpResponse response) {
    Json const headers = response.headers;
    world_.record(world_.requests, {{"at", world_.clock.now().count()},
                                    {"method", "GET"},
                                    {"path", request.path()},
                                    {"kind", "handshake"},
                                    {"refused", {{"http_status", response.status}, {"headers", headers}}}});
    return response;
  };
  if (request.path() != "/ws/v2") {
    aio::HttpResponse response;
    response.status = 404;
    return response;
  }
  auto const query = parse_query(request.target);
  auto const value = [&](char const* key) { return query.contains(key) ? query.at(key) : std::string(); };
  auto const ticket = tickets_.find(value("ticket"));
  bool const known = ticket != tickets_.end() && ticket->second.device_id == value("device_id") &&
                     ticket->second.access_key == value("access_key");
  if (ticket != tickets_.end()) tickets_.erase(ticket);  // good for one attempt
  if (std::optional<Json> const fault = next_fault(handshake_faults_, {})) {
    if (flag_or(*fault, "hang", false)) network_.freeze(request.peer);
    if (flag_or(*fault, "reset", false)) network_.cut(request.peer, true);
    Json const code = at_path(*fault, "autherrcode");
    return refused(refusal(static_cast<unsigned>(number_or(*fault, "http_status", 400)),
                           number_or(*fault, "status", 514), text_or(*fault, "msg", "handshake refused"),
                           code.is_number() ? std::optional(code.get<std::int64_t>()) : std::nullopt));
  }
  if (!known) return refused(refusal(400, 514, "auth failed", 1000040346));
  if (live().size() >= world_.options.connections) {
    return refused(refusal(400, 514, "the number of connections exceeded the limit", 1000040350));
  }
  return std::nullopt;
}

aio::Task<> Hub::serve(std::unique_ptr<aio::Link> link, aio::HttpRequest request) {
  if (stopped_) co_return;
  auto made = std::make_unique<Connection>(++last_, link.get(), ex_, world_.clock.now());
  Connection& connection = *connections_.emplace_back(std::move(made));
  auto const query = parse_query(request.target);
  connection.device_id = query.contains("device_id") ? query.at("device_id") : std::string();
  connection.user_agent = request.header("user-agent");
  connection.peer = request.peer;
  world_.record(world_.requests, {{"at", world_.clock.now().count()},
                                  {"method", "GET"},
                                  {"path", request.path()},
                                  {"kind", "handshake"},
                                  {"conn", connection.id}});
  aio::TaskGroup loops(ex_, aio::log_faults());
  loops.spawn("read", read_loop(connection));
  loops.spawn("write", write_loop(connection));
  hooks_.on_open();
  co_await loops.join();
  world_.changed.notify();
}

aio::Task<> Hub::read_loop(Connection& connection) {
  for (;;) {
    Result<std::string> const message = co_await connection.link->read();
    if (!message) {
      connection.ended_by = message.error().what;
      break;
    }
    hear(connection, *message, connection.link->got_binary());
  }
  connection.outbox.discard();
  connection.outbox.close();
}

aio::Task<> Hub::write_loop(Connection& connection) {
  for (;;) {
    std::optional<aio::Outgoing> message = co_await connection.outbox.take();
    if (!message) break;
    connection.link->send_binary(message->tag != kText);
    Result<void> const sent = co_await connection.link->write(std::move(message->text));
    if (!sent) break;
  }
  {
    aio::Watchdog grace(ex_, kCloseGrace, [&connection] { connection.link->abort(); });
    co_await connection.link->close();
  }
  connection.link->abort();  // ends the reader, whatever the client did
  connection.link = nullptr;
  connection.closed = world_.clock.now();
  hooks_.on_lost(connection.id);
  world_.changed.notify();
}

void Hub::hear(Connection& connection, std::string const& bytes, bool binary) {
  ++connection.frames;
  Json entry{{"at", world_.clock.now().count()}, {"conn", connection.id}, {"binary", binary}, {"hex", to_hex(bytes)}};
  Result<Frame> const frame = binary ? decode(bytes) : Error(Errc::invalid_input, "a text message");
  if (frame) entry["frame"] = to_json(*frame);
  world_.record(world_.inbound, entry);
  if (!binary) return world_.violate("text_frame", {{"conn", connection.id}});
  if (!frame) {
    return world_.violate("undecodable_frame",
                          {{"conn", connection.id}, {"why", frame.error().what}, {"hex", to_hex(bytes)}});
  }
  if (frame->method == kControl) return hear_ping(connection, *frame, bytes);
  if (frame->method == kData) return hooks_.on_data(connection.id, *frame, bytes);
  world_.violate("unknown_method", {{"conn", connection.id}, {"method", frame->method}});
}

void Hub::hear_ping(Connection& connection, Frame const& frame, std::string const& bytes) {
  std::string const type = frame.header("type").value_or("");
  if (type != "ping") return world_.violate("unexpected_control", {{"conn", connection.id}, {"type", type}});
  ++connection.pings;
  world_.record(world_.pings, {{"at", world_.clock.now().count()},
                               {"conn", connection.id},
                               {"service", frame.service},
                               {"hex", to_hex(bytes)},
                               {"frame", to_json(frame)}});
  if (frame.service != world_.options.service_id) {
    world_.violate("ping_service_mismatch",
                   {{"conn", connection.id}, {"got", frame.service}, {"want", world_.options.service_id}});
  }
  if (!flag_or(pong_, "enabled", true)) return;
  Millis const delay(number_or(pong_, "delay_ms", 0));
  if (delay.count() == 0) return send_pong(connection.id);
  world_.clock.in(delay, [this, id = connection.id] { send_pong(id); });
}

void Hub::send_pong(int connection) {
  Frame frame;
  frame.service = world_.options.service_id;
  frame.headers.emplace_back("type", "pong");
  if (flag_or(pong_, "with_config", true)) {
    Json const config = at_path(pong_, "config");
    frame.payload = dump(config.is_null() ? client_config(world_.options) : config);
  }
  send(connection, encode(frame));
}

Hub::Connection* Hub::find(int id) const {
  for (auto const& connection : connections_) {
    if (connection->id == id) return connection.get();
  }
  return nullptr;
}

std::vector<Hub::Connection*> Hub::live() const {
  std::vector<Connection*> open;
  for (auto const& connection : connections_) {
    if (connection->link != nullptr && !connection->outbox.closed()) open.push_back(connection.get());
  }
  return open;
}

std::vector<int> Hub::pick(Json const& which) {
  std::vector<int> ids;
  for (Connection const* const connection : live()) ids.push_back(connection->id);
  if (ids.empty() || which == "all") return ids;
  if (which.is_number()) {
    std::erase_if(ids, [&](int id) { return id != which.get<int>(); });
    return ids;
  }
  return {ids[world_.number() % ids.size()]};  // the platform does not broadcast
}

bool Hub::open(int connection) const {
  Connection const* const found = find(connection);
  return found != nullptr && found->link != nullptr && !found->outbox.closed();
}

bool Hub::send(int connection, std::string bytes, bool text) {
  if (!open(connection)) return false;
  return find(connection)->outbox.offer(aio::Outgoing(std::move(bytes), text ? kText : std::string()));
}

Json Hub::drop(Json const& how) {
  std::string const mode = text_or(how, "mode", "terminate");
  Json const which = at_path(how, "connection");
  Json dropped = Json::array();
  for (int const id : pick(which.is_null() ? Json("all") : which)) {
    Connection& connection = *find(id);
    dropped.push_back(id);
    if (mode == "close") {
      auto const code = static_cast<unsigned short>(number_or(how, "code", 1001));
      connection.link->set_close(code, text_or(how, "reason", "going away"));
      connection.outbox.close();
    } else if (mode == "halfopen") {
      connection.frozen = true;
      network_.freeze(connection.peer);
    } else if (mode == "thaw") {
      connection.frozen = false;
      network_.thaw(connection.peer);
    } else {
      network_.cut(connection.peer, mode == "rst");
    }
  }
  return {{"connections", dropped}};
}

Json Hub::pong(Json const& how) {
  for (auto const& [key, value] : how.items()) {
    if (key != "send_now") pong_[key] = value;
  }
  if (flag_or(how, "send_now", false)) {
    for (int const id : pick("all")) send_pong(id);
  }
  return pong_;
}

Json Hub::fail_handshakes(Json const& how) {
  add_fault(handshake_faults_, how, 1);
  return {{"faults", handshake_faults_}};
}

Json Hub::connections(bool only_open) const {
  Json list = Json::array();
  for (auto const& connection : connections_) {
    if (only_open && connection->link == nullptr) continue;
    list.push_back({{"id", connection->id},
                    {"open", connection->link != nullptr},
                    {"frozen", connection->frozen},
                    {"device_id", connection->device_id},
                    {"opened_at", connection->opened.count()},
                    {"closed_at", connection->closed.count() == 0 ? Json() : Json(connection->closed.count())},
                    {"ended_by", connection->ended_by},
                    {"pings", connection->pings},
                    {"frames", connection->frames},
                    {"user_agent", connection->user_agent}});
  }
  return list;
}

void Hub::reset() {
  handshake_faults_ = Json::array();
  pong_ = first_pong();
}

void Hub::stop() {
  stopped_ = true;
  for (auto const& connection : connections_) {
    if (connection->link != nullptr) connection->link->abort();
  }
}

}  // namespace kb::feishu_sim
