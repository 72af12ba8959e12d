/// What each asker was told of late, for follow-ups (S1-8). In memory only.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "answer/follow_up.hpp"
#include "scope/message.hpp"

namespace kb::daemon {

/// Loop thread only. At most three turns for each asker in each chat and thread, and a bounded number of askers.
class RecentTurns {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The turns of the sender of `message` in its chat and thread that are at most ten minutes old, latest last.
  [[nodiscard]] std::vector<answer::EarlierTurn> of(scope::InboundMessage const& message, Time now) const;
  /// A question that found nothing, or was refused, ends what could be leant on, unless it leant itself.
  void remember(scope::InboundMessage const& message, answer::Answer const& answer, Time now);
  [[nodiscard]] std::size_t askers() const noexcept { return turns_.size(); }

 private:
  struct Asker {
    scope::Principal principal;
    scope::ChatType chat_type = scope::ChatType::direct;
    ChatId chat;
    std::string thread;
    friend auto operator<=>(Asker const&, Asker const&) = default;
  };
  struct Turn {
    answer::EarlierTurn turn;
    Time at;
  };
  [[nodiscard]] static Asker asker_of(scope::InboundMessage const& message);
  void make_room(Time now);

  std::map<Asker, std::deque<Turn>> turns_;
};

}  // namespace kb::daemon
