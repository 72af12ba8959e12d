#include "kbrepo/index/rerank.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "kbrepo/index/fold.hpp"

namespace kb::kbrepo::index {
namespace {

constexpr std::size_t kMaxElements = 1024;  // of a question; the rest of a longer one is not looked for

/// A document with candidates in it, which stand side by side.
struct PageSum {
  std::uint32_t first, end;                      ///< its passages
  std::uint32_t first_candidate, end_candidate;  ///< in the order of the passages
  float title_worth, heading_worth, body_worth;
  float score = 0;
  float title = 0;  ///< content of the terms in the title
};

/// Candidates of one part in the order of their passages.
struct Place {
  std::uint32_t part, passage, candidate;
  friend auto operator<=>(Place const&, Place const&) = default;
};

std::vector<PageSum> pages_of(LiveSet const& live, std::span<Place const> places) {
  std::vector<PageSum> out;
  SegmentImage const& image = live.parts[places.front().part].segment->image();
  for (std::uint32_t i = 0; i < places.size();) {
    std::uint32_t const document = image.document_of(places[i].passage);
    LengthSums const lengths = page_lengths(image, document);
    PageSum page{};
    page.first = image.first_passage(document);
    page.end = image.first_passage(document + 1);
    page.first_candidate = i;
    while (i < places.size() && places[i].passage < page.end) ++i;
    page.end_candidate = i;
    page.title_worth = live.page.title(static_cast<float>(lengths.title));
    page.heading_worth = live.page.heading(static_cast<float>(lengths.heading));
    page.body_worth = live.page.body(static_cast<float>(lengths.body));
    out.push_back(page);
  }
  return out;
}

/// The best candidate of a page is its own case; each further one counts half of the one before.
float support_of(PageSum const& page, std::span<Place const> places, std::span<Candidate const> candidates,
                 std::vector<std::uint32_t>& scores) {
  scores.clear();
  for (std::uint32_t i = page.first_candidate; i < page.end_candidate; ++i)
    scores.push_back(candidates[places[i].candidate].score);
  std::sort(scores.begin(), scores.end(), std::greater<>{});
  float sum = 0;
  float part = 1;
  for (std::size_t i = 1; i < scores.size(); ++i, part /= 2) sum += part * static_cast<float>(scores[i]) / kScoreSteps;
  return sum;
}

/// Adds one term to the pages of one part, both walked forward once.
class TermOverPages {
 public:
  TermOverPages(PostingReader const& reader, WeightedTerm const& term, std::uint64_t bit, std::span<Place const> places,
                std::span<Closer> out)
      : reader_(reader), weight_(term.weight), content_(term.content), bit_(bit), places_(places), out_(out) {}

  void add(PageSum& page) {
    std::uint32_t title = 0;
    std::uint32_t heading = 0;
    std::uint32_t body = 0;
    std::uint32_t candidate = page.first_candidate;
    for (; seek(page.first) && block_.passage(at_) < page.end; ++at_) {
      Counts const counts = block_.counts(at_);
      title = std::max(title, counts.title());
      heading += counts.heading();
      body += counts.body();
      while (candidate < page.end_candidate && places_[candidate].passage < block_.passage(at_)) ++candidate;
      if (candidate < page.end_candidate && places_[candidate].passage == block_.passage(at_)) {
        out_[places_[candidate].candidate].terms |= bit_;
      }
    }
    if (title + heading + body == 0) return;
    if (title > 0) page.title += content_;
    page.score += weight_ * saturate(static_cast<float>(title) * page.title_worth +
                                     static_cast<float>(heading) * page.heading_worth +
                                     static_cast<float>(body) * page.body_worth);
  }

 private:
  /// Stands on the first posting at or after `passage`; false past the end.
  bool seek(std::uint32_t passage) {
    if (at_ == block_.size() || block_.last() < passage) {
      if (block_.size() > 0) ++number_;
      while (number_ < reader_.blocks() && reader_.last_passage(number_) < passage) ++number_;
      if (number_ >= reader_.blocks()) {
        at_ = block_.size();
        return false;
      }
      reader_.read(number_, block_);
      at_ = 0;
    }
    at_ = block_.seek(at_, passage);
    return at_ < block_.size();
  }

  PostingReader reader_;
  float weight_, content_;
  std::uint64_t bit_;
  std::span<Place const> places_;
  std::span<Closer> out_;
  std::uint32_t number_ = 0, at_ = 0;
  PostingBlock block_;
};

constexpr std::uint64_t bit_of(std::size_t term) noexcept { return term < 64 ? std::uint64_t{1} << term : 0; }

}  // namespace

std::vector<Closer> look_closer(LiveSet const& live, WeightedTerms const& question,
                                std::span<Candidate const> candidates) {
  std::vector<Closer> out(candidates.size());
  std::vector<Place> places;
  places.reserve(candidates.size());
  for (std::uint32_t i = 0; i < candidates.size(); ++i)
    places.push_back({candidates[i].part, candidates[i].passage, i});
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> scores;
  for (auto begin = places.begin(); begin != places.end();) {
    std::uint32_t const part = begin->part;
    auto const end = std::find_if(begin, places.end(), [part](Place const& place) { return place.part != part; });
    std::span<Place const> const here(begin, end);
    std::vector<PageSum> pages = pages_of(live, here);
    auto const records = question.of_part(part);
    for (std::size_t t = 0; t < records.size(); ++t) {
      if (records[t] == kNoTerm) continue;
      PostingReader const reader(live.parts[part].segment->image(), records[t]);
      TermOverPages walk(reader, question.terms[t], bit_of(t), here, out);
      for (PageSum& page : pages) walk.add(page);
    }
    for (PageSum const& page : pages) {
      float const support = support_of(page, here, candidates, scores);
      for (std::uint32_t i = page.first_candidate; i < page.end_candidate; ++i) {
        Closer& closer = out[here[i].candidate];
        closer.page = page.score;
        closer.title = page.title;
        closer.support = support;
      }
    }
    begin = end;
  }
  return out;
}

Proximity::Proximity(LiveSet const& live, std::span<WeightedTerm const> terms)
    : live_(live), shapes_(live.parts.size()) {
  for (std::size_t t = 0; t < terms.size(); ++t) {
    WeightedTerm const& term = terms[t];
    if (term.kind == TermKind::unigram || !term.asked) continue;
    if (elements_.size() == kMaxElements) break;
    elements_.push_back({term.text, term.kind == TermKind::bigram, term.weight, bit_of(t), {}});
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
    Shapes::Bucket& b = out.buckets[bucket(out.sorted[i])];
    if (b.end == 0) b.begin = i;
    b.end = static_cast<std::uint16_t>(i + 1);
  }
  out.ready = true;
}

std::uint32_t Proximity::walk(SegmentImage::Range range, Shapes const& shapes, std::uint32_t place) {
  std::uint32_t before = kBreak;
  for (auto const* at = range.begin; at < range.end; ++place) {
    std::uint32_t const code = get_code(at);
    if (code == kFieldBreak) place += kParameters.window;
    Shapes::Bucket const bucket = shapes.buckets[code % Shapes::kBuckets];
    for (std::uint32_t i = bucket.begin; i < bucket.end; ++i) {
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

float Proximity::bound(std::uint64_t terms) const noexcept {
  float sum = 0;
  for (std::size_t e = 1; e < elements_.size(); ++e) {
    std::uint64_t const pair = elements_[e - 1].term | elements_[e].term;
    if ((terms & pair) == pair) sum += std::min(elements_[e - 1].weight, elements_[e].weight);
  }
  return sum;
}

}  // namespace kb::kbrepo::index
