#include "adapters/aio/tls.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "adapters/aio/watchdog.hpp"

namespace kb::aio {
namespace {

namespace ssl = asio::ssl;
using boost::system::error_code;
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable_t<Executor>());
constexpr std::size_t kMostRecord = 16 * 1024;  // RFC 8446 §5.1

/// A WireStream with the names asio::ssl asks for.
class Lower : public WireStream {
 public:
  using lowest_layer_type = Lower;
  using WireStream::WireStream;
  lowest_layer_type& lowest_layer() noexcept { return *this; }
  [[nodiscard]] lowest_layer_type const& lowest_layer() const noexcept { return *this; }
};

/// Outlives the TlsWire while one of its operations is pending: those refer to the stream.
struct Session {
  std::shared_ptr<Wire> inner;
  ssl::stream<Lower> stream;
  std::string record;  ///< what is being written
  bool finished = false;

  Session(std::shared_ptr<Wire> wire, ssl::context& context) : inner(std::move(wire)), stream(inner, context) {}
};

/// A caller's handler that keeps the session. Cancelling the caller cancels the operation.
struct Holding {
  using cancellation_slot_type = asio::cancellation_slot;
  std::shared_ptr<Session> session;
  Wire::Handler done;

  [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept {
    return asio::get_associated_cancellation_slot(done);
  }
  void operator()(error_code ec, std::size_t n) {
    auto const until_called = std::move(session);
    std::move(done)(ec, n);
  }
};

class TlsWire final : public Wire {
 public:
  explicit TlsWire(std::shared_ptr<Session> session) : session_(std::move(session)) {}
  ~TlsWire() override { session_->inner->close(); }
  TlsWire(TlsWire const&) = delete;
  TlsWire& operator=(TlsWire const&) = delete;

  Executor executor() override { return session_->inner->executor(); }

  void read_some(asio::mutable_buffer into, Handler done) override {
    session_->stream.async_read_some(into, Holding{session_, std::move(done)});
  }

  // Pieces become one record: a head and its body would otherwise go out as two, each in a packet of its own.
  void write_some(Pieces const& from, Handler done) override {
    std::string& record = session_->record;
    record.clear();
    for (auto const& piece : from) {
      std::size_t const take = std::min(piece.size(), kMostRecord - record.size());
      record.append(static_cast<char const*>(piece.data()), take);
    }
    session_->stream.async_write_some(asio::buffer(record), Holding{session_, std::move(done)});
  }

  // close_notify; the peer's answer is waited for until it comes or the wire is closed.
  void finish() noexcept override {
    if (std::exchange(session_->finished, true)) return;
    session_->stream.async_shutdown([session = session_](error_code) {});
  }

  void stop_reading() noexcept override { session_->inner->stop_reading(); }
  void close() noexcept override { session_->inner->close(); }

 private:
  std::shared_ptr<Session> session_;
};

Task<Result<std::shared_ptr<Wire>>> shake_hands(std::shared_ptr<Session> session, ssl::stream_base::handshake_type role,
                                                std::chrono::milliseconds limit, std::string peer) {
  Watchdog slow(session->inner->executor(), limit, [&session] { session->inner->close(); });
  auto const [ec] = co_await session->stream.async_handshake(role, kQuietly);
  if (!ec) co_return std::shared_ptr<Wire>(std::make_shared<TlsWire>(std::move(session)));
  session->inner->close();
  std::string const place = "TLS with " + peer + ": ";
  if (slow.bitten()) co_return Error(Errc::unavailable, place + "no answer in time");
  if (ec == asio::error::operation_aborted) co_return Error(Errc::cancelled, place + "given up");
  long const verdict = SSL_get_verify_result(session->stream.native_handle());
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    co_return Error(Errc::denied, place + "the certificate is another host's");
  }
  if (verdict != X509_V_OK) {
    std::string const why = X509_verify_cert_error_string(verdict);
    co_return Error(Errc::denied, place + "the certificate is not trusted: " + why);
  }
  co_return Error(Errc::unavailable, place + ec.message());
}

/// The certificate must be for this host; the server hears the name, so that it can choose one.
bool expect_host(SSL* connection, std::string const& host) {
  error_code no_address;
  asio::ip::make_address(host, no_address);
  if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host.c_str()) == 1;
  SSL_set_hostflags(connection, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // SSL_set_tlsext_host_name is a macro with an old-style cast.
  bool const named = SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                              const_cast<char*>(host.c_str())) == 1;
  return named && SSL_set1_host(connection, host.c_str()) == 1;
}

}  // namespace

struct TlsContext::State {
  ssl::context context;
  explicit State(ssl::context::method method) : context(method) {
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  }
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<TlsContext>> TlsContext::client(std::filesystem::path const& ca_file) {
  auto state = std::make_unique<State>(ssl::context::tls_client);
  error_code ec;
  state->context.set_verify_mode(ssl::verify_peer, ec);
  if (!ec && ca_file.empty()) state->context.set_default_verify_paths(ec);
  if (ec) return Error(Errc::unavailable, "the system's certificate authorities: " + ec.message());
  if (!ca_file.empty()) state->context.load_verify_file(ca_file.string(), ec);
  if (ec) return Error(Errc::invalid_input, ca_file.string() + ": no certificate authorities: " + ec.message());
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(state)));
}

Result<std::shared_ptr<TlsContext>> TlsContext::server(std::filesystem::path const& chain,
                                                       std::filesystem::path const& key) {
  auto state = std::make_unique<State>(ssl::context::tls_server);
  error_code ec;
  state->context.use_certificate_chain_file(chain.string(), ec);
  if (ec) return Error(Errc::invalid_input, chain.string() + ": no certificate chain: " + ec.message());
  state->context.use_private_key_file(key.string(), ssl::context::pem, ec);
  if (ec) return Error(Errc::invalid_input, key.string() + ": not the certificate's key: " + ec.message());
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(state)));
}

Task<Result<std::shared_ptr<Wire>>> tls_connect(std::shared_ptr<Wire> inner, std::shared_ptr<TlsContext> context,
                                                std::string host, std::chrono::milliseconds limit) {
  auto session = std::make_shared<Session>(std::move(inner), context->state().context);
  if (!expect_host(session->stream.native_handle(), host)) {
    co_return Error(Errc::invalid_input, "TLS with " + host + ": not a host's name");
  }
  co_return co_await shake_hands(std::move(session), ssl::stream_base::client, limit, std::move(host));
}

Task<Result<std::shared_ptr<Wire>>> tls_accept(std::shared_ptr<Wire> inner, std::shared_ptr<TlsContext> context,
                                               std::chrono::milliseconds limit) {
  auto session = std::make_shared<Session>(std::move(inner), context->state().context);
  co_return co_await shake_hands(std::move(session), ssl::stream_base::server, limit, "a client");
}

}  // namespace kb::aio
