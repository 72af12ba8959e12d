#include "daemon/durable.hpp"

#include <boost/asio/post.hpp>
#include <memory>
#include <optional>

#include "adapters/aio/signal.hpp"

namespace kb::daemon {
namespace {

template <class T>
struct Pending {
  explicit Pending(aio::Executor const& ex) : changed(ex) {}
  std::optional<Result<T>> result;
  aio::Signal changed;
};

/// What the journal's thread calls: carries the result over to the loop.
template <class T>
std::function<void(Result<T>)> onto_loop(aio::Executor const& ex, std::shared_ptr<Pending<T>> pending) {
  return [ex, pending](Result<T> result) {
    boost::asio::post(ex, [pending, result = std::move(result)]() mutable {
      pending->result.emplace(std::move(result));
      pending->changed.notify();
    });
  };
}

template <class T>
aio::Task<Result<T>> outcome(std::shared_ptr<Pending<T>> pending) {
  while (!pending->result) {
    co_await pending->changed.wait_through();
  }
  co_return std::move(*pending->result);
}

}  // namespace

Durable::Durable(aio::Executor ex, logging::Journal& journal) : ex_(std::move(ex)), journal_(journal) {}

aio::Task<Result<logging::Admitted>> Durable::admit(scope::InboundMessage message, TimePoint now) {
  auto pending = std::make_shared<Pending<logging::Admitted>>(ex_);
  journal_.admit(std::move(message), now, onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<void>> Durable::settle(logging::Settlement settlement, TimePoint now) {
  auto pending = std::make_shared<Pending<void>>(ex_);
  journal_.settle(std::move(settlement), now, onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<void>> Durable::mark_published(std::vector<std::int64_t> rows) {
  auto pending = std::make_shared<Pending<void>>(ex_);
  journal_.mark_published(std::move(rows), onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<void>> Durable::add_feedback(logging::Feedback feedback) {
  auto pending = std::make_shared<Pending<void>>(ex_);
  journal_.add_feedback(std::move(feedback), onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<std::size_t>> Durable::expire(TimePoint now, std::chrono::hours keep) {
  auto pending = std::make_shared<Pending<std::size_t>>(ex_);
  journal_.expire(now, keep, onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<std::string>> Durable::claim(std::string key, std::string value, TimePoint now) {
  auto pending = std::make_shared<Pending<std::string>>(ex_);
  journal_.claim(std::move(key), std::move(value), now, onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<logging::SendingRow>> Durable::begin_sending(logging::SendingRow row) {
  auto pending = std::make_shared<Pending<logging::SendingRow>>(ex_);
  journal_.begin_sending(std::move(row), onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<void>> Durable::sent(logging::SendingRow row) {
  auto pending = std::make_shared<Pending<void>>(ex_);
  journal_.sent(std::move(row), onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<void>> Durable::refused(logging::SendingRow row) {
  auto pending = std::make_shared<Pending<void>>(ex_);
  journal_.refused(std::move(row), onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<void>> Durable::delivered(std::string key, TimePoint now) {
  auto pending = std::make_shared<Pending<void>>(ex_);
  journal_.mark_delivered(std::move(key), now, onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

aio::Task<Result<void>> Durable::give_up(std::string key, std::string reason, TimePoint now) {
  auto pending = std::make_shared<Pending<void>>(ex_);
  journal_.give_up(std::move(key), std::move(reason), now, onto_loop(ex_, pending));
  return outcome(std::move(pending));
}

void Durable::mark_delivered(std::string key, TimePoint now) { journal_.mark_delivered(std::move(key), now); }

}  // namespace kb::daemon
