/// What an idle bridge connection costs and how many round trips a second the loop carries, over loopback.
///   connections_bench [connections = 10000] [seconds = 3]
/// The clients live in a process of their own, so that the memory measured is the server's alone.
#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/aio/task_group.hpp"
#include "adapters/aio/wait.hpp"
#include "adapters/bridge/server.hpp"

using namespace kb;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kConnecting = 200;  // at once
constexpr std::size_t kAsking = 64;       // connections of the echo part

/// One number from one process to the other.
class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_.data()) != 0) std::abort();
  }
  [[nodiscard]] int reading() const { return ends_[0]; }
  void put(long value) const {
    if (::write(ends_[1], &value, sizeof value) != sizeof value) std::abort();
  }
  [[nodiscard]] long get() const {
    long value = 0;
    if (::read(ends_[0], &value, sizeof value) != sizeof value) std::abort();
    return value;
  }

 private:
  std::array<int, 2> ends_{};
};

struct Client {
  aio::Executor ex;
  std::string url;
  std::size_t wanted;
  std::vector<std::unique_ptr<aio::Link>> links{};
  long round_trips = 0;

  aio::Task<> connect() {
    while (wanted > 0) {
      --wanted;
      aio::ServerLimits limits;
      Result<std::unique_ptr<aio::Link>> link = co_await aio::connect_ws(ex, url, "", limits);
      if (!link) {
        std::fprintf(stderr, "%s\n", link.error().what.c_str());
        std::exit(1);
      }
      links.push_back(std::move(*link));
    }
  }

  aio::Task<> ask(aio::Link& link, std::size_t number, Clock::time_point end) {
    for (long i = 0; Clock::now() < end; ++i) {
      std::string const id = std::to_string(number) + "." + std::to_string(i);
      std::string frame =
          R"({"type":"message","id":")" + id + R"(","SenderId":"ou_1","ChatType":"p2p","text":"what?"})";
      (void)co_await link.write(std::move(frame));
      for (int answers = 0; answers < 2; ++answers) {
        Result<std::string> const got = co_await link.read();
        if (!got) std::exit(1);
      }
      ++round_trips;
    }
  }
};

void run_group(aio::asio::io_context& io, aio::TaskGroup& group) {
  io.restart();
  while (group.size() != 0) io.run_one();
}

int client(std::size_t connections, std::chrono::seconds time, Pipe const& to_client, Pipe const& to_server) {
  aio::asio::io_context io(1);
  Client c{io.get_executor(), "ws://127.0.0.1:" + std::to_string(to_client.get()) + "/ws", connections};
  aio::TaskGroup group(io.get_executor(), aio::log_faults());
  for (std::size_t i = 0; i < kConnecting; ++i) group.spawn("connect", c.connect());
  run_group(io, group);
  to_server.put(static_cast<long>(c.links.size()));
  (void)to_client.get();
  Clock::time_point const end = Clock::now() + time;
  for (std::size_t i = 0; i < std::min(kAsking, c.links.size()); ++i) group.spawn("ask", c.ask(*c.links[i], i, end));
  run_group(io, group);
  to_server.put(c.round_trips);
  for (auto& link : c.links) link->abort();
  return 0;
}

long resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  statm >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

struct Server {
  aio::Executor ex;
  std::chrono::seconds time;
  Pipe const& to_client;
  Pipe const& to_server;
  bridge::Bridge bridge;
  aio::HttpServer http;

  Server(aio::Executor e, std::chrono::seconds t, Pipe const& down, Pipe const& up)
      : ex(e),
        time(t),
        to_client(down),
        to_server(up),
        bridge(
            ex, {}, [this](scope::InboundMessage m) { return echo(std::move(m)); },
            [](bridge::FeedbackFrame) -> aio::Task<Result<void>> { co_return Result<void>(); }, [](std::string) {}),
        http(
            ex, {}, [](aio::HttpRequest) -> aio::Task<aio::HttpResponse> { co_return aio::HttpResponse(); },
            [](aio::HttpRequest const&) { return std::optional<aio::HttpResponse>(); },
            [this](std::unique_ptr<aio::Link> link, aio::HttpRequest) {
              return bridge.serve(std::move(link), "local");
            }) {}

  aio::Task<Result<bridge::Accepted>> echo(scope::InboundMessage m) {
    adapters::Reply reply;
    reply.key = m.message_id;
    reply.outcome = "answered";
    reply.text = m.text;
    reply.to = std::move(m);
    (void)bridge.say(reply);
    co_return bridge::Accepted();
  }

  aio::Task<> measure() {
    long const before = resident_bytes();
    to_client.put(*http.listen("127.0.0.1", 0));
    (void)co_await aio::wait_readable(ex, to_server.reading());
    long const connections = to_server.get();
    long const after = resident_bytes();
    std::printf("%ld idle connections: %.1f KB each, %.1f MB in all\n", connections,
                static_cast<double>(after - before) / 1024.0 / static_cast<double>(connections),
                static_cast<double>(after) / 1048576.0);
    to_client.put(0);
    (void)co_await aio::wait_readable(ex, to_server.reading());
    std::printf("%.0f round trips a second over %zu of them (ask, ack, answer)\n",
                static_cast<double>(to_server.get()) / static_cast<double>(time.count()), kAsking);
    http.stop();
    bridge.drain();
  }
};

int serve(std::chrono::seconds time, Pipe const& to_client, Pipe const& to_server) {
  aio::asio::io_context io(1);
  Server server(io.get_executor(), time, to_client, to_server);
  aio::TaskGroup group(io.get_executor(), aio::log_faults());
  group.spawn("measure", server.measure());
  io.poll();  // it listens
  group.spawn("http", server.http.run());
  run_group(io, group);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const connections = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000;
  std::chrono::seconds const time(argc > 2 ? std::strtol(argv[2], nullptr, 10) : 3);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  Pipe const to_client;
  Pipe const to_server;
  pid_t const child = ::fork();
  if (child == 0) return client(connections, time, to_client, to_server);
  int const result = serve(time, to_client, to_server);
  ::waitpid(child, nullptr, 0);
  return result;
}
