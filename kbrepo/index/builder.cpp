#include "kbrepo/index/builder.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace kb::kbrepo::index {
namespace {

constexpr std::size_t kAhead = 8;          // terms whose memory is asked for before they are counted
constexpr std::uint32_t kLink = 4;         // bytes at a slice's end that name the next slice
constexpr std::uint32_t kFirstSlice = 12;  // most terms stand in one or two passages
constexpr std::uint32_t kMaxSlice = 4096;

std::uint16_t cap16(std::uint32_t value) noexcept {
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(value, 0xFFFF));
}

template <class T>
void append_raw(std::string& out, T const* data, std::size_t count) {
  out.append(reinterpret_cast<char const*>(data), count * sizeof(T));
}
template <class T>
void append_raw(std::string& out, std::vector<T> const& data) {
  append_raw(out, data.data(), data.size());
}

auto appender(std::string& out) {
  return [&out](std::uint8_t byte) { out.push_back(static_cast<char>(byte)); };
}

}  // namespace

std::uint32_t ByteChains::slice(std::uint32_t size) {
  if (used_ + size > kPage) {
    pages_.push_back(std::make_unique_for_overwrite<std::array<std::uint8_t, kPage>>());
    used_ = 0;
  }
  std::uint32_t const place = static_cast<std::uint32_t>(pages_.size() - 1) * kPage + used_;
  used_ += size;
  return place;
}

void ByteChains::append(Chain& chain, std::uint8_t byte) {
  if (chain.write == chain.limit) {
    // as large as all before it: at most half is wasted
    std::uint32_t const size = std::clamp(chain.size + kLink, kFirstSlice, kMaxSlice);
    std::uint32_t const next = slice(size);
    if (chain.limit == 0) {
      chain.first = next;
    } else {
      for (std::uint32_t i = 0; i < kLink; ++i) at(chain.limit + i) = static_cast<std::uint8_t>(next >> (8 * i));
    }
    chain.write = next;
    chain.limit = next + size - kLink;
  }
  at(chain.write++) = byte;
  ++chain.size;
}

void ByteChains::copy(Chain const& chain, std::string& out) const {
  std::uint32_t place = chain.first;
  for (std::uint32_t done = 0; done < chain.size;) {
    std::uint32_t const room = std::clamp(done + kLink, kFirstSlice, kMaxSlice) - kLink;
    std::uint32_t const count = std::min(room, chain.size - done);
    auto const* bytes = pages_[place / kPage]->data() + place % kPage;
    out.append(reinterpret_cast<char const*>(bytes), count);
    done += count;
    if (done == chain.size) break;
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < kLink; ++i) next |= static_cast<std::uint32_t>(at(place + room + i)) << (8 * i);
    place = next;
  }
}

void SegmentBuilder::begin_document(DocKey const& key) {
  append_raw(keys_, key.blob.bytes.data(), key.blob.bytes.size());
  append_raw(keys_, &key.path_hash, 1);
  first_passage_.push_back(static_cast<std::uint32_t>(lengths_.size()));
  stream_at_.push_back(static_cast<std::uint32_t>(streams_.size()));
  ++documents_;
  title_.clear();
  title_positions_ = 0;
}

void SegmentBuilder::begin_passage(std::uint32_t line_begin, std::uint32_t line_end) {
  stream_at_.push_back(static_cast<std::uint32_t>(streams_.size()));
  line_begin_.push_back(line_begin);
  document_of_.push_back(documents_ - 1);
  lengths_.push_back({title_positions_, 0, 0, cap16(line_end - std::min(line_begin, line_end))});
  for (TitleTerm const& term : title_) count(term.id, Field::title, term.count);
}

void SegmentBuilder::begin_field(Field field) {
  if (field == Field::body) stream(kFieldBreak);
  field_ = field;
}

void SegmentBuilder::add(std::string_view term, bool bigram) { add(term, term_hash(term), bigram); }

void SegmentBuilder::add(std::string_view term, std::uint64_t hash, bool bigram) {
  std::uint32_t const id = intern(term, hash);
  if (!bigram) {
    ++terms_[id].in_streams;
    stream(id + kFirstTerm);
  }
  if (field_ != Field::title) {
    count(id, field_, 1);
    return;
  }
  auto const same = std::find_if(title_.begin(), title_.end(), [id](TitleTerm const& t) { return t.id == id; });
  same == title_.end() ? title_.push_back({id, 1}) : void(++same->count);
}

void SegmentBuilder::break_run() { stream(kBreak); }

void SegmentBuilder::end_field(std::uint32_t positions) {
  if (field_ == Field::title) title_positions_ = cap16(positions);
  if (field_ == Field::heading) lengths_.back().heading = cap16(positions);
  if (field_ == Field::body) lengths_.back().body = cap16(positions);
}

void SegmentBuilder::end_passage() {
  auto const passage = static_cast<std::uint32_t>(lengths_.size() - 1);
  for (std::uint32_t const id : touched_) {
    TermState& term = terms_[id];
    auto put = [&](std::uint8_t byte) { chains_.append(term.postings, byte); };
    put_posting(passage - term.last_passage, Counts::of(term.counts[0], term.counts[1], term.counts[2]), put);
    term.last_passage = passage;
    ++term.passages;
    term.counts = {};
    term.touched = false;
  }
  touched_.clear();
  Lengths const& lengths = lengths_.back();
  ++sums_.passages;
  sums_.title += lengths.title;
  sums_.heading += lengths.heading;
  sums_.body += lengths.body;
  bool const first = first_passage_.back() == passage;
  page_sums_.passages += first ? 1 : 0;
  page_sums_.title += first ? lengths.title : 0;
  page_sums_.heading += lengths.heading;
  page_sums_.body += lengths.body;
}

void SegmentBuilder::add_text(Field field, std::string_view text) {
  begin_field(field);
  scan_terms(text, buffer_);
  hashes_.clear();
  for (auto const& piece : buffer_.pieces) hashes_.push_back(term_hash(buffer_.term(piece)));
  TermKind before = TermKind::word;
  std::uint32_t positions = 0;
  for (std::size_t i = 0; i < buffer_.pieces.size(); ++i) {
    auto const& piece = buffer_.pieces[i];
    // The next terms' slots and states are far apart in memory: asked for early, they are there in time.
    if (i + 2 * kAhead < hashes_.size()) __builtin_prefetch(&slots_[slot_of(hashes_[i + 2 * kAhead], slots_.size())]);
    if (i + kAhead < hashes_.size()) {
      Slot const& slot = slots_[slot_of(hashes_[i + kAhead], slots_.size())];
      if (slot.term != 0) __builtin_prefetch(&terms_[slot.term - 1], 1);
    }
    // unigram, unigram: no bigram joins them, so these are two runs
    if (piece.kind == TermKind::unigram && before == TermKind::unigram) break_run();
    add(buffer_.term(piece), hashes_[i], piece.kind == TermKind::bigram);
    before = piece.kind;
    positions = std::max(positions, piece.position + 1);
  }
  end_field(positions);
}

std::uint32_t SegmentBuilder::intern(std::string_view term, std::uint64_t hash) {
  auto const check = static_cast<std::uint32_t>(hash);
  std::uint64_t const head = first_bytes(term);
  std::size_t at = slot_of(hash, slots_.size());
  for (; slots_[at].term != 0; at = at + 1 == slots_.size() ? 0 : at + 1) {
    if (slots_[at].check != check) continue;
    TermState const& known = terms_[slots_[at].term - 1];
    if (known.head == head && known.size == term.size() && (term.size() <= sizeof head || text(known) == term)) {
      return slots_[at].term - 1;
    }
  }
  TermState fresh;
  fresh.head = head;
  fresh.text_at = static_cast<std::uint32_t>(texts_.size());
  fresh.size = static_cast<std::uint8_t>(term.size());
  texts_.append(term);
  terms_.push_back(fresh);
  slots_[at] = {check, static_cast<std::uint32_t>(terms_.size())};
  if (terms_.size() * 3 > slots_.size() * 2) grow();
  return static_cast<std::uint32_t>(terms_.size() - 1);
}

void SegmentBuilder::grow() {
  slots_.assign(slots_.size() * 2, {});
  for (std::uint32_t id = 0; id < terms_.size(); ++id) {
    std::uint64_t const hash = term_hash(text(terms_[id]));
    std::size_t at = slot_of(hash, slots_.size());
    while (slots_[at].term != 0) at = at + 1 == slots_.size() ? 0 : at + 1;
    slots_[at] = {static_cast<std::uint32_t>(hash), id + 1};
  }
}

void SegmentBuilder::count(std::uint32_t id, Field field, std::uint32_t times) {
  TermState& term = terms_[id];
  std::uint8_t& counted = term.counts[static_cast<std::size_t>(field)];
  counted = static_cast<std::uint8_t>(std::min<std::uint32_t>(255, counted + times));
  if (term.touched) return;
  term.touched = true;
  touched_.push_back(id);
}

void SegmentBuilder::stream(std::uint32_t code) { put_code(code, appender(streams_)); }

/// By id: frequent stream terms first, terms of no stream last. Ties by first appearance.
std::vector<std::uint32_t> SegmentBuilder::number_terms() const {
  std::vector<std::uint32_t> order(terms_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return terms_[a].in_streams > terms_[b].in_streams; });
  return order;
}

std::uint8_t SegmentBuilder::impact(std::uint32_t passage, Counts counts) const {
  Lengths const& lengths = lengths_[passage];
  float const reached = static_cast<float>(counts.title()) * scales_.title(lengths.title) +
                        static_cast<float>(counts.heading()) * scales_.heading(lengths.heading) +
                        static_cast<float>(counts.body()) * scales_.body(lengths.body);
  float const steps = std::ceil(reached * kImpactSteps);
  return steps < kUnbounded ? static_cast<std::uint8_t>(steps) : kUnbounded;
}

void SegmentBuilder::write_record(TermState const& term, std::string& scratch, std::string& out) const {
  out.push_back(static_cast<char>(term.size));
  out.append(text(term));
  put_varint(term.passages, appender(out));
  scratch.clear();
  chains_.copy(term.postings, scratch);
  if (term.passages < kMinPacked) {
    out.append(scratch);
    return;
  }
  auto const* at = reinterpret_cast<std::uint8_t const*>(scratch.data());
  bool const table = term.passages > kBlockPostings;
  std::size_t entry = out.size();
  if (table) out.resize(out.size() + (term.passages + kBlockPostings - 1) / kBlockPostings * kTableEntry);
  if (!table) out.push_back(0);
  std::size_t const begin = out.size();
  std::array<Posting, kBlockPostings> block;
  std::uint32_t passage = 0xFFFFFFFFu;
  for (std::uint32_t left = term.passages; left > 0;) {
    std::uint32_t const count = std::min(left, kBlockPostings);
    std::uint8_t most = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      block[i].step = get_posting(at, block[i].counts);
      passage += block[i].step;
      most = std::max(most, impact(passage, block[i].counts));
    }
    put_packed({block.data(), count}, out);
    left -= count;
    if (table) {
      auto const end = static_cast<std::uint32_t>(out.size() - begin);
      std::memcpy(out.data() + entry, &passage, sizeof passage);
      std::memcpy(out.data() + entry + sizeof passage, &end, sizeof end);
    }
    out[entry + (table ? 2 * sizeof passage : 0)] = static_cast<char>(most);
    entry += kTableEntry;
  }
}

std::string SegmentBuilder::recode_streams(std::vector<std::uint32_t> const& numbers, std::vector<std::uint32_t>& at) {
  std::string out;
  out.reserve(streams_.size());
  auto const* const begin = reinterpret_cast<std::uint8_t const*>(streams_.data());
  for (std::size_t i = 0; i < stream_at_.size(); ++i) {
    at.push_back(static_cast<std::uint32_t>(out.size()));
    std::size_t const end = i + 1 < stream_at_.size() ? stream_at_[i + 1] : streams_.size();
    for (auto const* from = begin + stream_at_[i]; from < begin + end;) {
      std::uint32_t const code = get_code(from);
      put_code(code < kFirstTerm ? code : numbers[code - kFirstTerm] + kFirstTerm, appender(out));
    }
  }
  at.push_back(static_cast<std::uint32_t>(out.size()));
  out.append(kReadAhead, '\0');
  streams_ = {};
  return out;
}

std::string SegmentBuilder::finish() {
  first_passage_.push_back(static_cast<std::uint32_t>(lengths_.size()));
  scales_ = FieldScales::of(sums_);
  std::vector<std::uint32_t> const order = number_terms();
  std::vector<std::uint32_t> numbers(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) numbers[order[i]] = i;
  std::vector<std::uint32_t> stream_at;
  std::string const streams = recode_streams(numbers, stream_at);

  std::string records;
  std::string scratch;
  std::vector<std::uint32_t> record_at;
  std::vector<std::uint32_t> slots(order.size() + order.size() / 4 + 2, 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    TermState const& term = terms_[order[i]];
    auto const record = static_cast<std::uint32_t>(records.size());
    if (term.in_streams > 0) record_at.push_back(record);
    write_record(term, scratch, records);
    std::size_t slot = slot_of(term_hash(text(term)), slots.size());
    while (slots[slot] != 0) slot = slot + 1 == slots.size() ? 0 : slot + 1;
    slots[slot] = record + 1;
  }
  assert(std::max(records.size(), streams.size()) <= std::numeric_limits<std::uint32_t>::max());

  SegmentImage::Header header;
  header.documents = documents_;
  header.passages = static_cast<std::uint32_t>(lengths_.size());
  header.terms = static_cast<std::uint32_t>(order.size());
  header.numbered = static_cast<std::uint32_t>(record_at.size());
  header.slots = static_cast<std::uint32_t>(slots.size());
  header.record_bytes = records.size();
  header.stream_bytes = streams.size();
  header.sums = sums_;
  header.page_sums = page_sums_;
  std::string out;
  out.reserve(sizeof header + keys_.size() + lengths_.size() * 24 + documents_ * 12 + slots.size() * 8 +
              records.size() + streams.size());
  append_raw(out, &header, 1);
  out.append(keys_);
  append_raw(out, first_passage_);
  append_raw(out, lengths_);
  append_raw(out, line_begin_);
  append_raw(out, document_of_);
  append_raw(out, stream_at);
  append_raw(out, record_at);
  append_raw(out, slots);
  out.append(records);
  out.append(streams);
  return out;
}

}  // namespace kb::kbrepo::index
