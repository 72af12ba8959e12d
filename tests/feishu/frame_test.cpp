#include "adapters/feishu/frame.hpp"

#include <doctest/doctest.h>
#include <map>

#include "tests/feishu/golden.hpp"

using namespace kb;
using namespace std::chrono_literals;
using feishu::Frame;
using nlohmann::ordered_json;

namespace {

std::string payload_of(ordered_json const& decoded) {
  if (!decoded.contains("payload")) return {};
  ordered_json const& payload = decoded["payload"];
  if (payload.contains("hex")) return test::bytes_of(payload["hex"].get<std::string>());
  return payload["utf8"].get<std::string>();
}

/// The first value of each key.
std::map<std::string, std::string> headers_of(ordered_json const& decoded) {
  std::map<std::string, std::string> headers;
  for (auto const& header : decoded["headers"]) {
    headers.try_emplace(header["key"].get<std::string>(), header["value"].get<std::string>());
  }
  return headers;
}

}  // namespace

TEST_CASE("every golden frame is read member by member and written byte by byte") {
  REQUIRE_EQ(test::golden()["frames"].size(), 28);
  for (auto const& vector : test::golden()["frames"]) {
    CAPTURE(vector["name"].get<std::string>());
    CAPTURE(vector["why"].get<std::string>());
    std::string const bytes = test::bytes_of(vector["hex"].get<std::string>());
    Result<Frame> const frame = Frame::decode(bytes);
    REQUIRE(frame.has_value());
    ordered_json const& decoded = vector["decoded"];
    CHECK_EQ(std::to_string(frame->sequence_id()), decoded["SeqID"].get<std::string>());
    CHECK_EQ(std::to_string(frame->log_id()), decoded["LogID"].get<std::string>());
    CHECK_EQ(frame->service(), decoded["service"].get<std::int32_t>());
    CHECK_EQ(frame->control(), decoded["method"] == 0);
    CHECK_EQ(frame->data(), decoded["method"] == 1);
    for (auto const& [key, value] : headers_of(decoded)) CHECK_EQ(frame->header(key), value);
    CHECK_EQ(frame->header("no such header"), "");
    CHECK_EQ(frame->payload(), payload_of(decoded));
    CHECK(frame->encode() == bytes);
  }
}

TEST_CASE("every decoder case is refused or read as expected") {
  REQUIRE_EQ(test::golden()["decoder_cases"].size(), 13);
  for (auto const& vector : test::golden()["decoder_cases"]) {
    CAPTURE(vector["name"].get<std::string>());
    CAPTURE(vector["why"].get<std::string>());
    Result<Frame> const frame = Frame::decode(test::bytes_of(vector["hex"].get<std::string>()));
    REQUIRE_EQ(frame.has_value(), vector["expect"] == "ok");
    if (!frame) CHECK(frame.error().code == Errc::invalid_input);
  }
}

TEST_CASE("of a field given twice the last value counts") {
  Result<Frame> const frame = Frame::decode(test::bytes_of("08010805100018012001"));
  REQUIRE(frame.has_value());
  CHECK_EQ(frame->sequence_id(), 5);
}

TEST_CASE("a ping is the bytes official clients send") {
  struct Row {
    char const* name;
    std::int32_t service;
  };
  static constexpr Row rows[] = {{"ping", 33554678}, {"ping_service_1", 1}, {"ping_service_negative", -1}};
  for (auto const& row : rows) {
    CAPTURE(row.name);
    CHECK(Frame::ping(row.service).encode() == test::golden_bytes(row.name));
  }
}

TEST_CASE("an acknowledgement is the frame that came, changed in two places") {
  std::size_t compared = 0;
  for (auto const& vector : test::golden()["frames"]) {
    // Another client's form of the same: null members and empty optional strings.
    if (!vector.contains("answers") || vector["name"] == "ack_event_single_go_style") continue;
    CAPTURE(vector["name"].get<std::string>());
    CAPTURE(vector["why"].get<std::string>());
    Result<Frame> const event = Frame::decode(test::golden_bytes(vector["answers"].get<std::string>()));
    REQUIRE(event.has_value());
    int const code = ordered_json::parse(payload_of(vector["decoded"]))["code"].get<int>();
    std::string const data = vector.contains("ack_data_decoded") ? vector["ack_data_decoded"].dump() : std::string();
    CHECK(event->ack(code, data, 0ms).encode() == test::bytes_of(vector["hex"].get<std::string>()));
    ++compared;
  }
  CHECK_EQ(compared, 6);
}

TEST_CASE("an acknowledgement tells the handling time, which is never negative") {
  Result<Frame> const event = Frame::decode(test::golden_bytes("event_single"));
  REQUIRE(event.has_value());
  CHECK_EQ(event->ack(200, "", 123ms).header("biz_rt"), "123");
  CHECK_EQ(event->ack(200, "", -5ms).header("biz_rt"), "0");
  CHECK_EQ(event->header("biz_rt"), "");  // the event itself is as it was
}

TEST_CASE("an acknowledgement's data is padded base64") {
  Result<Frame> const event = Frame::decode(test::golden_bytes("event_single"));
  REQUIRE(event.has_value());
  struct Row {
    char const* data;
    char const* want;
  };
  static constexpr Row rows[] = {{"{}", R"({"code":200,"data":"e30="})"},
                                 {"{ }", R"({"code":200,"data":"eyB9"})"},
                                 {"{  }", R"({"code":200,"data":"eyAgfQ=="})"},
                                 {"", R"({"code":200})"}};
  for (auto const& row : rows) {
    CAPTURE(row.data);
    CHECK_EQ(event->ack(200, row.data, 0ms).payload(), row.want);
  }
}

TEST_CASE("fields that nobody knows survive into the acknowledgement") {
  Result<Frame> const event = Frame::decode(test::bytes_of("0800100018012001820103616263"));
  REQUIRE(event.has_value());
  std::string const ack = event->ack(200, "", 0ms).encode();
  CHECK(ack.ends_with(test::bytes_of("820103616263")));
}
