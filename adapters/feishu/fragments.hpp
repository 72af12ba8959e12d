/// Joins the parts of one event. The platform cuts a large event into `sum` data frames with one `message_id`, numbered
/// by `seq` from 0.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kb::feishu {

class Frame;

/// Parts come in any order and may repeat. Bytes are joined in the order of `seq` before anything is decoded: a cut can
/// fall inside a character. A set that stays incomplete is thrown away, unacknowledged, so the server sends it again.
/// Pure: time is passed in.
class Fragments {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  struct Limits {
    std::size_t max_parts = 64;               ///< of one set
    std::size_t max_sets = 64;                ///< open at once; the oldest goes first
    std::size_t max_bytes = 8 * 1024 * 1024;  ///< of all open sets; the oldest goes first
    std::chrono::milliseconds life{10'000};   ///< since a set's last new part
  };

  explicit Fragments(Limits limits) : limits_(limits) {}

  /// The whole payload once its last part is here. Nothing while parts are missing, or when the part or its set had to
  /// be dropped: `seq` not below `sum`, too many or too large parts, a `sum` that changed on the way. A frame without
  /// `message_id`, or without a `sum` that can be read, is a whole event by itself.
  [[nodiscard]] std::optional<std::string> add(Frame const& frame, Instant now);
  /// Throws away the sets whose time is over.
  void expire(Instant now);
  void clear();

  [[nodiscard]] std::size_t open() const noexcept { return sets_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }  ///< frames, of sets too

 private:
  struct Set {
    std::string id;
    std::vector<std::optional<std::string>> parts;
    std::size_t missing = 0;
    std::size_t bytes = 0;
    Instant last{};
  };
  using Sets = std::list<Set>;  ///< the one that waits longest first

  Sets::iterator find(std::string_view id);
  void drop(Sets::iterator set);

  Limits limits_;
  Sets sets_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace kb::feishu
