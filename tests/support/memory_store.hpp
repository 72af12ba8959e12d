/// What an adapter keeps across a crash, in memory: it outlives the adapter of a test.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "adapters/adapter.hpp"

namespace kb::test {

/// As the journal does it: a try keeps its first time until it is refused, ended replies stay as they ended.
class MemoryStore final : public adapters::Store {
 public:
  aio::Task<Result<std::string>> claim(std::string key, std::string value) override;
  aio::Task<Result<std::string>> holder(std::string key) override;
  aio::Task<Result<std::vector<adapters::Sending>>> sendings(std::string key) override;
  aio::Task<Result<adapters::Sending>> begin_sending(adapters::Sending sending) override;
  aio::Task<Result<void>> sent(adapters::Sending sending) override;
  aio::Task<Result<void>> refused(adapters::Sending sending) override;
  aio::Task<Result<void>> delivered(std::string key) override;
  aio::Task<Result<void>> give_up(std::string key, std::string reason) override;

  std::set<std::string> held;  ///< replies whose sending cannot be begun
  bool failing = false;        ///< changes are refused as unavailable
  std::map<std::string, std::string> claims;
  std::vector<adapters::Sending> tries;      ///< in the order they were begun
  std::map<std::string, std::string> ended;  ///< by key: empty for delivered, else why not
  std::size_t refused_changes = 0;

 private:
  [[nodiscard]] adapters::Sending* find(adapters::Sending const& like);
  [[nodiscard]] Result<void> writable();
};

}  // namespace kb::test
