/// What frames and fragments promise for any bytes at all. Driven by doctest and by the fuzzer.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/feishu/fragments.hpp"
#include "adapters/feishu/frame.hpp"

namespace kb::test {

/// Empty: kept; else what broke.
inline std::string broken_frame(feishu::Frame const& frame) {
  std::string const bytes = frame.encode();
  auto const again = feishu::Frame::decode(bytes);
  if (!again) return "cannot read what it wrote";
  if (again->encode() != bytes) return "reads and writes something else";
  auto const ack = feishu::Frame::decode(frame.ack(200, frame.payload(), std::chrono::milliseconds(7)).encode());
  if (!ack) return "cannot read its acknowledgement";
  if (ack->sequence_id() != frame.sequence_id() || ack->log_id() != frame.log_id()) return "acknowledges another frame";
  if (ack->service() != frame.service() || ack->data() != frame.data()) return "acknowledges by another kind of frame";
  for (std::string_view const key : {"type", "message_id", "seq", "trace_id"}) {
    if (ack->header(key) != frame.header(key)) return "loses a header";
  }
  if (ack->header("biz_rt").empty() && frame.header("biz_rt").data() == nullptr) return "tells no handling time";
  if (!ack->payload().starts_with(R"({"code":200)") || !ack->payload().ends_with("}")) return "acknowledges with junk";
  return {};
}

/// Messages of one link: two bytes of length (big-endian) and a frame, again and again.
inline std::string broken_exchange(std::string_view input) {
  feishu::Fragments::Limits limits;
  limits.max_parts = 8;
  limits.max_sets = 4;
  limits.max_bytes = 2048;
  limits.life = std::chrono::milliseconds(6);
  feishu::Fragments fragments(limits);
  feishu::Fragments::Instant now{};
  while (input.size() > 2) {
    auto const byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(input[i])); };
    std::size_t const length = std::min(byte(0) << 8U | byte(1), input.size() - 2);
    auto const frame = feishu::Frame::decode(input.substr(2, length));
    input.remove_prefix(2 + length);
    now += std::chrono::milliseconds(1);
    if (!frame) continue;
    std::string fault = broken_frame(*frame);
    if (!fault.empty()) return fault;
    std::size_t const most = std::max(frame->payload().size(), limits.max_bytes);
    std::optional<std::string> const whole = fragments.add(*frame, now);
    if (whole && whole->size() > most) return "joins more than allowed";
    if (fragments.open() > limits.max_sets) return "keeps too many sets";
    if (fragments.bytes() > limits.max_bytes) return "keeps too many bytes";
  }
  fragments.expire(now + std::chrono::milliseconds(7));
  return fragments.open() == 0 && fragments.bytes() == 0 ? std::string() : "keeps what is over";
}

/// A frame as broken_exchange() takes it.
inline std::string in_exchange(std::string const& frame) {
  return std::string{static_cast<char>(frame.size() >> 8U & 0xFFU), static_cast<char>(frame.size() & 0xFFU)} + frame;
}

}  // namespace kb::test
