/// Small made-up documents for the tests of the index.
#pragma once

#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "kbrepo/index/index.hpp"

namespace kb::test {

using namespace kbrepo::index;

/// A document that owns its texts, which DocumentText only looks at.
struct MadeDocument {
  std::string path, title;
  std::vector<std::string> headings, bodies;

  [[nodiscard]] DocKey key() const {
    std::string all = title;
    for (std::size_t i = 0; i < bodies.size(); ++i) all += '\n' + headings[i] + '\n' + bodies[i];
    kbrepo::BlobId blob;
    std::seed_seq seed(all.begin(), all.end());
    std::array<std::uint32_t, 20> words{};
    seed.generate(words.begin(), words.end());
    for (std::size_t i = 0; i < words.size(); ++i) blob.bytes[i] = static_cast<std::uint8_t>(words[i]);
    return doc_key(blob, path);
  }

  [[nodiscard]] DocumentText text() const {
    DocumentText out{key(), title, {}};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      auto const line = static_cast<std::uint32_t>(10 * i + 1);
      out.passages.push_back({headings[i], bodies[i], line, line + 4});
    }
    return out;
  }
};

inline std::vector<DocKey> keys_of(std::vector<MadeDocument> const& documents) {
  std::vector<DocKey> out;
  for (MadeDocument const& document : documents) out.push_back(document.key());
  return out;
}

inline SegmentPtr segment_of(std::vector<MadeDocument> const& documents) {
  std::vector<DocumentText> texts;
  for (MadeDocument const& document : documents) texts.push_back(document.text());
  return build_segment(texts);
}

inline Index index_of(std::vector<MadeDocument> const& documents) {
  return std::move(Index::assemble({segment_of(documents)}, keys_of(documents)).value());
}

/// Texts of a few dozen words, so that terms repeat and scores tie.
class Author {
 public:
  explicit Author(std::uint32_t seed) : random_(seed) {}

  MadeDocument document() {
    MadeDocument out;
    out.path = "p" + std::to_string(number_++) + ".md";
    out.title = words(below(4));
    for (std::uint32_t i = below(5); i > 0; --i) {
      out.headings.push_back(words(below(4)));
      out.bodies.push_back(words(1 + below(60)));
    }
    return out;
  }
  std::string words(std::uint32_t count) {
    static constexpr std::string_view kWords[] = {
        "backup", "restore", "the",  "of",   "cluster",    "node_pool", "HTTPServer", "v1.2.3", "3.14",  "数据库",
        "备份",   "恢复",    "集群", "資料", "的",         "如何",      "，",         ".",      "queue", "index",
        "page",   "commit",  "节点", "日志", "permission", "权限",      "a-b",        "delta",  "门",    "snapshot"};
    std::string out;
    for (; count > 0; --count) {
      // squared: some words are common, some rare
      double const u = static_cast<double>(below(1000)) / 1000;
      out += kWords[static_cast<std::size_t>(u * u * static_cast<double>(std::size(kWords)))];
      if (below(3) > 0) out += ' ';
      if (below(400) == 0) out += "rare" + std::to_string(below(50)) + " ";
    }
    return out;
  }
  std::uint32_t below(std::uint32_t n) { return n == 0 ? 0 : static_cast<std::uint32_t>(random_() % n); }

 private:
  std::mt19937 random_;
  int number_ = 0;
};

/// Everything a search says, as text: equal only when every bit is.
inline std::string printed(std::vector<ScoredPassage> const& found) {
  std::string out;
  char line[240];
  for (ScoredPassage const& f : found) {
    std::snprintf(line, sizeof line, "%u/%u %u-%u %a %a %a %a %a %a %a\n", f.doc, f.passage, f.line_begin, f.line_end,
                  static_cast<double>(f.score), static_cast<double>(f.normalised), static_cast<double>(f.parts.bm25),
                  static_cast<double>(f.parts.page), static_cast<double>(f.parts.proximity),
                  static_cast<double>(f.parts.support), static_cast<double>(f.parts.title));
    out += line;
  }
  return out;
}

}  // namespace kb::test
