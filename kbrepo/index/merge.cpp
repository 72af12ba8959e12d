#include "kbrepo/index/merge.hpp"

#include <algorithm>
#include <numeric>

#include "kbrepo/index/builder.hpp"
#include "kbrepo/index/live_set.hpp"
#include "kbrepo/index/streams.hpp"

namespace kb::kbrepo::index {
namespace {

struct Replay {
  SegmentImage const& image;
  SegmentBuilder& builder;
  std::string& pair;
  std::uint16_t heading = 0;

  void term(std::uint32_t number) { builder.add(image.term(number), false); }
  void bigram(std::uint32_t first, std::uint32_t second) {
    pair.assign(image.term(first)).append(image.term(second));
    builder.add(pair, true);
  }
  void run_break() { builder.break_run(); }
  void field_break() {
    builder.end_field(heading);
    builder.begin_field(Field::body);
  }
};

void replay_document(SegmentImage const& image, std::uint32_t document, SegmentBuilder& builder) {
  std::string pair;
  std::uint32_t const first = image.first_passage(document);
  std::uint32_t const last = image.first_passage(document + 1);
  builder.begin_document(image.key(document));
  builder.begin_field(Field::title);
  walk_stream(image, image.title_stream(document), Replay{image, builder, pair});
  builder.end_field(first < last ? image.lengths(first).title : 0);
  for (std::uint32_t p = first; p < last; ++p) {
    Lengths const& lengths = image.lengths(p);
    builder.begin_passage(image.line_begin(p), image.line_begin(p) + lengths.lines);
    builder.begin_field(Field::heading);
    walk_stream(image, image.passage_stream(p), Replay{image, builder, pair, lengths.heading});
    builder.end_field(lengths.body);
    builder.end_passage();
  }
}

std::uint64_t dead_passages(SegmentImage const& image, std::vector<std::uint32_t> const& position) {
  std::uint64_t sum = 0;
  for (std::uint32_t d = 0; d < position.size(); ++d) {
    if (position[d] == kDead) sum += image.first_passage(d + 1) - image.first_passage(d);
  }
  return sum;
}

}  // namespace

SegmentPtr merge(std::span<SegmentPtr const> segments, std::span<std::vector<std::uint32_t> const> positions) {
  struct Source {
    SegmentImage const* image;
    std::uint32_t document;
    DocKey key;
  };
  std::vector<Source> sources;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    SegmentImage const& image = segments[s]->image();
    for (std::uint32_t d = 0; d < image.documents(); ++d) {
      if (positions[s][d] != kDead) sources.push_back({&image, d, image.key(d)});
    }
  }
  std::sort(sources.begin(), sources.end(), [](Source const& a, Source const& b) { return a.key < b.key; });
  SegmentBuilder builder;
  for (Source const& source : sources) replay_document(*source.image, source.document, builder);
  return std::make_shared<Segment const>(SegmentImage::wrap(builder.finish()));
}

std::vector<std::size_t> merge_choice(std::span<SegmentPtr const> segments,
                                      std::span<std::vector<std::uint32_t> const> positions) {
  std::uint64_t all = 0;
  std::uint64_t dead = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    all += segments[s]->image().passages();
    dead += dead_passages(segments[s]->image(), positions[s]);
  }
  std::vector<std::size_t> order(segments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (static_cast<double>(dead) > kParameters.max_dead_share * static_cast<double>(all)) return order;
  if (segments.size() <= kParameters.max_segments) return {};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return segments[a]->image().passages() < segments[b]->image().passages();
  });
  order.resize(segments.size() - kParameters.max_segments / 2 + 1);
  return order;
}

}  // namespace kb::kbrepo::index
