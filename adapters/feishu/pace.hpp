/// How fast the platform lets an app call it. Pure: time is passed in.
///
/// Its limits count calls in a second or a minute, so each is kept as the times of the last calls: a bucket that fills
/// up would let twice as many through around one moment. We stay a little below, as calls bunch up on the way.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <string>

namespace kb::feishu {

struct PaceLimits {
  std::size_t per_second = 45, per_minute = 950;  ///< of the app; the platform's are 50 and 1000
  std::size_t per_chat = 4;                       ///< a second; the platform's 5 are shared by all bots of a group
};

/// Turns are given in the order they are asked for: each call takes its own time in the future, so nobody is overtaken.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit Pace(PaceLimits limits);

  /// When the next message to this chat may go. Takes that turn.
  [[nodiscard]] Time chat_turn(std::string const& chat, Time now);
  /// When the next call of the app may go. Takes that turn.
  [[nodiscard]] Time app_turn(Time now);
  /// Takes a turn right now if half of the app's are free; false: there is none to spare.
  [[nodiscard]] bool spare_turn(Time now);

  /// The platform said "too fast": nothing of the app, or to this chat, before then. Turns given already have to be
  /// asked for again (see the two below).
  void hold_app(Time until);
  void hold_chat(std::string const& chat, Time until);
  [[nodiscard]] bool app_held(Time now) const noexcept;
  [[nodiscard]] bool chat_held(std::string const& chat, Time now) const;

 private:
  /// At most `most` turns in any `span`.
  class Window {
   public:
    Window(std::size_t most, std::chrono::milliseconds span) : most_(most), span_(span) {}
    [[nodiscard]] Time next(Time now) const;
    void take(Time at);
    [[nodiscard]] std::size_t used(Time now) const;
    [[nodiscard]] bool quiet(Time now) const;

   private:
    std::size_t most_;
    std::chrono::milliseconds span_;
    std::deque<Time> taken_;  ///< the last `most_`, in order
  };
  struct Chat {
    Window window;
    Time held_until{};
  };
  void forget_quiet_chats(Time now);
  Chat& chat_of(std::string const& chat);

  PaceLimits limits_;
  Window second_, minute_;
  Time held_until_{};
  std::map<std::string, Chat> chats_;
};

}  // namespace kb::feishu
