#include "kbrepo/index/cache_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>

namespace kb::kbrepo::index {

Result<void> replace_cache(std::filesystem::path const& file, std::function<void(std::ostream&)> const& write) {
  std::filesystem::path const temporary = file.string() + "." + std::to_string(::getpid()) + ".tmp";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  write(out);
  out.close();
  std::error_code failed;
  if (out) {
    std::filesystem::rename(temporary, file, failed);
    if (!failed) return {};
  } else {
    failed.assign(errno, std::generic_category());
  }
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  return Error(Errc::unavailable, "writing " + file.string() + ": " + failed.message());
}

std::uint64_t checksum(std::string_view bytes, std::uint64_t hash) noexcept {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = (hash ^ word) * 1099511628211u;
    hash ^= hash >> 32;
  }
  for (char const c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace kb::kbrepo::index
