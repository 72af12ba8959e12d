#include "answer/protocols/chunks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "answer/protocols/chunk_graph.hpp"
#include "answer/question.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::protocols {
namespace {

constexpr std::size_t kMaxQuery = 4000;
constexpr std::size_t kLeastPool = 12, kMostPool = 80;  // candidates for a limit, four times as many (ACCEPTANCE 1.3)
constexpr double kLeastScore = .12;  // S2-41: below it a chunk shares a word with the query and no more

constexpr char kFused[] = "fused";
constexpr char kHintName[] = "Verify the KB name/ID via crystal_list_knowledge_bases.";
constexpr char kHintQuery[] = "Provide a non-empty query string.";
constexpr char kHintIdentifier[] = "Provide at least one identifier.";
constexpr char kHintEmpty[] = "Try a simpler or more general query.";
constexpr char kHintPolicy[] = "List KBs with the same scope inputs; use the KB's allowed agent/channel.";
constexpr char kHintLimit[] = "Leave limit out for 8, or give a whole number from 1 to 20.";

/// S2-51: how much a source's role counts in a recall over all.
struct RoleWeight {
  config::SourceRole role;
  double plain, voice;  ///< voice: the query asks how something is said
};
constexpr std::array kRoleWeights{
    RoleWeight{config::SourceRole::canonical_reference, 1.10, .95},
    RoleWeight{config::SourceRole::runbook, 1.05, .95},
    RoleWeight{config::SourceRole::voice_style, .95, 1.35},  // S2-52
    RoleWeight{config::SourceRole::meeting_notes, .95, .90},
    RoleWeight{config::SourceRole::social_artifact, .85, .90},
    RoleWeight{config::SourceRole::generated_summary, .85, .85},
    RoleWeight{config::SourceRole::other, 1, 1},
};
constexpr std::array<std::string_view, 13> kVoiceWords{"phrase",        "phrasing", "wording", "tone", "voice",
                                                       "tone of voice", "措辞",     "语气",    "口吻", "怎么说",
                                                       "怎么表达",      "文风",     "说法"};

bool asks_for_voice(std::string_view query) {
  std::string const folded = kbrepo::index::fold(query);
  return std::any_of(kVoiceWords.begin(), kVoiceWords.end(),
                     [&](std::string_view word) { return answer::has_word(folded, word); });
}

std::string_view trimmed(std::string_view text) noexcept {
  auto const first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// FNV-1a over what makes a chunk this one.
std::string chunk_id(RepoId const& repo, kbrepo::PageInfo const& page, std::uint32_t passage) {
  std::uint64_t hash = 14695981039346656037u;
  for (char const c : repo.str() + "\n" + page.path + "\n" + page.blob.hex() + "\n" + std::to_string(passage)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  std::string id = "chunk_";
  for (int shift = 60; shift >= 0; shift -= 4) id += "0123456789abcdef"[(hash >> shift) & 15];
  return id;
}

/// Empty when the page names none itself (S2-23).
std::string own_title(kbrepo::Page const& page) {
  bool const headed = std::any_of(page.sections.begin(), page.sections.end(), [&](kbrepo::Section const& section) {
    return section.level == 1 && section.heading == page.title;
  });
  return headed || page.front.title == page.title ? page.title : std::string();
}

double four_decimals(double score) { return std::round(std::clamp(score, 0.0, 1.0) * 1e4) / 1e4; }

bool has_meaning(NamedBook const& book, ChunkQuery const& query) {
  return query.meaning != nullptr && book.vectors && book.vectors->dimension() == query.meaning->vector.size();
}

/// A passage and what speaks for it, each 0…1.
struct Ranked {
  std::uint32_t doc = 0, passage = 0;
  double words = 0, meaning = 0;
  /// Either suffices, both together weigh more.
  [[nodiscard]] double score() const noexcept { return 1 - (1 - words) * (1 - meaning); }
};

/// The best passages of one base, best first.
class Ranking {
 public:
  Ranking(VisiblePages const& pages, ChunkQuery const& query) : pages_(pages), query_(query) {}

  std::vector<Ranked> run() {
    auto const limit = static_cast<std::size_t>(query_.limit);
    std::size_t const pool = std::clamp<std::size_t>(limit * 4, kLeastPool, kMostPool);
    add_words(pool);
    if (has_meaning(pages_.book(), query_)) add_meaning(pool);
    std::erase_if(found_, [](Ranked const& one) { return one.score() < kLeastScore; });
    std::sort(found_.begin(), found_.end(), [](Ranked const& a, Ranked const& b) {
      if (a.score() != b.score()) return a.score() > b.score();
      return std::tie(a.doc, a.passage) < std::tie(b.doc, b.passage);
    });
    if (found_.size() > limit) found_.resize(limit);
    return std::move(found_);
  }

 private:
  void add_words(std::size_t pool) {
    auto const terms = kbrepo::index::query_terms(query_.query);
    bool const says_something =
        std::any_of(terms.begin(), terms.end(), [](auto const& term) { return !term.function_word; });
    if (!says_something) return;
    kbrepo::index::SearchOptions options;
    options.limit = pool;
    options.prior = [&](std::uint32_t doc) { return VisiblePages::holds_chunks(pages_.page(doc)) ? 1.0f : 0.0f; };
    for (auto const& one : pages_.index().search(terms, options)) {
      found_.push_back({one.doc, one.passage, double{one.normalised}, 0});
    }
  }

  void add_meaning(std::size_t pool) {
    kbrepo::Vectors const& vectors = *pages_.book().vectors;
    for (Ranked& one : found_) {
      one.meaning = share(vectors.cosine(query_.meaning->vector, pages_.page(one.doc).blob, one.passage));
    }
    std::function<bool(kbrepo::PageInfo const&)> sees;  // empty: what is hidden need not be passed over
    if (!pages_.whole()) sees = VisiblePages::holds_chunks;
    for (auto const& near : vectors.nearest(query_.meaning->vector, pool, pages_.pages(), sees)) {
      bool const known = std::any_of(found_.begin(), found_.end(), [&](Ranked const& one) {
        return one.doc == near.doc && one.passage == near.passage;
      });
      if (!known && VisiblePages::holds_chunks(pages_.page(near.doc)))
        found_.push_back({near.doc, near.passage, 0, share(near.cosine)});
    }
  }
  [[nodiscard]] double share(float cosine) const { return double{query_.meaning->nearness(cosine)}; }

  VisiblePages const& pages_;
  ChunkQuery const& query_;
  std::vector<Ranked> found_;
};

std::optional<Chunk> chunk_of(VisiblePages const& pages, Ranked const& found, std::size_t of) {
  kbrepo::PageInfo const& info = pages.page(found.doc);
  auto const page = pages.read(info);
  if (!page || found.passage >= (*page)->passages.size()) return std::nullopt;
  kbrepo::Passage const& passage = (*page)->passages[found.passage];
  kbrepo::Snapshot const& snapshot = *pages.book().book.snapshot;
  Chunk out;
  out.id = chunk_id(snapshot.repo(), info, found.passage);
  out.content = std::string((*page)->bytes(passage));
  out.score = four_decimals(found.score());
  out.title = own_title(**page);
  out.heading = (*page)->heading_path(passage.section);
  out.path = info.path;
  out.locator = kbrepo::locator(**page, (*page)->blocks[passage.first_block]);
  out.url = snapshot.url(info.path, passage.line_begin, passage.line_end);
  out.line_begin = passage.line_begin;
  out.line_end = passage.line_end;
  out.of = of;
  return out;
}

std::vector<Chunk> chunks_of(VisiblePages const& pages, ChunkQuery const& query, std::size_t of) {
  std::vector<Chunk> out;
  for (Ranked const& found : Ranking(pages, query).run()) {
    if (std::optional<Chunk> chunk = chunk_of(pages, found, of)) out.push_back(std::move(*chunk));
  }
  return out;
}

ChunkReply failed(ChunkFault fault) {
  ChunkReply reply;
  reply.fault = std::move(fault);
  return reply;
}

/// By id among all that the principal may read; by name among those that agent and channel see.
std::optional<std::size_t> find(std::span<NamedBook const> books, Guard const& guard, ChunkQuery const& query) {
  std::string_view const id = trimmed(query.id);
  std::string const name = kbrepo::index::fold(trimmed(query.name));
  for (std::size_t i = 0; i < books.size(); ++i) {
    config::KnowledgeBase const& base = books[i].base;
    if (!id.empty() && base.id == id) return i;
    if (id.empty() && kbrepo::index::fold(trimmed(base.name)) == name && guard.sees(base)) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ChunkFault> fault_of(ChunkQuery const& query) {
  if (trimmed(query.query).empty()) return ChunkFault{false, "query is required", kHintQuery};
  if (query.query.size() > kMaxQuery) {
    return ChunkFault{false, "query is longer than 4,000 bytes", "Try a simpler or more general query."};
  }
  if (query.limit < 1 || query.limit > kMaxChunks) {
    return ChunkFault{false, "limit is a whole number from 1 to 20", kHintLimit};
  }
  return std::nullopt;
}

ChunkReply query_chunks(std::span<NamedBook const> books, Guard const& guard, ChunkQuery const& query) {
  if (auto fault = fault_of(query)) return failed(std::move(*fault));
  if (trimmed(query.id).empty() && trimmed(query.name).empty()) {
    return failed({false, "knowledgeBaseId or knowledgeBaseName is required", kHintIdentifier});
  }
  ChunkReply reply;
  reply.query = query.query;
  reply.asked = find(books, guard, query);
  if (!reply.asked) {
    bool const by_id = !trimmed(query.id).empty();
    std::string const named = by_id ? "" : ": " + std::string(trimmed(query.name));
    return failed({true, "Knowledge base not found" + named, kHintName});
  }
  NamedBook const& book = books[*reply.asked];
  if (guard.sees(book.base)) {
    VisiblePages const pages(book, guard);
    reply.chunks = chunks_of(pages, query, *reply.asked);
    if (has_meaning(book, query)) reply.score_kind = kFused;
    if (query.graph) reply.graph = graph_context(pages, reply.chunks);
    if (reply.chunks.empty()) reply.hint = kHintEmpty;
  } else {
    if (query.graph) reply.graph.emplace();
    reply.hint = kHintPolicy;
  }
  return reply;
}

ChunkReply recall_chunks(std::span<NamedBook const> books, Guard const& guard, ChunkQuery const& query) {
  if (auto fault = fault_of(query)) return failed(std::move(*fault));
  bool const voice = asks_for_voice(query.query);
  ChunkReply reply;
  reply.query = query.query;
  // Scores of one list are of one kind: all bases have vectors, or none counts.
  bool const fused = std::all_of(books.begin(), books.end(), [&](NamedBook const& book) {
    return !guard.sees(book.base) || has_meaning(book, query);
  });
  ChunkQuery asked = query;
  if (!fused) asked.meaning = nullptr;
  if (asked.meaning != nullptr) reply.score_kind = kFused;
  for (std::size_t i = 0; i < books.size(); ++i) {
    if (!guard.sees(books[i].base)) continue;
    VisiblePages const pages(books[i], guard);
    RoleWeight const& weight = kRoleWeights[static_cast<std::size_t>(books[i].base.role)];
    for (Chunk& chunk : chunks_of(pages, asked, i)) {
      chunk.score = four_decimals(chunk.score * (voice ? weight.voice : weight.plain));
      reply.chunks.push_back(std::move(chunk));
    }
  }
  std::stable_sort(reply.chunks.begin(), reply.chunks.end(),
                   [](Chunk const& a, Chunk const& b) { return a.score > b.score; });
  if (reply.chunks.size() > static_cast<std::size_t>(query.limit)) {
    reply.chunks.resize(static_cast<std::size_t>(query.limit));
  }
  if (reply.chunks.empty()) reply.hint = kHintEmpty;
  return reply;
}

std::vector<VisibleBase> visible_bases(std::span<NamedBook const> books, Guard const& guard) {
  std::vector<VisibleBase> out;
  for (std::size_t i = 0; i < books.size(); ++i) {
    if (guard.sees(books[i].base)) out.push_back({i, VisiblePages(books[i], guard).chunks()});
  }
  return out;
}

}  // namespace kb::protocols
