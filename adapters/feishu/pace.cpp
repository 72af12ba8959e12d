#include "adapters/feishu/pace.hpp"

#include <algorithm>

namespace kb::feishu {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t kKnownChats = 1024;  // beyond: those that are quiet are forgotten

}  // namespace

Pace::Time Pace::Window::next(Time now) const {
  if (taken_.empty()) return now;
  Time const in_order = std::max(now, taken_.back());
  return taken_.size() < most_ ? in_order : std::max(in_order, taken_.front() + span_);
}

void Pace::Window::take(Time at) {
  taken_.push_back(at);
  if (taken_.size() > most_) taken_.pop_front();
}

std::size_t Pace::Window::used(Time now) const {
  return static_cast<std::size_t>(
      std::count_if(taken_.begin(), taken_.end(), [&](Time at) { return at + span_ > now; }));
}

bool Pace::Window::quiet(Time now) const { return taken_.empty() || taken_.back() + span_ <= now; }

Pace::Pace(PaceLimits limits) : limits_(limits), second_(limits.per_second, 1s), minute_(limits.per_minute, 60s) {}

Pace::Chat& Pace::chat_of(std::string const& chat) {
  return chats_.try_emplace(chat, Chat{Window(limits_.per_chat, 1s), {}}).first->second;
}

void Pace::forget_quiet_chats(Time now) {
  std::erase_if(chats_, [&](auto const& one) { return one.second.window.quiet(now) && one.second.held_until <= now; });
}

Pace::Time Pace::chat_turn(std::string const& chat, Time now) {
  if (chats_.size() >= kKnownChats) forget_quiet_chats(now);
  Chat& known = chat_of(chat);
  Time const at = std::max(known.window.next(now), known.held_until);
  known.window.take(at);
  return at;
}

Pace::Time Pace::app_turn(Time now) {
  Time const at = std::max({second_.next(now), minute_.next(now), held_until_});
  second_.take(at);
  minute_.take(at);
  return at;
}

bool Pace::spare_turn(Time now) {
  bool const free = second_.used(now) * 2 < limits_.per_second && minute_.used(now) * 2 < limits_.per_minute;
  if (app_held(now) || !free) return false;
  return app_turn(now) <= now;
}

void Pace::hold_app(Time until) { held_until_ = std::max(held_until_, until); }

void Pace::hold_chat(std::string const& chat, Time until) {
  Chat& known = chat_of(chat);
  known.held_until = std::max(known.held_until, until);
}

bool Pace::app_held(Time now) const noexcept { return held_until_ > now; }

bool Pace::chat_held(std::string const& chat, Time now) const {
  auto const known = chats_.find(chat);
  return known != chats_.end() && known->second.held_until > now;
}

}  // namespace kb::feishu
