/// HTTP/1.1 requests to http:// and https:// servers, with connections kept for the next one.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/aio/http.hpp"
#include "adapters/aio/task.hpp"
#include "adapters/aio/tls.hpp"
#include "adapters/aio/url.hpp"
#include "config/result.hpp"

namespace kb::aio {

struct HttpCall {
  std::string method = "GET";
  std::string url;  ///< absolute
  std::map<std::string, std::string> headers;
  std::string body;
  std::chrono::milliseconds limit{15'000};  ///< for the whole call
  /// A kept connection can turn out dead when it is used, and then nobody knows whether the call arrived: only a
  /// repeatable call uses one, and is made once more on a new one. For calls that the server knows by an id, or that
  /// change nothing.
  bool repeatable = false;
  /// Set to true before the first byte leaves: while it is false nothing can have happened at the server. May be null;
  /// must outlive the call.
  bool* sent = nullptr;
  /// Takes the body of a response with status 200 while it comes, instead of HttpResponse::body. False: the rest is not
  /// wanted, and the response counts as whole. What it refers to must outlive the call.
  std::function<bool(std::string_view)> on_body;
};

class HttpClient {
 public:
  struct Limits {
    std::size_t connections = 16;  ///< at once to one server; further calls wait
    std::size_t max_response_bytes = 4 * 1024 * 1024;
    std::chrono::milliseconds keep{30'000};  ///< an idle connection
  };
  /// `tls` may be null when only http:// is called. `proxy`: https:// goes through it, by CONNECT.
  HttpClient(Executor ex, std::shared_ptr<TlsContext> tls, Limits limits, std::optional<Url> proxy = std::nullopt);
  ~HttpClient();

  /// Any status is a response; header names are in lower case. unavailable: no whole response within the limit, saying
  /// at which step it failed; denied: the certificate; exhausted: the response is too large; invalid_input: the URL. No
  /// error text holds the query of a URL.
  [[nodiscard]] Task<Result<HttpResponse>> send(HttpCall call);
  /// Idle connections end; calls in progress finish.
  void close_idle();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kb::aio
