/// Brings settled records to each repository's log ref: one commit per repository and second, retried until it stands.
#pragma once

#include <functional>
#include <memory>

#include "adapters/aio/pool.hpp"
#include "adapters/aio/task.hpp"
#include "config/control_files.hpp"
#include "daemon/durable.hpp"

namespace kb::daemon {

/// Loop thread only.
class Publisher {
 public:
  using BooksNow = std::function<std::shared_ptr<config::Books const>()>;
  Publisher(aio::Executor ex, aio::Pool& git, Durable& durable, Clock const& clock, BooksNow books);

  /// Publishes once a second until cancelled.
  aio::Task<> run();
  /// One attempt for every repository with waiting records.
  aio::Task<> publish_all();

 private:
  aio::Executor ex_;
  aio::Pool& git_;
  Durable& durable_;
  Clock const& clock_;
  BooksNow books_;
  bool failing_ = false;
};

}  // namespace kb::daemon
