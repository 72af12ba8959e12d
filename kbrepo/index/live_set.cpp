#include "kbrepo/index/live_set.hpp"

#include <algorithm>
#include <cmath>

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

/// Where each key stands in the live list.
class KeyTable {
 public:
  explicit KeyTable(std::span<DocKey const> keys) : keys_(keys), slots_(keys.size() * 2 + 1, 0) {
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      std::uint32_t& slot = slots_[place(keys[i])];
      if (slot != 0) twice_ = i;
      if (slot == 0) slot = i + 1;
    }
  }
  [[nodiscard]] std::uint32_t find(DocKey const& key) const { return slots_[place(key)] - 1; }  ///< or kDead
  /// A position whose key stands before it too, or kDead.
  [[nodiscard]] std::uint32_t twice() const noexcept { return twice_; }

 private:
  /// The key's slot, or the free one where it belongs.
  [[nodiscard]] std::size_t place(DocKey const& key) const {
    std::string_view const blob(reinterpret_cast<char const*>(key.blob.bytes.data()), key.blob.bytes.size());
    std::size_t at = slot_of(hash_bytes(blob, key.path_hash), slots_.size());
    while (slots_[at] != 0 && keys_[slots_[at] - 1] != key) at = at + 1 == slots_.size() ? 0 : at + 1;
    return at;
  }

  std::span<DocKey const> keys_;
  std::vector<std::uint32_t> slots_;  ///< position + 1; 0 free
  std::uint32_t twice_ = kDead;
};

void add(LengthSums& to, LengthSums const& more) {
  to.passages += more.passages;
  to.title += more.title;
  to.heading += more.heading;
  to.body += more.body;
}

void take(LengthSums& from, LengthSums const& less) {
  from.passages -= less.passages;
  from.title -= less.title;
  from.heading -= less.heading;
  from.body -= less.body;
}

}  // namespace

ScaleTable::ScaleTable(FieldScale scale) : scale_(scale), table_(kTableLengths) {
  for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = scale(static_cast<float>(i));
}

Result<std::vector<std::vector<std::uint32_t>>> LiveSet::place(std::span<SegmentPtr const> segments,
                                                               std::span<DocKey const> live) {
  KeyTable const table(live);
  if (std::uint32_t const twice = table.twice(); twice != kDead) {
    return Error(Errc::invalid_input, "document " + std::to_string(twice) + " of the live list is named twice");
  }
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<bool> found(live.size(), false);
  for (SegmentPtr const& segment : segments) {
    SegmentImage const& image = segment->image();
    auto& position = out.emplace_back(image.documents(), kDead);
    for (std::uint32_t d = 0; d < image.documents(); ++d) {
      std::uint32_t const at = table.find(image.key(d));
      if (at == kDead || found[at]) continue;
      position[d] = at;
      found[at] = true;
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
    // what the image holds without what is dead: the dead are few
    out.documents += image.documents() - segment->dead().size();
    add(out.pages, image.page_sums());
    add(out.passages, image.reference());
    for (std::uint32_t const d : segment->dead()) {
      LengthSums const page = page_lengths(image, d);
      std::uint32_t const count = image.first_passage(d + 1) - image.first_passage(d);
      take(out.pages, page);
      take(out.passages, {count, page.title * count, page.heading, page.body});
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
