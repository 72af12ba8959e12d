/// Events on their way to clients: frames, acknowledgements, and again when none comes.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/feishu_sim/frames.hpp"
#include "tests/feishu_sim/hub.hpp"
#include "tests/feishu_sim/world.hpp"

namespace kb::feishu_sim {

class Deliveries {
 public:
  /// Hears what a client answered to a delivery with 200; `data` is the decoded answer body, null without one.
  using OnAnswer = std::function<void(std::string const& delivery, Json const& data)>;
  Deliveries(World& world, OnAnswer on_answer);
  ~Deliveries();
  void send_through(Hub& hub) { hub_ = &hub; }

  /// Sends `body` as `how` says (README.md, "event"); gives the delivery's id.
  std::string add(std::string body, Json const& how);
  void on_open();
  void on_lost(int connection);
  void on_ack(int connection, Frame const& frame, std::string const& bytes);

  [[nodiscard]] Json list(bool only_settled) const;
  [[nodiscard]] std::string status(std::string const& delivery) const;
  void reset();

 private:
  struct Attempt;
  struct Delivery;

  void attempt(Delivery& delivery);
  void send(Delivery& delivery, int connection);
  [[nodiscard]] std::vector<Frame> frames_of(Delivery const& delivery, std::string const& frame_id,
                                             std::string const& trace_id);
  void write(Delivery& delivery, Attempt& attempt, std::vector<Frame> const& frames);
  void write_one(std::string const& frame_id, int connection, Frame const& frame);
  [[nodiscard]] Attempt* find(std::string const& frame_id);
  void failed(Attempt& attempt, std::string const& why);
  void retry(Delivery& delivery, std::string const& why);
  void settle(Delivery& delivery, std::string const& status);
  Json judged(Frame const& frame, std::string const& frame_id);
  void compare(Frame const& sent, Frame const& ack, std::string const& frame_id);

  World& world_;
  OnAnswer on_answer_;
  Hub* hub_ = nullptr;
  std::list<std::unique_ptr<Delivery>> deliveries_;
  std::map<std::string, Attempt*> attempts_;  ///< by the frame's message_id
  std::uint64_t last_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace kb::feishu_sim
