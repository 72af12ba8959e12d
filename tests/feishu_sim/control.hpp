/// The control API: what a test may do to the platform, and what it may ask it. README.md has the bodies.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "adapters/aio/http.hpp"
#include "tests/feishu_sim/api.hpp"
#include "tests/feishu_sim/deliveries.hpp"
#include "tests/feishu_sim/hub.hpp"
#include "tests/feishu_sim/world.hpp"

namespace kb::feishu_sim {

class Control {
 public:
  Control(aio::Executor ex, World& world, Hub& hub, Deliveries& deliveries, Api& api);

  /// not_found: no such action or read; invalid_input: its body.
  [[nodiscard]] Result<Json> act(std::string const& name, Json const& body);
  [[nodiscard]] Result<Json> read(std::string const& name) const;
  /// The same over HTTP, and `wait`.
  aio::Task<aio::HttpResponse> handle(aio::HttpRequest request);
  /// Nobody waits any longer.
  void stop() { stopped_ = true; }

  /// What a client answered to a delivery: of interest when it was a click.
  void on_answer(std::string const& delivery, Json const& data);

 private:
  using Action = std::function<Result<Json>(Json const&)>;
  Result<Json> event(Json const& how);
  Result<Json> payload(Json const& how);
  Result<Json> say(Json const& how);
  Result<Json> click(Json const& how);
  Result<Json> frame(Json const& how);
  Result<Json> goaway(Json const& how);
  Result<Json> token(Json const& how);
  Result<Json> chat(Json const& how);
  Result<Json> user(Json const& how);
  Result<Json> recall(Json const& how);
  Result<Json> config(Json const& how);
  Result<Json> clock(Json const& how);
  Result<Json> reset();

  [[nodiscard]] Result<Json> load_event(Json const& how);
  /// What the platform itself knows once it sends such an event.
  void remember(Json const& event);
  Json deliver(Json const& event, Json const& how);
  [[nodiscard]] Json state() const;
  [[nodiscard]] Json messages(bool all) const;
  [[nodiscard]] Json clicks() const;
  [[nodiscard]] Json files() const;
  [[nodiscard]] Json tokens() const;
  aio::Task<aio::HttpResponse> wait(Json how);

  aio::Executor ex_;
  World& world_;
  Hub& hub_;
  Deliveries& deliveries_;
  Api& api_;
  std::map<std::string, Action> actions_;
  bool stopped_ = false;
};

}  // namespace kb::feishu_sim
