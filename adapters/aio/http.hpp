/// The HTTP/1.1 and WebSocket listener: one port, one handler for plain requests, one for upgraded links.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "adapters/aio/link.hpp"
#include "adapters/aio/task.hpp"
#include "config/result.hpp"

namespace kb::aio {

class TlsContext;

struct HttpRequest {
  std::string method;
  std::string target;                          ///< as sent: path and query
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  std::string peer;  ///< address of the peer

  [[nodiscard]] std::string header(std::string const& lower_case_name) const;
  [[nodiscard]] std::string path() const;  ///< target without the query
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
};

struct ServerLimits {
  std::size_t connections = 12000;
  std::size_t max_request_bytes = 1024 * 1024;
  std::size_t max_message_bytes = 64 * 1024;    ///< of one WebSocket message; larger ends the link with 1009
  std::chrono::milliseconds handshake{10'000};  ///< waiting for a whole request head, and for the WebSocket handshake
  std::chrono::milliseconds idle{90'000};  ///< WebSocket silence before the link is cut; a ping goes out at half of it
  std::chrono::milliseconds request{30'000};  ///< reading a body; then again handling it and writing the response
};

class HttpServer {
 public:
  using OnRequest = std::function<Task<HttpResponse>(HttpRequest)>;
  /// Decides about an upgrade before it is accepted: a response refuses it (401, 403, 404, 503).
  using OnUpgrade = std::function<std::optional<HttpResponse>(HttpRequest const&)>;
  /// Owns the link until it returns.
  using OnLink = std::function<Task<>(std::unique_ptr<Link>, HttpRequest)>;

  HttpServer(Executor ex, ServerLimits limits, OnRequest on_request, OnUpgrade on_upgrade, OnLink on_link);
  ~HttpServer();

  /// Speaks TLS with a server's context. Before listen().
  void use_tls(std::shared_ptr<TlsContext> tls);
  /// Binds and listens; port 0 picks a free one. unavailable: address in use or not ours, naming it.
  [[nodiscard]] Result<std::uint16_t> listen(std::string const& address, std::uint16_t port);
  /// Accepts until stop(); returns when every connection has ended.
  Task<> run();
  /// Closes the listener; plain requests in progress finish. Links are ended by their handlers.
  void stop();
  /// Cuts what is left.
  void abort();
  [[nodiscard]] std::size_t connections() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// A WebSocket client over TCP (ws://host:port/path). `bearer` empty: no Authorization header. For `kbgate chat` and
/// tests.
Task<Result<std::unique_ptr<Link>>> connect_ws(Executor ex, std::string url, std::string bearer, ServerLimits limits);

struct WsCall {
  std::string url;  ///< ws:// or wss://; path and query go out untouched
  std::map<std::string, std::string> headers;
  std::shared_ptr<TlsContext> tls;  ///< for wss://
  /// `handshake` bounds all of it, from the name's resolution to the answer.
  ServerLimits limits;
};

/// A link, or why there is none.
struct WsAnswer {
  std::unique_ptr<Link> link;
  /// unavailable, saying at which step; denied: the certificate, or a refusal with 401 or 403; invalid_input: the URL,
  /// whose query is in no text.
  Error error;
  HttpResponse response;  ///< of a refusal; status 0: there was none. Header names are in lower case.
};
Task<WsAnswer> open_ws(Executor ex, WsCall call);

}  // namespace kb::aio
