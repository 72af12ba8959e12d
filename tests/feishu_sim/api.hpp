/// The open-apis side: routes, tokens, limits, and what each call does to the world.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/aio/signal.hpp"
#include "adapters/aio/task.hpp"
#include "tests/feishu_sim/cards.hpp"
#include "tests/feishu_sim/content.hpp"
#include "tests/feishu_sim/hub.hpp"
#include "tests/feishu_sim/network.hpp"
#include "tests/feishu_sim/world.hpp"

namespace kb::feishu_sim {

/// One call, taken apart.
struct Call {
  std::map<std::string, std::string> params, query;
  Json body;
  std::string host;
  [[nodiscard]] std::string param(char const* name) const;
  [[nodiscard]] std::string asked(char const* name) const;
};

struct Answer {
  unsigned status = 200;
  Json json;
  std::map<std::string, std::string> headers;
};

class Api {
 public:
  Api(aio::Executor ex, World& world, Hub& hub, Network& network);
  ~Api();

  aio::Task<aio::HttpResponse> handle(aio::HttpRequest request);
  /// Of the URLs that discovery gives: ws or wss.
  void set_scheme(std::string scheme) { scheme_ = std::move(scheme); }
  /// Calls that are held back go on.
  void stop();

  // The control API.
  Json fail(Json const& how);
  Json delay(Json const& how);
  Json endpoint(Json const& how);
  /// Discovery answers `mode` from now on; null: as usual.
  void set_endpoint(Json mode) { endpoint_ = std::move(mode); }
  [[nodiscard]] Json const& faults() const noexcept { return faults_; }
  [[nodiscard]] Json cards() const { return cards_.list(); }
  /// Puts a card in a message, as a callback's answer or token may. Nothing: done.
  std::optional<Refusal> apply_card(std::string const& message_id, Json const& card, std::string const& by);
  void reset();

  using Handler = Answer (Api::*)(Call const&);

 private:
  struct Route;
  static std::vector<Route> const& routes();

  aio::Task<> hold_back(Millis time);
  [[nodiscard]] std::optional<Refusal> check_token(aio::HttpRequest const& request) const;
  [[nodiscard]] std::optional<Answer> check_api_rate(std::string const& route);
  Answer run(Route const& route, aio::HttpRequest const& request, Call& call);

  Answer discover(Call const& call);
  Answer token(Call const& call);
  Answer scopes(Call const& call);
  Answer bot_info(Call const& call);
  Answer send(Call const& call);
  Answer reply(Call const& call);
  Answer patch_card(Call const& call);
  Answer edit(Call const& call);
  Answer recall(Call const& call);
  Answer get_message(Call const& call);
  Answer add_reaction(Call const& call);
  Answer list_reactions(Call const& call);
  Answer delete_reaction(Call const& call);
  Answer get_chat(Call const& call);
  Answer get_user(Call const& call);
  Answer delayed_card_update(Call const& call);
  Answer cardkit_create(Call const& call);
  Answer cardkit_update(Call const& call);
  Answer cardkit_settings(Call const& call);
  Answer cardkit_content(Call const& call);

  [[nodiscard]] std::optional<Refusal> check_content(std::string const& msg_type, Json const& content) const;
  [[nodiscard]] std::optional<Refusal> check_chat(std::string const& chat_id) const;
  [[nodiscard]] std::optional<Refusal> check_chat_rate(std::string const& chat_id);
  [[nodiscard]] std::optional<Refusal> check_message(std::string const& id, bool for_reply) const;
  Answer store(Call const& call, Chat const& chat, Message* parent);

  aio::Executor ex_;
  World& world_;
  Hub& hub_;
  Network& network_;
  Cards cards_;
  Json faults_ = Json::array(), delays_ = Json::array();
  Json endpoint_;
  std::string scheme_ = "ws";
  aio::Signal resumed_;
  bool stopped_ = false;
};

}  // namespace kb::feishu_sim
