#include "kbrepo/index/candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace kb::kbrepo::index {
namespace {

constexpr std::uint32_t kWindow = 4096;    // passages: their sums stay in the nearest cache
constexpr std::uint32_t kShortBlocks = 4;  // a list of no more is read once, and known posting by posting

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

struct Sum {
  std::uint32_t passage, score;
};

/// One term's postings in one segment.
struct List {
  PostingReader reader;
  float weight = 0;                  ///< in score steps
  std::uint32_t first = 0, end = 0;  ///< of a short list: its postings in PartSearch::known_
  [[nodiscard]] bool is_short() const noexcept { return end > first; }
};

/// What a list holds of one window.
struct Share {
  std::uint32_t from = 0;   ///< its first posting in known_, or its first block, that reaches into the window
  std::uint32_t bound = 0;  ///< the most it adds to any passage of the window; 0: nothing
};

/// One segment's part of the search. Windows that promise most come first: what they yield soon rules the rest out.
class PartSearch {
 public:
  PartSearch(LiveSet const& live, std::uint32_t part, WeightedTerms const& question,
             std::function<float(std::uint32_t)> const& prior, Top& top)
      : live_(live), part_(part), image_(live.parts[part].segment->image()), prior_(prior), top_(top) {
    drift_ = std::max({drift(live.passages.title, image_.reference().title),
                       drift(live.passages.heading, image_.reference().heading),
                       drift(live.passages.body, image_.reference().body)});
    auto const records = question.of_part(part);
    lists_.reserve(records.size());
    for (std::size_t t = 0; t < records.size(); ++t) {
      if (records[t] != kNoTerm) add_list(PostingReader(image_, records[t]), question.terms[t].weight * kScoreSteps);
    }
  }

  void run() {
    std::uint32_t const windows = (image_.passages() + kWindow - 1) / kWindow;
    shares_.resize(windows * lists_.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order(windows);  // the most a passage can reach, window
    for (std::uint32_t w = 0; w < windows; ++w) order[w].second = w;
    for (std::size_t l = 0; l < lists_.size(); ++l) {
      std::uint32_t from = lists_[l].first;
      for (std::uint32_t w = 0; w < windows; ++w) {
        Share const share = lists_[l].is_short() ? known_share(lists_[l], w, from) : block_share(lists_[l], w, from);
        from = share.from;
        order[w].first += share.bound;
        shares_[w * lists_.size() + l] = share;
      }
    }
    std::sort(order.begin(), order.end(), [](auto const& a, auto const& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (auto const& [most, window] : order) {
      top_.cut();
      if (most < top_.threshold()) return;
      search_window(window);
    }
  }

 private:
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

  void add_list(PostingReader reader, float weight) {
    List list{reader, weight, static_cast<std::uint32_t>(known_.size()), 0};
    for (std::uint32_t b = 0; reader.blocks() <= kShortBlocks && b < reader.blocks(); ++b) {
      reader.read(b, block_);
      Counts const* const counts = block_.all_counts();
      for (std::uint32_t i = 0; i < block_.size(); ++i) {
        known_.push_back({block_.passage(i), contribution(block_.passage(i), counts[i], weight)});
      }
    }
    list.end = static_cast<std::uint32_t>(known_.size());
    if (!list.is_short()) list.first = list.end = 0;  // where its blocks begin
    lists_.push_back(list);
  }

  [[nodiscard]] Share known_share(List const& list, std::uint32_t window, std::uint32_t from) const noexcept {
    Share out{from, 0};
    while (out.from < list.end && known_[out.from].passage < window * kWindow) ++out.from;
    for (std::uint32_t i = out.from; i < list.end && known_[i].passage < (window + 1) * kWindow; ++i) {
      out.bound = std::max(out.bound, known_[i].score);
    }
    return out;
  }

  [[nodiscard]] Share block_share(List const& list, std::uint32_t window, std::uint32_t from) const noexcept {
    PostingReader const& reader = list.reader;
    while (from < reader.blocks() && reader.last_passage(from) < window * kWindow) ++from;
    if (from == reader.blocks()) return {from, 0};
    std::uint32_t impact = 0;
    for (std::uint32_t b = from; b < reader.blocks(); ++b) {
      impact = std::max<std::uint32_t>(impact, reader.impact(b));
      if (reader.last_passage(b) >= (window + 1) * kWindow - 1) break;
    }
    return {from, bound(list.weight, impact)};
  }

  void search_window(std::uint32_t window) {
    std::uint32_t const begin = window * kWindow;
    Share const* const shares = shares_.data() + window * lists_.size();
    order_.clear();
    for (std::uint32_t l = 0; l < lists_.size(); ++l) {
      if (shares[l].bound > 0) order_.push_back(l);
    }
    std::uint32_t const threshold = top_.threshold();
    std::sort(order_.begin(), order_.end(), [shares](auto a, auto b) { return shares[a].bound < shares[b].bound; });
    // below_[k]: the most that the k weakest lists add together
    below_.assign(1, 0);
    for (std::uint32_t const l : order_) below_.push_back(below_.back() + shares[l].bound);
    std::size_t weak = 0;  // lists that cannot lift a passage over the threshold by themselves
    while (weak < order_.size() && below_[weak + 1] < threshold) ++weak;
    for (std::size_t i = weak; i < order_.size(); ++i) {
      List const& list = lists_[order_[i]];
      std::uint32_t const from = shares[order_[i]].from;
      list.is_short() ? add_known(list, from, begin) : add_all(list, from, begin);
    }
    collect(begin);
    for (std::size_t i = weak; i-- > 0;) {
      std::erase_if(sums_, [&](Sum const& sum) { return sum.score + below_[i + 1] < threshold; });
      List const& list = lists_[order_[i]];
      std::uint32_t const from = shares[order_[i]].from;
      list.is_short() ? add_known_to_sums(list, from) : add_to_sums(list, from);
    }
    offer_sums();
  }

  void add(std::uint32_t at, std::uint32_t score) noexcept {
    scores_[at] += score;
    touched_[at / 64] |= std::uint64_t{1} << (at % 64);
  }

  void add_known(List const& list, std::uint32_t from, std::uint32_t begin) noexcept {
    for (std::uint32_t i = from; i < list.end && known_[i].passage < begin + kWindow; ++i) {
      add(known_[i].passage - begin, known_[i].score);
    }
  }

  /// A strong list: every posting in the window counts.
  void add_all(List const& list, std::uint32_t from, std::uint32_t begin) {
    std::uint32_t const end = begin + kWindow;
    for (std::uint32_t b = from; b < list.reader.blocks(); ++b) {
      list.reader.read(b, block_);
      Counts const* const counts = block_.all_counts();
      for (std::uint32_t i = block_.seek(0, begin); i < block_.size() && block_.passage(i) < end; ++i) {
        std::uint32_t const at = block_.passage(i) - begin;
        add(at, contribution(begin + at, counts[i], list.weight));
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

  void add_known_to_sums(List const& list, std::uint32_t from) noexcept {
    for (Sum& sum : sums_) {
      while (from < list.end && known_[from].passage < sum.passage) ++from;
      if (from == list.end) return;
      if (known_[from].passage == sum.passage) sum.score += known_[from].score;
    }
  }

  /// A weak list: only the passages that others brought up.
  void add_to_sums(List const& list, std::uint32_t block) {
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
  std::vector<Sum> known_;            ///< the postings of the short lists, list by list
  std::vector<Share> shares_;         ///< window by window, of each list
  std::vector<std::uint32_t> order_;  ///< of the window's lists, weakest first
  std::vector<std::uint32_t> below_;
  std::vector<Sum> sums_;
  std::array<std::uint32_t, kWindow> scores_{};
  std::array<std::uint64_t, kWindow / 64> touched_{};
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
