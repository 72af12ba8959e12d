#include "adapters/bridge/access.hpp"

#include <algorithm>
#include <array>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <span>

namespace kb::bridge {
namespace {

struct HostPort {
  std::string_view host, port;
};

/// "[::1]:80", "name:80", "name". An IPv6 address keeps its brackets.
HostPort split(std::string_view text, std::string_view default_port) noexcept {
  std::size_t const bracket = text.rfind(']');
  std::size_t const colon = text.find(':', bracket == text.npos ? 0 : bracket);
  if (colon == text.npos) return {text, default_port};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same_word(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// Four decimal numbers of which the first is 127: a name like 127.0.0.1.example is none.
bool loopback_v4(std::string_view host) noexcept {
  if (!host.starts_with("127.")) return false;
  auto const digit_or_dot = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  return std::count(host.begin(), host.end(), '.') == 3 && std::all_of(host.begin(), host.end(), digit_or_dot);
}

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest sha256(std::string_view text) noexcept {
  Digest digest{};
  SHA256(reinterpret_cast<unsigned char const*>(text.data()), text.size(), digest.data());
  return digest;
}

std::string hex_of(std::span<unsigned char const> bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (unsigned char const byte : bytes) {
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 0xF]);
  }
  return out;
}

}  // namespace

bool loopback_host(std::string_view host) noexcept {
  std::string_view const name = split(host, "").host;
  return same_word(name, "localhost") || name == "[::1]" || loopback_v4(name);
}

bool origin_allowed(std::string_view origin, std::string_view host) noexcept {
  if (origin.empty()) return true;
  std::size_t const scheme = origin.find("://");
  if (scheme == origin.npos) return false;
  std::string_view const port = same_word(origin.substr(0, scheme), "https") ? "443" : "80";
  HostPort const from = split(origin.substr(scheme + 3), port);
  HostPort const to = split(host, port);
  if (from.host.empty()) return false;
  bool const same = same_word(from.host, to.host) && from.port == to.port;
  return same || (loopback_host(from.host) && loopback_host(to.host));
}

std::string_view bearer_of(std::string_view authorization_header) noexcept {
  constexpr std::string_view kScheme = "Bearer ";
  bool const bearer = same_word(authorization_header.substr(0, kScheme.size()), kScheme);
  return bearer ? authorization_header.substr(kScheme.size()) : std::string_view();
}

bool token_matches(std::string_view authorization_header, std::string_view token) noexcept {
  Digest const given = sha256(bearer_of(authorization_header));
  Digest const wanted = sha256(token);
  return !token.empty() && CRYPTO_memcmp(given.data(), wanted.data(), given.size()) == 0;
}

std::string token_hash(std::string_view token) { return hex_of(sha256(token)); }

bool same_hash(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Result<std::string> new_token() {
  Digest random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return Error(Errc::unavailable, "the system gives no random bytes");
  }
  return "kbg_" + hex_of(random);
}

std::string token_account(std::string_view token) { return "token:" + token_hash(token).substr(0, 8); }

}  // namespace kb::bridge
