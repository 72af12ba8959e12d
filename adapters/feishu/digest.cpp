#include "adapters/feishu/digest.hpp"

#include <array>
#include <openssl/evp.h>

namespace kb::feishu {

std::string digest(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (std::string_view const part : parts) all.append(std::to_string(part.size())).append(":").append(part);
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  EVP_Digest(all.data(), all.size(), hash.data(), &length, EVP_sha256(), nullptr);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string name;
  for (std::size_t i = 0; i < 16; ++i) {
    name += kHex[hash[i] >> 4U];
    name += kHex[hash[i] & 0xFU];
  }
  return name;
}

}  // namespace kb::feishu
