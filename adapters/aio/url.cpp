#include "adapters/aio/url.hpp"

#include <algorithm>

namespace kb::aio {
namespace {

bool visible(char c) noexcept { return c > ' ' && c < '\x7F'; }

std::string_view default_port(std::string_view scheme) noexcept {
  if (scheme == "http" || scheme == "ws") return "80";
  if (scheme == "https" || scheme == "wss") return "443";
  return {};
}

}  // namespace

std::string Url::authority() const {
  std::string const name = host.find(':') == host.npos ? host : "[" + host + "]";
  return default_port ? name : name + ":" + port;
}

std::string without_query(std::string_view url) {
  std::string_view const kept = url.substr(0, url.find_first_of("?#"));
  std::size_t const scheme = kept.find("://");
  if (scheme == kept.npos) return std::string(kept);
  std::size_t const start = scheme + 3;
  std::string_view const place = kept.substr(start, kept.find('/', start) - start);
  std::size_t const user = place.rfind('@');
  if (user == place.npos) return std::string(kept);
  return std::string(kept.substr(0, start)) + std::string(kept.substr(start + user + 1));
}

Result<Url> parse_url(std::string_view url) {
  auto const no = [&](std::string const& why) { return Error(Errc::invalid_input, without_query(url) + ": " + why); };
  if (!std::all_of(url.begin(), url.end(), visible)) return Error(Errc::invalid_input, "a URL with blanks in it");
  Url parsed;
  std::size_t const scheme = std::min(url.find("://"), url.size());
  parsed.scheme = url.substr(0, scheme);
  std::string_view const usual = default_port(parsed.scheme);
  if (usual.empty() || scheme == url.size()) return no("expected scheme://host:port/path");
  std::string_view const rest = url.substr(scheme + 3).substr(0, url.substr(scheme + 3).find('#'));
  std::size_t const end = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view const place = rest.substr(0, end);
  if (place.find('@') != place.npos) return no("user information in a URL");

  std::size_t const bracket = place.find(']');
  std::size_t const colon = std::min(place.find(':', bracket == place.npos ? 0 : bracket), place.size());
  std::string_view host = place.substr(0, colon);
  if (bracket != place.npos && host.size() > 2) host = host.substr(1, host.size() - 2);
  parsed.host = host;
  parsed.port = colon == place.size() ? usual : place.substr(colon + 1);
  parsed.default_port = parsed.port == usual;
  if (parsed.host.empty() || parsed.port.empty()) return no("no host or port");
  auto const digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::all_of(parsed.port.begin(), parsed.port.end(), digit)) return no("the port is no number");
  parsed.target = rest.substr(end);
  if (parsed.target.empty() || parsed.target[0] != '/') parsed.target.insert(0, "/");
  return parsed;
}

}  // namespace kb::aio
