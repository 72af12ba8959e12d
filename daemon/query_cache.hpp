/// kb_query's answers, kept for the task of a session (S0-74): the same caller with the same question gets the same
/// answer again without a page being read, for five minutes or until a commit is new.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "answer/protocols/project_query.hpp"
#include "daemon/tools.hpp"

namespace kb::daemon {

/// What an answer of kb_query follows from, as text: who asks, what they may read and at which commits, the arguments.
/// Scope is resolved here, before anything is looked up (C-36). Empty: another tool, or a refusal. Pure.
[[nodiscard]] std::string cache_key(ToolCall const& call, World const& world);

/// Values in, values out; one thread, no lock. At most 512 answers: the oldest go first.
class QueryCache {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Answer = std::shared_ptr<protocols::ProjectReply const>;

  [[nodiscard]] Answer find(std::string const& key, Time now);  ///< null: none that is young enough
  void keep(std::string key, Answer answer, Time now);
  [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }  ///< since the start

 private:
  struct Entry {
    Answer answer;
    Time kept_at;
  };
  std::map<std::string, Entry> entries_;
  std::uint64_t hits_ = 0;
};

}  // namespace kb::daemon
