#include "kbrepo/index/rerank.hpp"

#include <algorithm>
#include <array>

#include "kbrepo/index/fold.hpp"

namespace kb::kbrepo::index {
namespace {

constexpr std::size_t kMaxElements = 1024;  // of a question; the rest of a longer one is not looked for

/// A document with candidates in it.
struct PageSum {
  std::uint32_t part, document;
  std::uint32_t first, end;  ///< its passages
  FieldScales const* scales;
  float title_worth, heading_worth, body_worth;
  float score = 0;
};

std::vector<PageSum> pages_of(LiveSet const& live, std::span<Candidate const> candidates) {
  std::vector<PageSum> out;
  for (Candidate const& c : candidates) {
    std::uint32_t const document = live.parts[c.part].segment->image().document_of(c.passage);
    out.push_back({c.part, document, 0, 0, nullptr, 0, 0, 0, 0});
  }
  auto const key = [](PageSum const& p) { return std::pair{p.part, p.document}; };
  std::sort(out.begin(), out.end(), [&](auto const& a, auto const& b) { return key(a) < key(b); });
  out.erase(std::unique(out.begin(), out.end(), [&](auto const& a, auto const& b) { return key(a) == key(b); }),
            out.end());
  for (PageSum& page : out) {
    SegmentImage const& image = live.parts[page.part].segment->image();
    LengthSums const lengths = page_lengths(image, page.document);
    page.first = image.first_passage(page.document);
    page.end = image.first_passage(page.document + 1);
    page.title_worth = live.page.title(static_cast<float>(lengths.title));
    page.heading_worth = live.page.heading(static_cast<float>(lengths.heading));
    page.body_worth = live.page.body(static_cast<float>(lengths.body));
  }
  return out;
}

/// Adds one term to the pages of one part, both walked forward once.
class TermOverPages {
 public:
  TermOverPages(PostingReader const& reader, float weight) : reader_(reader), weight_(weight) {}

  void add(PageSum& page) {
    std::uint32_t title = 0;
    std::uint32_t heading = 0;
    std::uint32_t body = 0;
    while (seek(page.first) && passages_[at_] < page.end) {
      title = std::max(title, counts_[at_].title());
      heading += counts_[at_].heading();
      body += counts_[at_].body();
      ++at_;
    }
    if (title + heading + body == 0) return;
    page.score += weight_ * saturate(static_cast<float>(title) * page.title_worth +
                                     static_cast<float>(heading) * page.heading_worth +
                                     static_cast<float>(body) * page.body_worth);
  }

 private:
  /// Stands on the first posting at or after `passage`; false past the end.
  bool seek(std::uint32_t passage) {
    if (decoded_ && at_ < n_ && passages_[at_] >= passage) return true;
    if (!decoded_ || at_ >= n_ || passages_[n_ - 1] < passage) {
      if (decoded_) ++block_;
      while (block_ < reader_.blocks() && reader_.last_passage(block_) < passage) ++block_;
      if (block_ >= reader_.blocks()) {
        n_ = at_ = 0;
        return false;
      }
      n_ = reader_.decode(block_, passages_.data(), counts_.data());
      decoded_ = true;
      at_ = 0;
    }
    while (at_ < n_ && passages_[at_] < passage) ++at_;
    return at_ < n_;
  }

  PostingReader const& reader_;
  float weight_;
  std::uint32_t block_ = 0, n_ = 0, at_ = 0;
  bool decoded_ = false;
  std::array<std::uint32_t, kBlockPostings> passages_;
  std::array<Counts, kBlockPostings> counts_;
};

}  // namespace

std::vector<float> page_scores(LiveSet const& live, std::span<WeightedTerm const> terms,
                               std::span<Candidate const> candidates) {
  std::vector<PageSum> pages = pages_of(live, candidates);
  for (auto begin = pages.begin(); begin != pages.end();) {
    auto const end = std::find_if(begin, pages.end(), [&](PageSum const& p) { return p.part != begin->part; });
    SegmentImage const& image = live.parts[begin->part].segment->image();
    for (WeightedTerm const& term : terms) {
      std::uint32_t const record = image.find_term(term.text);
      if (record == kNoTerm) continue;
      PostingReader const reader(image, record);
      TermOverPages walk(reader, term.weight);
      for (auto page = begin; page != end; ++page) walk.add(*page);
    }
    begin = end;
  }
  std::vector<float> out;
  out.reserve(candidates.size());
  for (Candidate const& c : candidates) {
    std::pair const key{c.part, live.parts[c.part].segment->image().document_of(c.passage)};
    auto const page = std::lower_bound(pages.begin(), pages.end(), key, [](PageSum const& p, auto const& k) {
      return std::pair{p.part, p.document} < k;
    });
    out.push_back(page->score);
  }
  return out;
}

Proximity::Proximity(LiveSet const& live, std::span<WeightedTerm const> terms)
    : live_(live), shapes_(live.parts.size()) {
  for (WeightedTerm const& term : terms) {
    if (term.kind == TermKind::unigram) continue;
    if (elements_.size() == kMaxElements) break;
    elements_.push_back({term.text, term.kind == TermKind::bigram, term.weight, {}});
  }
}

void Proximity::find_shapes(SegmentImage const& image, Shapes& out) const {
  for (std::uint32_t e = 0; e < elements_.size(); ++e) {
    std::string_view const text = elements_[e].text;
    std::size_t const first = elements_[e].bigram ? decode(text, 0).size : 0;
    std::uint32_t const code = image.code_of(text.substr(first));
    std::uint32_t const before = first > 0 ? image.code_of(text.substr(0, first)) : 0;
    if (code == kNoTerm || before == kNoTerm) continue;
    out.sorted.push_back({code, before, e});
  }
  auto const bucket = [](Shape const& shape) { return shape.code % Shapes::kBuckets; };
  std::stable_sort(out.sorted.begin(), out.sorted.end(),
                   [&](auto const& a, auto const& b) { return bucket(a) < bucket(b); });
  for (std::uint16_t i = 0; i < out.sorted.size(); ++i) {
    std::uint32_t const b = bucket(out.sorted[i]);
    if (out.end[b] == 0) out.begin[b] = i;
    out.end[b] = static_cast<std::uint16_t>(i + 1);
  }
  out.ready = true;
}

std::uint32_t Proximity::walk(SegmentImage::Range range, Shapes const& shapes, std::uint32_t place) {
  std::uint32_t before = kBreak;
  for (auto const* at = range.begin; at < range.end; ++place) {
    std::uint32_t const code = get_code(at);
    if (code == kFieldBreak) place += kParameters.window;
    std::uint32_t const bucket = code % Shapes::kBuckets;
    for (std::uint32_t i = shapes.begin[bucket]; i < shapes.end[bucket]; ++i) {
      Shape const& shape = shapes.sorted[i];
      if (shape.code != code || (shape.before != 0 && shape.before != before)) continue;
      elements_[shape.element].places.push_back(shape.before != 0 ? place - 1 : place);
    }
    before = code;
  }
  return place + kParameters.window;
}

float Proximity::score(Candidate const& candidate) {
  SegmentImage const& image = live_.parts[candidate.part].segment->image();
  Shapes& shapes = shapes_[candidate.part];
  if (!shapes.ready) find_shapes(image, shapes);
  for (Element& element : elements_) element.places.clear();
  std::uint32_t const place = walk(image.title_stream(image.document_of(candidate.passage)), shapes, 0);
  walk(image.passage_stream(candidate.passage), shapes, place);
  float sum = 0;
  for (std::size_t e = 1; e < elements_.size(); ++e) {
    auto const& left = elements_[e - 1].places;
    auto const& right = elements_[e].places;
    std::uint32_t nearest = kParameters.window + 1;
    for (std::size_t l = 0, r = 0; l < left.size() && r < right.size();) {
      bool const left_first = left[l] < right[r];
      std::uint32_t const distance = left_first ? right[r] - left[l] : left[l] - right[r];
      if (distance > 0) nearest = std::min(nearest, distance);
      left_first ? ++l : ++r;
    }
    if (nearest > kParameters.window) continue;
    sum += std::min(elements_[e - 1].weight, elements_[e].weight) / static_cast<float>(nearest);
  }
  return sum;
}

float Proximity::ideal() const noexcept {
  float sum = 0;
  for (std::size_t e = 1; e < elements_.size(); ++e) {
    sum += std::min(elements_[e - 1].weight, elements_[e].weight);
  }
  return sum;
}

}  // namespace kb::kbrepo::index
