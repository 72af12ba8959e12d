#include "tests/support/fake_link.hpp"

#include <utility>

namespace kb::test {

FakeLink::FakeLink(aio::Executor ex) : changed_(std::move(ex)) {}

void FakeLink::peer_says(std::string message) {
  inbox_.push_back(std::move(message));
  changed_.notify();
}

void FakeLink::peer_leaves() {
  gone_ = true;
  changed_.notify();
}

void FakeLink::peer_reads_again() {
  peer_reads = true;
  changed_.notify();
}

aio::Task<Result<std::string>> FakeLink::read() {
  while (inbox_.empty() && !gone_ && !aborted) {
    bool const go_on = co_await changed_.wait();
    if (!go_on) co_return Error(Errc::cancelled, "cancelled");
  }
  if (aborted || inbox_.empty()) co_return Error(Errc::unavailable, "the peer left");
  std::string next = std::move(inbox_.front());
  inbox_.pop_front();
  co_return next;
}

aio::Task<Result<void>> FakeLink::write(std::string message) {
  while (!peer_reads && !aborted) {
    bool const go_on = co_await changed_.wait();
    if (!go_on) co_return Error(Errc::cancelled, "cancelled");
  }
  if (aborted || closed) co_return Error(Errc::unavailable, "the peer left");
  got.push_back(std::move(message));
  co_return Result<void>();
}

aio::Task<> FakeLink::close() {
  closed = true;
  if (peer_answers_close) peer_leaves();
  while (!gone_ && !aborted) {
    bool const go_on = co_await changed_.wait();
    if (!go_on) co_return;
  }
}

void FakeLink::set_close(unsigned short code, std::string) { close_code = code; }

void FakeLink::abort() noexcept {
  aborted = true;
  changed_.notify();
}

}  // namespace kb::test
