#include "daemon/recent_turns.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace kb::daemon {
namespace {

constexpr std::chrono::minutes kLifetime{10};
constexpr std::size_t kTurns = 3;
constexpr std::size_t kManyAskers = 1024;

}  // namespace

std::vector<answer::EarlierTurn> RecentTurns::of(scope::InboundMessage const& message, Time now) const {
  std::vector<answer::EarlierTurn> out;
  auto const found = turns_.find(asker_of(message));
  if (found == turns_.end()) return out;
  for (Turn const& turn : found->second) {
    if (now - turn.at <= kLifetime) out.push_back(turn.turn);
  }
  return out;
}

void RecentTurns::remember(scope::InboundMessage const& message, answer::Answer const& answer, Time now) {
  if (answer.outcome == answer::Outcome::handed_off) return;
  std::optional<answer::EarlierTurn> turn = answer::turn_of(answer);
  if (!turn && !answer.assumed.empty()) return;  // what it leant on is still what is spoken of
  Asker asker = asker_of(message);
  if (!turn) {
    turns_.erase(asker);
    return;
  }
  if (!turns_.contains(asker)) make_room(now);
  std::deque<Turn>& turns = turns_[std::move(asker)];
  turns.push_back({std::move(*turn), now});
  if (turns.size() > kTurns) turns.pop_front();
}

RecentTurns::Asker RecentTurns::asker_of(scope::InboundMessage const& message) {
  return {message.principal, message.chat_type, message.chat, message.thread};
}

void RecentTurns::make_room(Time now) {
  if (turns_.size() < kManyAskers) return;
  std::erase_if(turns_, [&](auto const& entry) { return now - entry.second.back().at > kLifetime; });
  if (turns_.size() < kManyAskers) return;
  turns_.erase(std::min_element(turns_.begin(), turns_.end(),
                                [](auto const& a, auto const& b) { return a.second.back().at < b.second.back().at; }));
}

}  // namespace kb::daemon
