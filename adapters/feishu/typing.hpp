/// The reaction that a question wears while its answer takes long. Best effort: it never holds up a reply.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "adapters/adapter.hpp"
#include "adapters/feishu/api.hpp"

namespace kb::feishu {

/// Loop thread only. At most one call to add it per question, never repeated: bots have used up their month's calls
/// with reactions. Its id is kept in the store, so that it goes away also when the answer comes after a restart.
class Typing {
 public:
  /// `may_add` is asked before each call that adds one.
  Typing(aio::Executor ex, Api& api, adapters::Store& store, std::chrono::milliseconds slow,
         std::function<bool()> may_add);
  ~Typing();

  void expect(std::string const& message_id);
  /// The answer is out, or there will be none.
  void over(std::string const& message_id);
  /// Lets go of questions that are still open; what is being removed is removed.
  void leave();
  void cancel();
  /// Returns when nothing is under way; after leave() or cancel().
  aio::Task<> join();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kb::feishu
