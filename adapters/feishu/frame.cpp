#include "adapters/feishu/frame.hpp"

#include <adapters/feishu/pbbp2.pb.h>
#include <algorithm>
#include <limits>
#include <openssl/evp.h>
#include <utility>

namespace kb::feishu {
namespace {

/// Standard alphabet, padded.
std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // EVP_EncodeBlock writes a NUL behind
  auto* const out = reinterpret_cast<unsigned char*>(text.data());
  auto const* const in = reinterpret_cast<unsigned char const*>(bytes.data());
  int const length = EVP_EncodeBlock(out, in, static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

struct Frame::State {
  pbbp2::Frame message;  // unknown fields are kept, and so survive into the acknowledgement
};

Frame::Frame(std::unique_ptr<State> state) : state_(std::move(state)) {}
Frame::Frame(Frame&&) noexcept = default;
Frame& Frame::operator=(Frame&&) noexcept = default;
Frame::~Frame() = default;

Result<Frame> Frame::decode(std::string_view bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return Error(Errc::invalid_input, "feishu frame: too long");
  }
  auto state = std::make_unique<State>();
  // Partial, then a check of our own: the library would write what is missing to stderr.
  if (!state->message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Error(Errc::invalid_input, "feishu frame: not a protobuf message");
  }
  if (!state->message.IsInitialized()) return Error(Errc::invalid_input, "feishu frame: a required field is missing");
  return Frame(std::move(state));
}

Frame Frame::ping(std::int32_t service) {
  auto state = std::make_unique<State>();
  state->message.set_seqid(0);
  state->message.set_logid(0);
  state->message.set_service(service);
  state->message.set_method(0);
  auto* const type = state->message.add_headers();
  type->set_key("type");
  type->set_value("ping");
  return Frame(std::move(state));
}

std::string Frame::encode() const { return state_->message.SerializeAsString(); }
bool Frame::control() const noexcept { return state_->message.method() == 0; }
bool Frame::data() const noexcept { return state_->message.method() == 1; }
std::int32_t Frame::service() const noexcept { return state_->message.service(); }
std::uint64_t Frame::sequence_id() const noexcept { return state_->message.seqid(); }
std::uint64_t Frame::log_id() const noexcept { return state_->message.logid(); }
std::string_view Frame::payload() const noexcept { return state_->message.payload(); }

std::string_view Frame::header(std::string_view key) const noexcept {
  for (auto const& header : state_->message.headers()) {
    if (header.key() == key) return header.value();
  }
  return {};
}

Frame Frame::ack(int code, std::string_view data, std::chrono::milliseconds took) const {
  auto state = std::make_unique<State>(*state_);
  auto* const handling = state->message.add_headers();
  handling->set_key("biz_rt");
  handling->set_value(std::to_string(std::max(took, std::chrono::milliseconds::zero()).count()));
  std::string payload = R"({"code":)" + std::to_string(code);
  if (!data.empty()) payload += R"(,"data":")" + base64(data) + '"';
  payload += '}';
  state->message.set_payload(std::move(payload));
  return Frame(std::move(state));
}

}  // namespace kb::feishu
