/// TLS over TCP as a Wire. Certificates are always verified; there is no way to switch that off.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "adapters/aio/task.hpp"
#include "adapters/aio/wire.hpp"
#include "config/result.hpp"

namespace kb::aio {

/// Keys and trust, shared by many connections.
class TlsContext {
 public:
  /// For a client: trusts the system's authorities, or only those of `ca_file` (PEM) when one is given. invalid_input
  /// names a file that holds none.
  [[nodiscard]] static Result<std::shared_ptr<TlsContext>> client(std::filesystem::path const& ca_file = {});
  /// For a server: a certificate chain and its key, PEM.
  [[nodiscard]] static Result<std::shared_ptr<TlsContext>> server(std::filesystem::path const& chain,
                                                                  std::filesystem::path const& key);
  ~TlsContext();
  struct State;
  [[nodiscard]] State& state() const noexcept { return *state_; }

 private:
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Client side: SNI, chain and host name checked. denied: the certificate is not trusted or is another host's, saying
/// which; unavailable: the peer went away. `limit` is for the handshake.
[[nodiscard]] Task<Result<std::shared_ptr<Wire>>> tls_connect(std::shared_ptr<Wire> inner,
                                                              std::shared_ptr<TlsContext> context, std::string host,
                                                              std::chrono::milliseconds limit);
[[nodiscard]] Task<Result<std::shared_ptr<Wire>>> tls_accept(std::shared_ptr<Wire> inner,
                                                             std::shared_ptr<TlsContext> context,
                                                             std::chrono::milliseconds limit);

}  // namespace kb::aio
