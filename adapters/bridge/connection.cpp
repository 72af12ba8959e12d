#include "adapters/bridge/connection.hpp"

#include <exception>
#include <utility>

#include "adapters/aio/task_group.hpp"
#include "adapters/aio/watchdog.hpp"

namespace kb::bridge {

Connection::Connection(aio::Executor ex, std::unique_ptr<aio::Link> link, Hooks hooks, ConnectionLimits limits)
    : ex_(std::move(ex)),
      link_(std::move(link)),
      hooks_(std::move(hooks)),
      limits_(limits),
      outbox_(ex_, limits.outbox) {}

// Reads in the caller's task and spawns the writer alone: a second task would cost each idle connection 1.5 KB.
aio::Task<> Connection::run() {
  std::exception_ptr fault;
  auto give_up = [this, &fault](std::string const&, std::exception_ptr e) {
    fault = e;
    leave();  // the other loop ends too
    link_->abort();
  };
  aio::TaskGroup writer(ex_, give_up);
  writer.spawn("write", write_loop());
  try {
    co_await read_loop();
  } catch (...) {
    give_up("read", std::current_exception());
  }
  co_await writer.join();
  if (fault) std::rethrow_exception(fault);
}

aio::Task<> Connection::read_loop() {
  for (;;) {
    Result<std::string> message = co_await link_->read();
    if (!message) break;
    if (leaving_) continue;  // read on, so that the peer's close frame is seen
    co_await hooks_.handle(std::move(*message));
  }
  leave();  // lets the writer finish; the link is gone or going
}

aio::Task<> Connection::write_loop() {
  for (;;) {
    std::optional<aio::Outgoing> next = co_await outbox_.take();
    if (!next) break;
    aio::Watchdog stuck(ex_, limits_.write, [this] { link_->abort(); });
    Result<void> const sent = co_await link_->write(std::move(next->text));
    if (!sent) break;
    if (!next->tag.empty()) hooks_.sent(next->tag);
  }
  leave();
  aio::Watchdog grace(ex_, limits_.grace, [this] { link_->abort(); });
  co_await link_->close();
  link_->abort();  // ends the reader whatever the peer did
}

bool Connection::say(aio::Outgoing message) {
  if (leaving_) return false;
  if (outbox_.offer(std::move(message))) return true;
  outbox_.discard();  // a peer this far behind would only delay its end; what it misses is kept by who sent it
  stop(1008, "reading too slowly");
  return false;
}

void Connection::stop(unsigned short code, std::string reason) {
  if (leaving_) return;
  link_->set_close(code, std::move(reason));
  leave();
}

void Connection::leave() {
  leaving_ = true;
  outbox_.close();
  hooks_.leaving();
}

}  // namespace kb::bridge
