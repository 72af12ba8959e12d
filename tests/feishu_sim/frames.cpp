#include "tests/feishu_sim/frames.hpp"

#include <adapters/feishu/pbbp2.pb.h>
#include <algorithm>
#include <array>
#include <openssl/evp.h>

namespace kb::feishu_sim {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> Frame::header(std::string_view key) const {
  auto const at = std::find_if(headers.begin(), headers.end(), [&](auto const& h) { return h.first == key; });
  if (at == headers.end()) return std::nullopt;
  return at->second;
}

std::string encode(Frame const& frame) {
  pbbp2::Frame out;
  out.set_seqid(frame.seq_id);
  out.set_logid(frame.log_id);
  out.set_service(frame.service);
  out.set_method(frame.method);
  for (auto const& [key, value] : frame.headers) {
    auto* const header = out.add_headers();
    header->set_key(key);
    header->set_value(value);
  }
  if (frame.payload_encoding) out.set_payload_encoding(*frame.payload_encoding);
  if (frame.payload_type) out.set_payload_type(*frame.payload_type);
  if (frame.payload) out.set_payload(*frame.payload);
  if (frame.log_id_new) out.set_logidnew(*frame.log_id_new);
  return out.SerializeAsString();
}

Result<Frame> decode(std::string_view bytes) {
  pbbp2::Frame in;
  if (!in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Error(Errc::invalid_input, "not a frame, or a required field is missing");
  }
  Frame frame;
  frame.seq_id = in.seqid();
  frame.log_id = in.logid();
  frame.service = in.service();
  frame.method = in.method();
  for (auto const& header : in.headers()) frame.headers.emplace_back(header.key(), header.value());
  if (in.has_payload_encoding()) frame.payload_encoding = in.payload_encoding();
  if (in.has_payload_type()) frame.payload_type = in.payload_type();
  if (in.has_payload()) frame.payload = in.payload();
  if (in.has_logidnew()) frame.log_id_new = in.logidnew();
  return frame;
}

Json to_json(Frame const& frame) {
  Json headers = Json::array();
  for (auto const& [key, value] : frame.headers) headers.push_back({{"key", key}, {"value", value}});
  Json json{{"SeqID", std::to_string(frame.seq_id)},
            {"LogID", std::to_string(frame.log_id)},
            {"service", frame.service},
            {"method", frame.method},
            {"headers", std::move(headers)}};
  if (frame.payload_encoding) json["payloadEncoding"] = *frame.payload_encoding;
  if (frame.payload_type) json["payloadType"] = *frame.payload_type;
  if (frame.payload) json["payload"] = *frame.payload;
  if (frame.log_id_new) json["LogIDNew"] = *frame.log_id_new;
  return json;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (char const c : bytes) {
    auto const byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

Result<std::string> from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    int const high = digit(hex[i]);
    int const low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return Error(Errc::invalid_input, "hex: a character is no digit");
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  if (hex.size() % 2 != 0) return Error(Errc::invalid_input, "hex: an odd number of digits");
  return bytes;
}

std::string to_base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  auto const* const from = reinterpret_cast<unsigned char const*>(bytes.data());
  int const n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), from, static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(n));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes(text.size() / 4 * 3 + 1, '\0');
  auto const* const from = reinterpret_cast<unsigned char const*>(text.data());
  int const n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), from, static_cast<int>(text.size()));
  if (n < 0) return std::nullopt;
  std::size_t const padding = text.size() - std::min(text.size(), text.find_last_not_of('=') + 1);
  bytes.resize(static_cast<std::size_t>(n) - std::min<std::size_t>(padding, 2));
  if (to_base64(bytes) != text) return std::nullopt;  // the library is lenient about blanks and padding
  return bytes;
}

}  // namespace kb::feishu_sim
