#include "kbrepo/index/live_set.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kb::kbrepo::index {
namespace {

constexpr std::size_t kTableLengths = 2048;  // passages are about 700 characters

std::vector<std::uint32_t> dead_of(std::vector<std::uint32_t> const& position) {
  std::vector<std::uint32_t> dead;
  for (std::uint32_t d = 0; d < position.size(); ++d) {
    if (position[d] == kDead) dead.push_back(d);
  }
  return dead;
}

void add(LengthSums& to, LengthSums const& more) {
  to.passages += more.passages;
  to.title += more.title;
  to.heading += more.heading;
  to.body += more.body;
}

}  // namespace

ScaleTable::ScaleTable(FieldScale scale) : scale_(scale), table_(kTableLengths) {
  for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = scale(static_cast<float>(i));
}

LengthSums page_lengths(SegmentImage const& image, std::uint32_t document) noexcept {
  LengthSums out;
  for (std::uint32_t p = image.first_passage(document); p < image.first_passage(document + 1); ++p) {
    Lengths const& lengths = image.lengths(p);
    out.passages = 1;
    out.title = lengths.title;
    out.heading += lengths.heading;
    out.body += lengths.body;
  }
  return out;
}

Result<std::vector<std::vector<std::uint32_t>>> LiveSet::place(std::span<SegmentPtr const> segments,
                                                               std::span<DocKey const> live) {
  std::vector<std::uint32_t> order(live.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return live[a] < live[b]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (live[order[i - 1]] == live[order[i]]) {
      return Error(Errc::invalid_input, "document " + std::to_string(order[i]) + " of the live list is named twice");
    }
  }
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<bool> found(live.size(), false);
  for (SegmentPtr const& segment : segments) {
    SegmentImage const& image = segment->image();
    auto& position = out.emplace_back(image.documents(), kDead);
    std::size_t i = 0;
    for (std::uint32_t d = 0; d < image.documents() && i < order.size(); ++d) {
      DocKey const key = image.key(d);
      while (i < order.size() && live[order[i]] < key) ++i;
      if (i == order.size() || live[order[i]] != key || found[order[i]]) continue;
      position[d] = order[i];
      found[order[i]] = true;
    }
  }
  auto const missing = std::count(found.begin(), found.end(), false);
  if (missing > 0) {
    return Error(Errc::invalid_input, std::to_string(missing) + " live documents are in no segment");
  }
  return out;
}

LiveSet LiveSet::make(std::vector<SegmentPtr> segments, std::vector<std::vector<std::uint32_t>> positions) {
  LiveSet out;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    std::vector<std::uint32_t> dead = dead_of(positions[s]);
    SegmentPtr segment = std::move(segments[s]);
    if (dead != segment->dead()) segment = std::make_shared<Segment const>(*segment, std::move(dead));
    SegmentImage const& image = segment->image();
    for (std::uint32_t d = 0; d < image.documents(); ++d) {
      if (positions[s][d] == kDead) continue;
      ++out.documents;
      LengthSums const page = page_lengths(image, d);
      add(out.pages, page);
      std::uint32_t const count = image.first_passage(d + 1) - image.first_passage(d);
      add(out.passages, {count, page.title * count, page.heading, page.body});
    }
    out.segments.push_back(segment);
    out.parts.push_back({std::move(segment), std::move(positions[s])});
  }
  FieldScales const scales = FieldScales::of(out.passages);
  out.title = ScaleTable(scales.title);
  out.heading = ScaleTable(scales.heading);
  out.body = ScaleTable(scales.body);
  out.page = FieldScales::of(out.pages);
  return out;
}

std::uint32_t LiveSet::document_frequency(std::string_view term) const {
  std::uint32_t sum = 0;
  for (SegmentPtr const& segment : segments) {
    std::uint32_t const record = segment->image().find_term(term);
    if (record != kNoTerm) sum += segment->live_passages(record);
  }
  return sum;
}

float LiveSet::idf(std::uint32_t document_frequency) const noexcept {
  double const all = static_cast<double>(passages.passages);
  double const with = document_frequency;
  return static_cast<float>(std::log(1 + (all - with + 0.5) / (with + 0.5)));
}

}  // namespace kb::kbrepo::index
