#include "logging/record.hpp"

#include <array>
#include <cassert>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

namespace kb::logging {
namespace {

using nlohmann::ordered_json;

/// Everything but the hash, in the order of INTERFACES §3.
ordered_json fields_of(QueryRecord const& r) {
  ordered_json out{{"record_id", r.record_id},
                   {"query_id", r.query_id},
                   {"time", r.time},
                   {"owner", r.repo.owner},
                   {"repo", r.repo.repo},
                   {"open_id", r.open_id},
                   {"chat_type", r.chat_type},
                   {"chat_id", r.chat_id},
                   {"scope", r.scope},
                   {"question", r.question},
                   {"outcome", r.outcome},
                   {"hits", r.hits},
                   {"commit", r.commit},
                   {"confidence", r.confidence},
                   {"gap", r.gap},
                   {"took_us", r.took_us},
                   {"prev", r.prev}};
  for (RecordedClaim const& claim : r.claims) {
    out["claims"].push_back({{"text", claim.text},
                             {"verdict", claim.verdict},
                             {"guard", claim.guard},
                             {"fate", claim.fate},
                             {"paths", claim.paths}});
  }
  return out;
}

/// Compact, raw UTF-8; bytes that are no UTF-8 become U+FFFD, so that writing, reading and writing again is stable.
template <class Json>
std::string dumped(Json const& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The form that is hashed: the object without `hash`, keys sorted, compact, raw UTF-8. Anyone can build it:
/// `json.dumps(r, sort_keys=True, ensure_ascii=False, separators=(",", ":"))`.
std::string canonical(QueryRecord const& record) { return dumped(nlohmann::json(fields_of(record))); }

std::string sha256_hex(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  int const ok = EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  assert(ok == 1);
  static_cast<void>(ok);
  std::string out;
  out.reserve(2 * std::size_t{size});
  for (std::size_t i = 0; i < size; ++i) {
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

QueryRecord record_from(nlohmann::json const& json) {
  QueryRecord r;
  json.at("record_id").get_to(r.record_id);
  json.at("query_id").get_to(r.query_id);
  json.at("time").get_to(r.time);
  json.at("owner").get_to(r.repo.owner);
  json.at("repo").get_to(r.repo.repo);
  json.at("open_id").get_to(r.open_id);
  json.at("chat_type").get_to(r.chat_type);
  json.at("chat_id").get_to(r.chat_id);
  json.at("scope").get_to(r.scope);
  json.at("question").get_to(r.question);
  json.at("outcome").get_to(r.outcome);
  json.at("hits").get_to(r.hits);
  json.at("commit").get_to(r.commit);
  json.at("confidence").get_to(r.confidence);
  json.at("gap").get_to(r.gap);
  json.at("took_us").get_to(r.took_us);
  json.at("prev").get_to(r.prev);
  json.at("hash").get_to(r.hash);
  if (!json.contains("claims")) return r;
  for (nlohmann::json const& claim : json.at("claims")) {
    r.claims.push_back({claim.at("text"), claim.at("verdict"), claim.at("guard"), claim.at("fate"), claim.at("paths")});
  }
  return r;
}

}  // namespace

void chain(QueryRecord& record, std::string_view prev) {
  record.prev = prev;
  record.hash = sha256_hex(canonical(record));
}

bool hash_fits(QueryRecord const& record) { return record.hash == sha256_hex(canonical(record)); }

std::string to_json(QueryRecord const& record) {
  ordered_json json = fields_of(record);
  json["hash"] = record.hash;
  return dumped(json);
}

Result<QueryRecord> parse_record(std::string_view json) {
  try {
    return record_from(nlohmann::json::parse(json));
  } catch (nlohmann::json::exception const& e) {
    return Error(Errc::invalid_input, std::string("query record: ") + e.what());
  }
}

}  // namespace kb::logging
