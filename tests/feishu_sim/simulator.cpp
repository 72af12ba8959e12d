#include "tests/feishu_sim/simulator.hpp"

#include <utility>

#include "adapters/aio/http.hpp"
#include "adapters/aio/task_group.hpp"
#include "tests/feishu_sim/api.hpp"
#include "tests/feishu_sim/control.hpp"
#include "tests/feishu_sim/deliveries.hpp"
#include "tests/feishu_sim/hub.hpp"
#include "tests/feishu_sim/network.hpp"
#include "tests/feishu_sim/query.hpp"
#include "tests/feishu_sim/world.hpp"

namespace kb::feishu_sim {
namespace {

// Nothing here is cut for being slow or silent: that is what clients are tested against.
aio::ServerLimits patient() {
  aio::ServerLimits limits;
  limits.max_request_bytes = 8 * 1024 * 1024;
  limits.max_message_bytes = 64 * 1024 * 1024;
  limits.handshake = std::chrono::minutes(10);
  limits.request = std::chrono::hours(24);
  limits.idle = std::chrono::hours(24);
  return limits;
}

}  // namespace

struct Simulator::Parts {
  aio::Executor ex;
  World world;
  Network network;
  Deliveries deliveries;
  Hub hub;
  Api api;
  Control control;
  aio::HttpServer server;
  std::uint16_t port = 0;
  bool secure = false;

  Parts(aio::Executor e, SimulatorOptions options)
      : ex(std::move(e)),
        world(ex, std::move(options)),
        network(ex),
        deliveries(world, [this](std::string const& id, Json const& data) { control.on_answer(id, data); }),
        hub(ex, world, network,
            Hub::Hooks{
                [this] { deliveries.on_open(); }, [this](int id) { deliveries.on_lost(id); },
                [this](int id, Frame const& frame, std::string const& bytes) { deliveries.on_ack(id, frame, bytes); }}),
        api(ex, world, hub, network),
        control(ex, world, hub, deliveries, api),
        server(
            ex, patient(), [this](aio::HttpRequest request) { return answer(std::move(request)); },
            [this](aio::HttpRequest const& request) { return hub.refuse(request); },
            [this](std::unique_ptr<aio::Link> link, aio::HttpRequest request) {
              return hub.serve(std::move(link), std::move(request));
            }) {
    deliveries.send_through(hub);
  }

  aio::Task<aio::HttpResponse> answer(aio::HttpRequest request) {
    if (request.target.starts_with("/_sim/")) return control.handle(std::move(request));
    return api.handle(std::move(request));
  }
};

Simulator::Simulator(aio::Executor ex, SimulatorOptions options)
    : parts_(std::make_unique<Parts>(std::move(ex), std::move(options))) {}
Simulator::~Simulator() = default;

Result<std::uint16_t> Simulator::listen(std::string const& address, std::uint16_t port) {
  Result<std::uint16_t> const inner = parts_->server.listen("127.0.0.1", 0);
  if (!inner) return inner.error();
  Result<std::uint16_t> outer = parts_->network.listen(address, port, *inner);
  if (outer) parts_->port = *outer;
  return outer;
}

void Simulator::use_tls(std::shared_ptr<aio::TlsContext> tls) {
  parts_->secure = true;
  parts_->api.set_scheme("wss");
  parts_->server.use_tls(std::move(tls));
}

std::string Simulator::base() const {
  return (parts_->secure ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(parts_->port);
}

aio::Task<> Simulator::run() {
  aio::TaskGroup loops(parts_->ex, aio::log_faults());
  loops.spawn("clock", parts_->world.clock.run());
  loops.spawn("network", parts_->network.run());
  loops.spawn("server", parts_->server.run());
  co_await loops.join();
}

void Simulator::stop() {
  parts_->network.stop();
  parts_->hub.stop();
  parts_->api.stop();
  parts_->control.stop();
  parts_->world.clock.stop();
  parts_->world.changed.notify();
  parts_->server.stop();
  parts_->server.abort();
}

Result<std::string> Simulator::act(std::string_view name, std::string_view json) {
  Json const body = Json::parse(json, nullptr, false);
  Result<Json> const done = parts_->control.act(std::string(name), body);
  if (!done) return done.error();
  return dump(*done);
}

Result<std::string> Simulator::read(std::string_view name) const {
  Result<Json> const found = parts_->control.read(std::string(name));
  if (!found) return found.error();
  return dump(*found);
}

std::size_t Simulator::count(std::string_view name, std::string_view filter) const {
  Result<Json> const found = parts_->control.read(std::string(name));
  Json const wanted = Json::parse(filter, nullptr, false);
  if (!found || !found->is_array()) return 0;
  std::size_t n = 0;
  for (Json const& entry : *found) n += matches(entry, wanted) ? 1 : 0;
  return n;
}

void Simulator::advance(std::chrono::milliseconds by) { parts_->world.clock.advance(by); }

}  // namespace kb::feishu_sim
