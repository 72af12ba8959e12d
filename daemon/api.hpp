/// The HTTP API: /v1/*, /mcp and /metrics on the bridge's port (INTERFACES §5). Errors are application/problem+json.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/aio/pool.hpp"
#include "adapters/model/model_client.hpp"
#include "daemon/durable.hpp"
#include "daemon/embedder.hpp"
#include "daemon/library.hpp"
#include "daemon/metrics.hpp"
#include "daemon/query_cache.hpp"
#include "daemon/rate_limit.hpp"
#include "daemon/tools.hpp"

namespace kb::daemon {

/// Loop thread only.
class Api {
 public:
  struct Hooks {
    std::function<World()> world;
    RepoStateOf repo_state;
    std::function<std::vector<Gauge>()> gauges;  ///< as they are now
    Embedder* embedder = nullptr;                ///< null: words alone
    model::ModelClient* model = nullptr;         ///< null: questions are answered extractively
  };
  /// Tools run on `cpu`, what reads the journal on `files`. `token`: of the gateway; who may call, and as whom, is
  /// daemon/peer.
  Api(aio::Pool& cpu, aio::Pool& files, Durable& durable, Clock const& clock, Metrics& metrics, std::string token,
      Hooks hooks);

  [[nodiscard]] static bool serves(std::string_view path) noexcept;
  aio::Task<aio::HttpResponse> answer(aio::HttpRequest request);
  /// An agent's call over the bridge: JSON text of the result, a refusal included. invalid_input: no such tool.
  aio::Task<Result<std::string>> call(std::string tool, std::string arguments, Caller caller);

 private:
  /// Counts a call; the text when there were too many. Empty: within the rate.
  [[nodiscard]] std::string over_rate(Caller const& caller);
  aio::Task<aio::HttpResponse> routed(aio::HttpRequest request, std::string route, std::optional<Caller> bound);
  aio::Task<aio::HttpResponse> v1(aio::HttpRequest request, std::string name, std::optional<Caller> bound);
  aio::Task<aio::HttpResponse> mcp(aio::HttpRequest request, std::optional<Caller> bound);
  aio::Task<aio::HttpResponse> safety_net(aio::HttpRequest request, bool models);
  aio::Task<ToolReply> run_tool(ToolCall call);
  aio::Task<ToolReply> run_books(std::string name, std::string arguments, Caller caller);
  aio::Task<aio::HttpResponse> metrics();

  aio::Pool& cpu_;
  aio::Pool& files_;
  Durable& durable_;
  Clock const& clock_;
  Metrics& metrics_;
  std::string token_;
  Hooks hooks_;
  RateLimit rate_;
  QueryCache kept_;
};

/// GET /openapi.json and /llms.txt.
[[nodiscard]] std::string openapi_json();
[[nodiscard]] std::string llms_txt();

}  // namespace kb::daemon
