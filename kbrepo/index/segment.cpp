#include "kbrepo/index/segment.hpp"

#include <algorithm>
#include <cstring>

#include "kbrepo/index/streams.hpp"

namespace kb::kbrepo::index {
namespace {

std::uint32_t read_u32(std::uint8_t const* at) noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

std::shared_ptr<SegmentImage const> SegmentImage::wrap(std::string bytes) {
  std::shared_ptr<SegmentImage> image(new SegmentImage(std::move(bytes)));
  std::string_view const all = image->bytes_;
  if (all.size() < sizeof(Header)) return nullptr;
  std::memcpy(&image->header_, all.data(), sizeof(Header));
  Header const& h = image->header_;
  std::size_t at = sizeof(Header);
  bool fits = true;
  auto section = [&]<class T>(T const*& out, std::uint64_t count) {
    std::uint64_t const size = count * sizeof(T);
    fits = fits && count <= all.size() && size <= all.size() - at;
    if (!fits) return;
    out = reinterpret_cast<T const*>(all.data() + at);
    at += size;
  };
  section(image->keys_, std::uint64_t{h.documents} * kKeyBytes);
  section(image->first_passage_, std::uint64_t{h.documents} + 1);
  section(image->lengths_, h.passages);
  section(image->line_begin_, h.passages);
  section(image->document_of_, h.passages);
  section(image->stream_at_, std::uint64_t{h.documents} + h.passages + 1);
  section(image->record_at_, h.numbered);
  section(image->slots_, h.slots);
  section(image->records_, h.record_bytes);
  section(image->streams_, h.stream_bytes);
  return fits && at == all.size() && h.slots > h.terms && h.stream_bytes >= kReadAhead ? image : nullptr;
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

DocKey SegmentImage::key(std::uint32_t document) const noexcept {
  DocKey out;
  char const* at = keys_ + document * kKeyBytes;
  std::memcpy(out.blob.bytes.data(), at, out.blob.bytes.size());
  std::memcpy(&out.path_hash, at + out.blob.bytes.size(), sizeof out.path_hash);
  return out;
}

std::optional<std::uint32_t> SegmentImage::find(DocKey const& wanted) const noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = documents();
  while (low < high) {
    std::uint32_t const middle = low + (high - low) / 2;
    if (key(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == documents() || key(low) != wanted) return std::nullopt;
  return low;
}

SegmentImage::Range SegmentImage::title_stream(std::uint32_t document) const noexcept {
  std::uint32_t const i = first_passage_[document] + document;
  return {streams_ + stream_at_[i], streams_ + stream_at_[i + 1]};
}

SegmentImage::Range SegmentImage::passage_stream(std::uint32_t passage) const noexcept {
  std::uint32_t const i = passage + document_of_[passage] + 1;
  return {streams_ + stream_at_[i], streams_ + stream_at_[i + 1]};
}

std::uint32_t SegmentImage::find_term(std::string_view wanted) const noexcept {
  std::size_t slot = slot_of(term_hash(wanted), header_.slots);
  while (slots_[slot] != 0) {
    std::uint32_t const record = slots_[slot] - 1;
    if (text(record) == wanted) return record;
    slot = slot + 1 == header_.slots ? 0 : slot + 1;
  }
  return kNoTerm;
}

std::uint32_t SegmentImage::code_of(std::string_view wanted) const noexcept {
  std::uint32_t const record = find_term(wanted);
  auto const* const end = record_at_ + header_.numbered;
  auto const* const at = std::lower_bound(record_at_, end, record);
  return at != end && *at == record ? static_cast<std::uint32_t>(at - record_at_) + kFirstTerm : kNoTerm;
}

std::string_view SegmentImage::text(std::uint32_t record) const noexcept {
  std::uint8_t const* at = records_ + record;
  return {reinterpret_cast<char const*>(at + 1), *at};
}

std::uint8_t const* SegmentImage::postings(std::uint32_t record) const noexcept {
  std::uint8_t const* at = records_ + record;
  return at + 1 + *at;
}

PostingReader::PostingReader(SegmentImage const& image, std::uint32_t record) {
  std::uint8_t const* at = image.postings(record);
  size_ = get_varint(at);
  blocks_ = (size_ + kBlockPostings - 1) / kBlockPostings;
  if (blocks_ > 1) {
    table_ = at;
    at += blocks_ * kTableEntry;
  } else if (size_ >= kMinPacked) {
    impact_ = *at++;
  }
  data_ = at;
}

std::uint32_t PostingReader::last_passage(std::uint32_t block) const noexcept {
  return table_ ? read_u32(table_ + block * kTableEntry) : 0xFFFFFFFFu;
}

std::uint8_t PostingReader::impact(std::uint32_t block) const noexcept {
  return table_ ? table_[block * kTableEntry + 8] : impact_;
}

void PostingReader::read(std::uint32_t block, PostingBlock& out) const noexcept {
  if (size_ < kMinPacked) return out.read_short(data_, size_);
  std::uint8_t const* at = data_;
  std::uint32_t passage = 0xFFFFFFFFu;  // one before the first
  if (block > 0) {
    std::uint8_t const* before = table_ + (block - 1) * kTableEntry;
    passage = read_u32(before);
    at += read_u32(before + 4);
  }
  out.read_packed(at, passage, std::min(kBlockPostings, size_ - block * kBlockPostings));
}

Segment::Segment(Segment const& before, std::vector<std::uint32_t> dead)
    : image_(before.image_), dead_(std::move(dead)) {
  std::vector<std::uint32_t> died;
  std::vector<std::uint32_t> revived;
  std::set_difference(dead_.begin(), dead_.end(), before.dead_.begin(), before.dead_.end(), std::back_inserter(died));
  std::set_difference(before.dead_.begin(), before.dead_.end(), dead_.begin(), dead_.end(),
                      std::back_inserter(revived));
  DeadTerms const more = passages_by_term(*image_, died);
  DeadTerms const less = passages_by_term(*image_, revived);
  auto add = [this](std::uint32_t term, std::uint32_t count) {
    if (count > 0) dead_terms_.emplace_back(term, count);
  };
  auto m = more.begin();
  auto l = less.begin();
  // revived documents were dead, so what is taken away is in `before`
  for (auto const& [term, count] : before.dead_terms_) {
    for (; m != more.end() && m->first < term; ++m) add(m->first, m->second);
    std::uint32_t now = count;
    if (m != more.end() && m->first == term) now += (m++)->second;
    if (l != less.end() && l->first == term) now -= (l++)->second;
    add(term, now);
  }
  for (; m != more.end(); ++m) add(m->first, m->second);
}

std::uint32_t Segment::live_passages(std::uint32_t record) const {
  std::uint32_t const all = PostingReader(*image_, record).size();
  auto const at = std::lower_bound(dead_terms_.begin(), dead_terms_.end(), std::pair{record, 0u});
  return at != dead_terms_.end() && at->first == record ? all - at->second : all;
}

std::size_t Segment::bytes() const noexcept {
  return image_->bytes().size() + dead_.capacity() * sizeof(std::uint32_t) +
         dead_terms_.capacity() * sizeof(DeadTerms::value_type);
}

}  // namespace kb::kbrepo::index
