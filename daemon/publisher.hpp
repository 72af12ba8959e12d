/// Brings settled records to each repository's log ref: one commit per repository and second, retried until it stands.
#pragma once

#include <chrono>
#include <functional>
#include <map>
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
  enum class Urgency { routine, last_chance };
  /// One attempt for every repository with waiting records; in routine, not for those that failed a moment ago.
  aio::Task<> publish_all(Urgency urgency);

 private:
  void settle(RepoId const& id, std::string const& fault);

  aio::Executor ex_;
  aio::Pool& git_;
  Durable& durable_;
  Clock const& clock_;
  BooksNow books_;
  /// A repository that cannot be written: it alone waits, longer each time.
  struct Trouble {
    std::chrono::steady_clock::time_point retry_at{};
    std::chrono::milliseconds pause{0};
  };
  std::map<RepoId, Trouble> troubled_;
  bool unreadable_ = false;  ///< the journal itself
};

}  // namespace kb::daemon
