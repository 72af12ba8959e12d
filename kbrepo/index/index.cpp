#include "kbrepo/index/index.hpp"

#include <algorithm>

#include "kbrepo/index/builder.hpp"
#include "kbrepo/index/index_state.hpp"
#include "kbrepo/index/merge.hpp"
#include "kbrepo/index/search.hpp"

namespace kb::kbrepo::index {
namespace {

/// Puts one merged segment in place of the chosen ones, which must be several or hold something dead.
void compact(std::vector<SegmentPtr>& segments, std::vector<std::vector<std::uint32_t>>& positions) {
  std::vector<std::size_t> chosen = merge_choice(segments, positions);
  if (chosen.empty()) return;
  std::sort(chosen.begin(), chosen.end());
  std::vector<SegmentPtr> old;
  std::vector<std::vector<std::uint32_t>> old_positions;
  for (auto at = chosen.rbegin(); at != chosen.rend(); ++at) {
    auto const i = static_cast<std::ptrdiff_t>(*at);
    old.push_back(std::move(segments[*at]));
    old_positions.push_back(std::move(positions[*at]));
    segments.erase(segments.begin() + i);
    positions.erase(positions.begin() + i);
  }
  segments.insert(segments.begin(), merge(old, old_positions));
}

}  // namespace

DocKey doc_key(BlobId const& blob, std::string_view path) noexcept { return {blob, hash_bytes(path)}; }

SegmentPtr build_segment(std::span<DocumentText const> documents) {
  std::vector<DocumentText const*> order;
  order.reserve(documents.size());
  for (DocumentText const& document : documents) order.push_back(&document);
  std::sort(order.begin(), order.end(), [](auto const* a, auto const* b) { return a->key < b->key; });
  auto const same = [](auto const* a, auto const* b) { return a->key == b->key; };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  SegmentBuilder builder;
  for (DocumentText const* document : order) {
    builder.begin_document(document->key);
    builder.add_text(Field::title, document->title);
    for (PassageText const& passage : document->passages) {
      builder.begin_passage(passage.line_begin, passage.line_end);
      builder.add_text(Field::heading, passage.heading);
      builder.add_text(Field::body, passage.body);
      builder.end_passage();
    }
  }
  return std::make_shared<Segment const>(SegmentImage::wrap(builder.finish()));
}

Index::Index() : Index(std::make_shared<State const>(State{LiveSet::make({}, {})})) {}

Index::Index(std::shared_ptr<State const> state) : state_(std::move(state)) {}

Result<Index> Index::assemble(std::vector<SegmentPtr> segments, std::span<DocKey const> live) {
  auto positions = LiveSet::place(segments, live);
  if (!positions) return positions.error();
  std::size_t const before = segments.size();
  SegmentPtr const first = before == 0 ? nullptr : segments.front();
  compact(segments, *positions);
  if (segments.size() != before || (before > 0 && segments.front() != first)) {
    positions = LiveSet::place(segments, live);
    if (!positions) return positions.error();
  }
  return Index(std::make_shared<State const>(State{LiveSet::make(std::move(segments), std::move(*positions))}));
}

std::span<SegmentPtr const> Index::segments() const noexcept { return state_->live.segments; }

bool Index::holds(DocKey const& key) const {
  auto const& segments = state_->live.segments;
  return std::any_of(segments.begin(), segments.end(), [&](auto const& s) { return s->image().find(key).has_value(); });
}

std::vector<ScoredPassage> Index::search(std::span<QueryTerm const> query, SearchOptions const& options) const {
  return index::search(state_->live, query, options);
}

float Index::idf(std::string_view term) const { return state_->live.idf(document_frequency(term)); }

std::uint32_t Index::document_frequency(std::string_view term) const { return state_->live.document_frequency(term); }

IndexStats Index::stats() const {
  LiveSet const& live = state_->live;
  IndexStats out;
  out.documents = live.documents;
  out.passages = live.passages.passages;
  out.segments = live.segments.size();
  std::size_t all = 0;
  for (auto const& part : live.parts) {
    all += part.segment->image().passages();
    out.bytes += part.segment->bytes() + part.position.size() * sizeof(std::uint32_t);
  }
  out.dead_passages = all - out.passages;
  return out;
}

}  // namespace kb::kbrepo::index
