#include <array>
#include <cassert>
#include <openssl/evp.h>
#include <sys/random.h>

#include "logging/record.hpp"

namespace kb::logging {
namespace {

// Our own RFC 4122 name space (drawn at random once): changing it would change every idempotency key and record id.
constexpr std::array<unsigned char, 16> kNamespace{0x7b, 0x0e, 0x5c, 0x1d, 0x3f, 0x52, 0x4a, 0x86,
                                                   0x9d, 0x21, 0x64, 0xe8, 0x0c, 0xb7, 0x93, 0x4f};

void append_hex(std::string& out, unsigned char byte) {
  static constexpr char kDigits[] = "0123456789abcdef";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

}  // namespace

std::string ulid(TimePoint time, std::uint64_t random_high16, std::uint64_t random_low64) {
  static constexpr char kAlphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";  // Crockford: no I, L, O, U
  auto const since_epoch = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  std::uint64_t const millis = since_epoch > 0 ? static_cast<std::uint64_t>(since_epoch) : 0;
  // 48 bits of time and 80 of randomness, read as 26 digits of 5 bits from the low end; the top digit holds 3 bits.
  std::uint64_t high = (millis << 16) | (random_high16 & 0xFFFF);
  std::uint64_t low = random_low64;
  std::string out(26, '0');
  for (auto digit = out.rbegin(); digit != out.rend(); ++digit) {
    *digit = kAlphabet[low & 31];
    low = (low >> 5) | (high << 59);
    high >>= 5;
  }
  return out;
}

std::string new_query_id(Clock const& clock) {
  std::array<std::uint64_t, 2> random{};
  ssize_t const got = getrandom(random.data(), sizeof random, 0);
  assert(got == static_cast<ssize_t>(sizeof random));  // cannot fail for 16 bytes once the system has booted
  static_cast<void>(got);
  return ulid(clock.now(), random[0], random[1]);
}

std::string uuid5(std::string_view name) {
  std::string input(reinterpret_cast<char const*>(kNamespace.data()), kNamespace.size());
  input += name;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  int const ok = EVP_Digest(input.data(), input.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
  assert(ok == 1);
  static_cast<void>(ok);
  digest[6] = static_cast<unsigned char>((digest[6] & 0x0F) | 0x50);  // version 5
  digest[8] = static_cast<unsigned char>((digest[8] & 0x3F) | 0x80);  // RFC 4122 variant
  std::string out;
  out.reserve(36);
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    append_hex(out, digest[i]);
  }
  return out;
}

std::string record_id(std::string_view query_id, RepoId const& repo) {
  // The length in front keeps the three parts apart whatever they hold; an owner holds no '/'.
  return uuid5("record " + std::to_string(query_id.size()) + ' ' + std::string(query_id) + ' ' + repo.str());
}

}  // namespace kb::logging
