/// A page in the forms that quotes of a model are looked up in: folded, and its sentences by the words and pairs of
/// words in them. Made once for a page, and kept while questions come back to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "answer/page_text.hpp"
#include "kbrepo/page.hpp"

namespace kb::answer {

/// Immutable, so that jobs can share it.
class PageForms {
 public:
  explicit PageForms(std::shared_ptr<kbrepo::Page const> page);

  [[nodiscard]] kbrepo::Page const& page() const noexcept { return *page_; }
  [[nodiscard]] PageText const& text() const noexcept { return text_; }

  /// The sentence that a text in normal form is most like, and how like the next one is.
  struct Nearest {
    Place place;
    double like = 0, next = 0;
  };
  /// Sentences so much longer or shorter that they cannot be `least` alike are passed over.
  [[nodiscard]] Nearest nearest(std::string_view normal, double least) const;
  [[nodiscard]] std::size_t bytes() const noexcept;  ///< that this takes, the page included

 private:
  struct Sentence {
    Place place;
    std::uint32_t grams = 0;  ///< how many
  };
  struct Posting {
    std::uint32_t gram = 0;
    std::uint32_t sentence = 0;
  };
  void index_sentences();

  std::shared_ptr<kbrepo::Page const> page_;
  PageText text_;
  std::vector<Sentence> sentences_;
  std::vector<std::uint32_t> starts_;  ///< of the postings of each bucket
  std::vector<Posting> postings_;      ///< by bucket, then by sentence
};
using FormsPtr = std::shared_ptr<PageForms const>;

/// Forms of the pages last asked about, by path and blob; those not used for longest go first. Any thread.
class KeptForms {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{24} << 20;
  explicit KeptForms(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  /// Those kept, or new ones.
  [[nodiscard]] FormsPtr of(std::shared_ptr<kbrepo::Page const> const& page);

 private:
  using Recent = std::list<std::pair<std::string, FormsPtr>>;

  std::size_t most_bytes_;
  std::mutex mutex_;  ///< of all below
  std::size_t bytes_ = 0;
  Recent recent_;  ///< the latest first
  std::unordered_map<std::string, Recent::iterator> places_;
};

}  // namespace kb::answer
