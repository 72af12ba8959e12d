#include "kbrepo/index/stem.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <libstemmer.h>
#include <memory>
#include <new>
#include <vector>

namespace kb::kbrepo::index {
namespace {

struct FreeStemmer {
  void operator()(sb_stemmer* stemmer) const noexcept { sb_stemmer_delete(stemmer); }
};

/// One word and its stem in one cache line; a word may be forgotten when another takes its place.
struct Entry {
  std::uint8_t word_size = 0, stem_size = 0;
  std::array<char, 31> word, stem;
};
constexpr std::size_t kEntries = 4096;  // 256 KiB a thread: words of ordinary prose hit nine times in ten

/// A Snowball stemmer may be used by one thread at a time, so each thread has its own.
class Stemmer {
 public:
  Stemmer() : snowball_(sb_stemmer_new("english", "UTF_8")), entries_(kEntries) {
    if (!snowball_) throw std::bad_alloc();
  }

  std::string_view stem(std::string_view word) {
    if (word.size() > std::tuple_size_v<decltype(Entry::word)>) return snowball(word);
    Entry& entry = entries_[slot_of(word)];
    if (entry.word_size != word.size() || std::memcmp(entry.word.data(), word.data(), word.size()) != 0) {
      std::string_view const stemmed = snowball(word);
      if (stemmed.size() > entry.stem.size()) return stemmed;
      entry.word_size = static_cast<std::uint8_t>(word.size());
      entry.stem_size = static_cast<std::uint8_t>(stemmed.size());
      std::memcpy(entry.word.data(), word.data(), word.size());
      std::memcpy(entry.stem.data(), stemmed.data(), stemmed.size());
    }
    return {entry.stem.data(), entry.stem_size};
  }

 private:
  static std::size_t slot_of(std::string_view word) noexcept {
    std::uint64_t h = 0xCBF29CE484222325u;
    for (char const c : word) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return static_cast<std::size_t>(h >> 40) % kEntries;
  }

  std::string_view snowball(std::string_view word) {
    auto const* in = reinterpret_cast<sb_symbol const*>(word.data());
    sb_symbol const* out = sb_stemmer_stem(snowball_.get(), in, static_cast<int>(word.size()));
    if (out == nullptr) throw std::bad_alloc();
    return {reinterpret_cast<char const*>(out), static_cast<std::size_t>(sb_stemmer_length(snowball_.get()))};
  }

  std::unique_ptr<sb_stemmer, FreeStemmer> snowball_;
  std::vector<Entry> entries_;
};

}  // namespace

std::string_view stem(std::string_view word) {
  thread_local Stemmer stemmer;
  return stemmer.stem(word);
}

}  // namespace kb::kbrepo::index
