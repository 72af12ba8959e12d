/// A long connection between the scripted platform and a handler that does what the test says.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <unistd.h>

#include "adapters/feishu/connection.hpp"
#include "logging/service_log.hpp"
#include "tests/feishu/platform.hpp"
#include "tests/support/certificates.hpp"

namespace kb::test {

using namespace std::chrono_literals;
using feishu::ConnectionLimits;
using feishu::ConnectionState;
using feishu::EventAnswer;

/// So fast that a test need not wait.
inline ConnectionLimits fast() {
  ConnectionLimits limits;
  limits.discovery = limits.handshake = 3s;
  limits.shortest_ping = 20ms;
  limits.first_try = limits.first_pause = 2ms;
  limits.longest_pause = 10ms;
  limits.refused_retry = 20ms;
  limits.farewell = limits.close = 200ms;
  limits.seed = 1;
  return limits;
}

struct ConnectionBench {
  Loop loop;
  Platform platform;
  Line line{loop, platform.port};  ///< on the way of links that use it
  aio::HttpClient http;
  aio::Signal release{loop.executor()};
  std::vector<std::pair<std::string, std::string>> events;  ///< type and payload
  std::map<std::string, EventAnswer> answers;               ///< by payload; default: 200
  std::size_t held = 0;                                     ///< events with the payload "hold", until release
  bool ran_out = false;
  feishu::Connection connection;

  explicit ConnectionBench(ConnectionLimits limits = fast(), std::shared_ptr<aio::TlsContext> certificate = nullptr,
                           std::shared_ptr<aio::TlsContext> trust = nullptr)
      : platform(loop, std::move(certificate)),
        http(loop.executor(), trust, {}),
        connection(
            loop.executor(), http, trust, {platform.domain(), "cli_a1b2c3d4e5f60718", kSecret}, limits,
            [this](std::string type, std::string payload) { return on_event(std::move(type), std::move(payload)); }) {}

  ~ConnectionBench() {
    CHECK(stops());
    release.notify();
    line.stop();
    platform.stop();
    http.close_idle();
    CHECK(loop.finishes());
    CHECK(loop.faults().empty());
  }

  void start() { loop.spawn(run()); }
  /// Runs until the link is open.
  void open() {
    start();
    REQUIRE(loop.until([&] { return state().phase == ConnectionState::Phase::open && platform.links() == 1; }));
  }
  [[nodiscard]] bool stops() {
    if (!started) return true;
    auto const before = std::chrono::steady_clock::now();
    connection.stop();
    bool const ended = loop.until([&] { return ran_out; });
    return ended && std::chrono::steady_clock::now() - before < 1s && state().phase == ConnectionState::Phase::idle;
  }
  [[nodiscard]] ConnectionState const& state() const { return connection.state(); }
  [[nodiscard]] bool acked(std::size_t n) {
    return loop.until([&] { return platform.got.size() == n && state().acks == n; });
  }

  aio::Task<> run() {
    started = true;
    co_await connection.run();
    ran_out = true;
  }

  aio::Task<EventAnswer> on_event(std::string type, std::string payload) {
    events.emplace_back(std::move(type), payload);
    if (payload == "throw") throw std::runtime_error("the handler broke");
    if (payload == "hold") {
      ++held;
      (void)co_await release.wait();
      --held;
    }
    co_return answers[payload];
  }

  bool started = false;
};

inline aio::HttpResponse response(unsigned status, std::string body, std::map<std::string, std::string> headers = {}) {
  aio::HttpResponse made;
  made.status = status;
  made.body = std::move(body);
  made.headers = std::move(headers);
  return made;
}

/// Standard error as a file.
class Captured {
 public:
  Captured() : file_(dir_.path() / "stderr"), kept_(::dup(STDERR_FILENO)) {
    int const to = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    REQUIRE_GE(::dup2(to, STDERR_FILENO), 0);
    ::close(to);
    log::set_level(log::Level::debug);
  }
  ~Captured() {
    log::flush();
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
    log::set_level(log::Level::error);
  }
  Captured(Captured const&) = delete;
  Captured& operator=(Captured const&) = delete;

  [[nodiscard]] std::string text() const {
    log::flush();
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Lines of that level and event.
  [[nodiscard]] std::size_t count(std::string const& level, std::string const& event) const {
    std::string const all = text();
    std::string const mark = R"("level":")" + level + R"(","event":")" + event + '"';
    std::size_t n = 0;
    for (auto at = all.find(mark); at != all.npos; at = all.find(mark, at + 1)) ++n;
    return n;
  }

 private:
  TempDir dir_;
  std::filesystem::path file_;
  int kept_;
};

}  // namespace kb::test
