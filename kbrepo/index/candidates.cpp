#include "kbrepo/index/candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace kb::kbrepo::index {
namespace {

constexpr std::uint32_t kFirstWindow = 256;  // small at first: a threshold soon, from which skipping lives
constexpr std::uint32_t kMaxWindow = 4096;   // passages whose sums stay in the nearest cache

struct Better {
  bool operator()(Candidate const& a, Candidate const& b) const noexcept {
    if (a.score != b.score) return a.score > b.score;
    return a.doc != b.doc ? a.doc < b.doc : a.passage < b.passage;
  }
};

/// The best so far: kept unordered and cut now and then, which is cheaper than an order at every offer.
class Top {
 public:
  explicit Top(std::size_t limit) : limit_(limit) {}

  /// What a passage must reach to matter.
  [[nodiscard]] std::uint32_t threshold() const noexcept { return threshold_; }

  void offer(Candidate const& candidate) {
    best_.push_back(candidate);
    if (best_.size() >= 2 * limit_) cut();
  }

  void cut() {
    if (best_.size() < limit_) return;
    auto const last = best_.begin() + static_cast<std::ptrdiff_t>(limit_ - 1);
    std::nth_element(best_.begin(), last, best_.end(), Better{});
    threshold_ = std::max(threshold_, last->score);
    best_.resize(limit_);
  }

  [[nodiscard]] std::vector<Candidate> sorted() && {
    cut();
    std::sort(best_.begin(), best_.end(), Better{});
    return std::move(best_);
  }

 private:
  std::size_t limit_;
  std::uint32_t threshold_ = 1;
  std::vector<Candidate> best_;
};

/// One term's postings in one segment, walked forward window by window.
struct List {
  PostingReader reader;
  float weight = 0;         ///< in score steps
  std::uint32_t block = 0;  ///< first that reaches into the window
  std::uint32_t bound = 0;  ///< the most it adds to any passage of the window
};

/// One segment's part of the search.
class PartSearch {
 public:
  PartSearch(LiveSet const& live, std::uint32_t part, WeightedTerms const& question,
             std::function<float(std::uint32_t)> const& prior, Top& top)
      : live_(live), part_(part), image_(live.parts[part].segment->image()), prior_(prior), top_(top) {
    auto const records = question.of_part(part);
    lists_.reserve(records.size());
    for (std::size_t t = 0; t < records.size(); ++t) {
      if (records[t] == kNoTerm) continue;
      lists_.push_back({PostingReader(image_, records[t]), question.terms[t].weight * kScoreSteps, 0, 0});
    }
    drift_ = std::max({drift(live.passages.title, image_.reference().title),
                       drift(live.passages.heading, image_.reference().heading),
                       drift(live.passages.body, image_.reference().body)});
  }

  void run() {
    std::uint32_t size = kFirstWindow;
    for (std::uint32_t begin = 0; begin < image_.passages(); begin += size, size = std::min(size * 2, kMaxWindow)) {
      search_window(begin, std::min(image_.passages(), begin + size));
    }
  }

 private:
  struct Sum {
    std::uint32_t passage, score;
  };

  /// By how much a longer average now can raise what the segment's builder computed: an occurrence is worth at most
  /// that many times more.
  [[nodiscard]] float drift(std::uint64_t now, std::uint64_t then) const noexcept {
    float const a = FieldScale::of(now, live_.passages.passages, 1).average;
    float const b = FieldScale::of(then, image_.reference().passages, 1).average;
    return std::max(1.0f, a / b) * 1.0001f;  // and the rounding of the two
  }

  [[nodiscard]] std::uint32_t contribution(std::uint32_t passage, Counts counts, float weight) const noexcept {
    Lengths const& lengths = image_.lengths(passage);
    float reached = static_cast<float>(counts.body()) * live_.body(lengths.body);
    if (counts.packed > Counts::kMaxBody) {
      reached += static_cast<float>(counts.heading()) * live_.heading(lengths.heading);
      reached += static_cast<float>(counts.title()) * live_.title(lengths.title);
    }
    return static_cast<std::uint32_t>(saturate(reached) * weight + 0.5f);
  }

  [[nodiscard]] std::uint32_t bound(float weight, std::uint32_t impact) const noexcept {
    float const most = impact == kUnbounded ? 1.0f : saturate(static_cast<float>(impact) / kImpactSteps * drift_);
    return static_cast<std::uint32_t>(most * weight + 0.5f) + 1;
  }

  void enter(List& list, std::uint32_t begin, std::uint32_t end) const {
    PostingReader const& reader = list.reader;
    while (list.block < reader.blocks() && reader.last_passage(list.block) < begin) ++list.block;
    std::uint32_t impact = 0;
    bool any = false;
    for (std::uint32_t b = list.block; b < reader.blocks(); ++b) {
      any = true;
      impact = std::max<std::uint32_t>(impact, reader.impact(b));
      if (reader.last_passage(b) >= end - 1) break;
    }
    list.bound = any ? bound(list.weight, impact) : 0;
  }

  void search_window(std::uint32_t begin, std::uint32_t end) {
    top_.cut();
    order_.clear();
    std::uint32_t all = 0;
    for (List& list : lists_) {
      enter(list, begin, end);
      if (list.bound == 0) continue;
      order_.push_back(&list);
      all += list.bound;
    }
    std::uint32_t const threshold = top_.threshold();
    if (all < threshold) return;
    std::sort(order_.begin(), order_.end(), [](List const* a, List const* b) { return a->bound < b->bound; });
    // below_[k]: the most that the k weakest lists add together
    below_.assign(1, 0);
    for (List const* list : order_) below_.push_back(below_.back() + list->bound);
    std::size_t weak = 0;  // lists that cannot lift a passage over the threshold by themselves
    while (weak < order_.size() && below_[weak + 1] < threshold) ++weak;
    for (std::size_t i = weak; i < order_.size(); ++i) add_all(*order_[i], begin, end);
    collect(begin);
    for (std::size_t i = weak; i-- > 0;) {
      std::erase_if(sums_, [&](Sum const& sum) { return sum.score + below_[i + 1] < threshold; });
      add_to_sums(*order_[i]);
    }
    offer_sums();
  }

  /// A strong list: every posting in the window counts.
  void add_all(List const& list, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t b = list.block; b < list.reader.blocks(); ++b) {
      list.reader.read(b, block_);
      Counts const* const counts = block_.all_counts();
      for (std::uint32_t i = block_.seek(0, begin); i < block_.size() && block_.passage(i) < end; ++i) {
        std::uint32_t const at = block_.passage(i) - begin;
        scores_[at] += contribution(begin + at, counts[i], list.weight);
        touched_[at / 64] |= std::uint64_t{1} << (at % 64);
      }
      if (block_.last() >= end - 1) break;
    }
  }

  void collect(std::uint32_t begin) {
    sums_.clear();
    for (std::uint32_t word = 0; word < touched_.size(); ++word) {
      for (std::uint64_t bits = touched_[word]; bits != 0; bits &= bits - 1) {
        std::uint32_t const at = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        sums_.push_back({begin + at, scores_[at]});
        scores_[at] = 0;
      }
      touched_[word] = 0;
    }
  }

  /// A weak list: only the passages that others brought up.
  void add_to_sums(List const& list) {
    std::uint32_t block = list.block;
    std::uint32_t open = kNoTerm;
    std::uint32_t i = 0;
    for (Sum& sum : sums_) {
      while (block < list.reader.blocks() && list.reader.last_passage(block) < sum.passage) ++block;
      if (block == list.reader.blocks()) return;
      if (block != open) {
        list.reader.read(block, block_);
        open = block;
        i = 0;
      }
      i = block_.seek(i, sum.passage);
      if (i == block_.size() || block_.passage(i) != sum.passage) continue;
      sum.score += contribution(sum.passage, block_.counts(i), list.weight);
    }
  }

  void offer_sums() {
    auto const& position = live_.parts[part_].position;
    std::uint32_t known = kDead;  // whose prior it is
    float prior = 1;
    for (Sum const& sum : sums_) {
      if (sum.score < top_.threshold()) continue;
      std::uint32_t const doc = position[image_.document_of(sum.passage)];
      if (doc == kDead) continue;
      if (prior_ && doc != known) prior = prior_(known = doc);
      if (prior > 0) top_.offer({sum.score, part_, sum.passage, doc, prior});
    }
  }

  LiveSet const& live_;
  std::uint32_t part_;
  SegmentImage const& image_;
  std::function<float(std::uint32_t)> const& prior_;
  Top& top_;
  float drift_ = 1;
  std::vector<List> lists_;
  std::vector<List const*> order_;
  std::vector<std::uint32_t> below_;
  std::vector<Sum> sums_;
  std::array<std::uint32_t, kMaxWindow> scores_{};
  std::array<std::uint64_t, kMaxWindow / 64> touched_{};
  PostingBlock block_;
};

}  // namespace

std::vector<Candidate> best_candidates(LiveSet const& live, WeightedTerms const& question, std::size_t limit,
                                       std::function<float(std::uint32_t)> const& prior) {
  Top top(limit);
  if (limit == 0) return {};
  for (std::uint32_t part = 0; part < live.parts.size(); ++part) PartSearch(live, part, question, prior, top).run();
  return std::move(top).sorted();
}

}  // namespace kb::kbrepo::index
