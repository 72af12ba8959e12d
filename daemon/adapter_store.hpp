/// What adapters keep across a crash, in the journal.
#pragma once

#include <string>
#include <vector>

#include "adapters/adapter.hpp"
#include "adapters/aio/pool.hpp"
#include "config/clock.hpp"
#include "daemon/durable.hpp"

namespace kb::daemon {

/// Loop thread only. Reads run on `files`.
class DurableStore final : public adapters::Store {
 public:
  DurableStore(Durable& durable, aio::Pool& files, Clock const& clock);

  aio::Task<Result<std::string>> claim(std::string key, std::string value) override;
  aio::Task<Result<std::string>> holder(std::string key) override;
  aio::Task<Result<std::vector<adapters::Sending>>> sendings(std::string key) override;
  aio::Task<Result<adapters::Sending>> begin_sending(adapters::Sending sending) override;
  aio::Task<Result<void>> sent(adapters::Sending sending) override;
  aio::Task<Result<void>> refused(adapters::Sending sending) override;
  aio::Task<Result<void>> delivered(std::string key) override;
  aio::Task<Result<void>> give_up(std::string key, std::string reason) override;

 private:
  Durable& durable_;
  aio::Pool& files_;
  Clock const& clock_;
};

}  // namespace kb::daemon
