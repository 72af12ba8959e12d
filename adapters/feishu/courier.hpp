/// Carries one reply to the platform, whatever it answers. The rules per answer stand in `meet()`.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "adapters/adapter.hpp"
#include "adapters/aio/signal.hpp"
#include "adapters/feishu/api.hpp"
#include "adapters/feishu/delivery.hpp"
#include "adapters/feishu/ladder.hpp"

namespace kb::feishu {

/// One reply on its way.
struct Errand {
  Errand(aio::Executor ex, adapters::Reply r) : reply(std::move(r)), woken(std::move(ex)) {}
  adapters::Reply reply;
  bool recalled = false;  ///< the question was: it need not go out
  aio::Signal woken;      ///< to look again before its pause is over
};

/// How an errand ended.
struct Carried {
  enum class How {
    on,         ///< not yet: the next step
    delivered,  ///< and noted
    given_up,   ///< and noted
    chat_gone,  ///< given up and noted; nothing can be sent to this chat
    left,       ///< we are leaving: the store knows how far it came
  };
  How how = How::on;
  std::string reason;
};

/// Loop thread only; one errand per chat at a time. Its maker ends its tasks before it goes.
class Courier {
 public:
  Courier(aio::Executor ex, Api& api, adapters::Store& store, Clock const& clock, DeliveryLimits const& limits,
          DeliveryStats& stats);

  aio::Task<Carried> carry(std::shared_ptr<Errand> errand);
  /// Noted, as long as we stay.
  aio::Task<Carried> give_up(std::shared_ptr<Errand> errand, std::string reason, Outcome outcome);
  /// A message of its own, tried a few times; nothing of it is noted.
  aio::Task<Outcome> announce(std::shared_ptr<Errand> errand, std::string chat_id, Part part, std::string uuid);
  /// No more pauses: what would wait leaves.
  void leave() noexcept { leaving_ = true; }
  /// The month's calls are used up, or nothing goes through.
  [[nodiscard]] bool scarce() const noexcept { return outage_; }

 private:
  aio::Task<std::optional<Ladder>> ladder_of(std::shared_ptr<Errand> errand);
  aio::Task<Carried> take_step(std::shared_ptr<Errand> errand, Ladder& ladder, int number);
  aio::Task<Carried> meet(std::shared_ptr<Errand> errand, Ladder& ladder, adapters::Sending sending, Outcome outcome);
  aio::Task<Outcome> call(std::shared_ptr<Errand> errand, Step step, Part part, std::string uuid);
  /// False: cancelled.
  aio::Task<bool> take_slot();
  /// False: leave.
  aio::Task<bool> pause(std::shared_ptr<Errand> errand, std::chrono::milliseconds time);
  template <class T>
  aio::Task<Result<T>> persist(std::shared_ptr<Errand> errand, std::function<aio::Task<Result<T>>()> write);
  void note_trouble(Errand const& errand, Outcome const& outcome);
  void note_success();

  aio::Executor ex_;
  Api& api_;
  adapters::Store& store_;
  Clock const& clock_;
  DeliveryLimits const limits_;
  DeliveryStats& stats_;
  std::size_t calls_ = 0;
  bool leaving_ = false, outage_ = false;
  aio::Signal slot_free_;
};

}  // namespace kb::feishu
