#include "adapters/aio/outbox.hpp"

#include <utility>

namespace kb::aio {

Outbox::Outbox(Executor ex, std::size_t limit) : limit_(limit), changed_(std::move(ex)) {}

bool Outbox::offer(Outgoing message) {
  if (closed_ || queue_.size() >= limit_) return false;
  queue_.push_back(std::move(message));
  changed_.notify();
  return true;
}

Task<std::optional<Outgoing>> Outbox::take() {
  while (queue_.empty() && !closed_) {
    bool const go_on = co_await changed_.wait();
    if (!go_on) co_return std::nullopt;
  }
  if (queue_.empty()) co_return std::nullopt;
  Outgoing next = std::move(queue_.front());
  queue_.pop_front();
  co_return next;
}

void Outbox::close() {
  closed_ = true;
  changed_.notify();
}

void Outbox::discard() { queue_.clear(); }

}  // namespace kb::aio
