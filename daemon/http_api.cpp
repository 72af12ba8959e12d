#include "daemon/http_api.hpp"

#include <algorithm>

#include "adapters/bridge/server.hpp"
#include "daemon/api.hpp"
#include "daemon/json_out.hpp"
#include "daemon/version.hpp"
#include "daemon/web_page.hpp"

namespace kb::daemon {
namespace {

aio::HttpResponse json(unsigned status, Json const& body) {
  aio::HttpResponse response;
  response.status = status;
  response.body = dump(body) + "\n";
  response.headers["cache-control"] = "no-store";
  return response;
}

aio::HttpResponse ready(std::vector<Check> const& checks, bool details) {
  bool is_ready = true;
  bool degraded = false;
  Json rows = Json::array();
  for (Check const& check : checks) {
    is_ready = is_ready && (check.ok || !check.fatal);
    degraded = degraded || !check.ok;
    if (!details) continue;
    Json row{{"name", check.name}, {"ok", check.ok}};
    if (!check.detail.empty()) row["detail"] = check.detail;
    rows.push_back(std::move(row));
  }
  Json body{{"ready", is_ready}, {"status", !is_ready ? "not ready" : degraded ? "degraded" : "ok"}};
  if (details) body["checks"] = std::move(rows);
  return json(is_ready ? 200 : 503, body);
}

aio::HttpResponse page(WebFile const& file) {
  aio::HttpResponse response;
  response.content_type = std::string(file.content_type);
  response.body = std::string(file.content);
  response.headers["cache-control"] = "no-cache";
  response.headers["x-content-type-options"] = "nosniff";
  // The page speaks to its own origin alone and runs no inline script.
  response.headers["content-security-policy"] =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors "
      "'none'";
  return response;
}

}  // namespace

aio::HttpResponse problem(unsigned status, std::string const& title, std::string const& detail) {
  aio::HttpResponse response =
      json(status, {{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}});
  response.content_type = "application/problem+json";
  return response;
}

aio::HttpResponse handle_http(aio::HttpRequest const& request, Checks const& checks, std::string const& token) {
  std::string const path = request.path();
  if (request.method != "GET" && request.method != "HEAD") {
    aio::HttpResponse response = problem(405, "Method Not Allowed", request.method + " is not served here");
    response.headers["allow"] = "GET, HEAD";
    return response;
  }
  if (path == "/livez") return json(200, {{"status", "ok"}});
  if (path == "/readyz" || path == "/healthz") {
    bool const details = token.empty() || bridge::token_matches(request.header("authorization"), token);
    return ready(checks(), details);
  }
  if (path == "/version") return json(200, {{"version", kVersion}, {"commit", kBuildCommit}, {"build", kBuildType}});
  if (path == "/openapi.json") {
    aio::HttpResponse response;
    response.body = openapi_json() + "\n";
    return response;
  }
  if (path == "/llms.txt") {
    aio::HttpResponse response;
    response.content_type = "text/plain; charset=utf-8";
    response.body = llms_txt();
    return response;
  }
  if (WebFile const* file = find_web_file(path)) return page(*file);
  return problem(404, "Not Found", path + " is not served here; the WebSocket bridge is at /ws");
}

}  // namespace kb::daemon
