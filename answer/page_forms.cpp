#include "answer/page_forms.hpp"

#include <algorithm>
#include <utility>

#include "answer/likeness.hpp"
#include "answer/quotes.hpp"

namespace kb::answer {
namespace {

constexpr std::size_t kBucketBits = 11;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;

std::size_t bucket_of(std::uint32_t gram) noexcept { return (gram * 0x9E3779B1u) >> (32 - kBucketBits); }

}  // namespace

PageForms::PageForms(std::shared_ptr<kbrepo::Page const> page) : page_(std::move(page)), text_(*page_) {
  index_sentences();
}

void PageForms::index_sentences() {
  NormalText const& normal = text_.normal();
  std::vector<Posting> found;
  found.reserve(normal.text.size() / 2);
  starts_.assign(kBuckets + 1, 0);
  for (std::string_view const sentence : sentences_of(normal)) {
    auto const number = static_cast<std::uint32_t>(sentences_.size());
    auto const begin = static_cast<std::size_t>(sentence.data() - normal.text.data());
    Grams const grams = grams_of(sentence);
    sentences_.push_back({{begin, begin + sentence.size()}, static_cast<std::uint32_t>(grams.size())});
    for (std::uint32_t const gram : grams) {
      found.push_back({gram, number});
      ++starts_[bucket_of(gram) + 1];
    }
  }
  for (std::size_t b = 0; b < kBuckets; ++b) starts_[b + 1] += starts_[b];
  postings_.resize(found.size());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (Posting const& posting : found) postings_[next[bucket_of(posting.gram)]++] = posting;
}

PageForms::Nearest PageForms::nearest(std::string_view normal, double least) const {
  Grams const grams = grams_of(normal);
  std::vector<std::uint32_t> shared(sentences_.size());
  for (auto gram = grams.begin(); gram != grams.end();) {
    auto const next = std::upper_bound(gram, grams.end(), *gram);
    auto const here = static_cast<std::uint32_t>(next - gram);
    std::uint32_t sentence = kbrepo::kNone;
    std::uint32_t there = 0;
    for (std::uint32_t i = starts_[bucket_of(*gram)]; i < starts_[bucket_of(*gram) + 1]; ++i) {
      if (postings_[i].gram != *gram) continue;
      there = postings_[i].sentence == sentence ? there + 1 : 1;
      sentence = postings_[i].sentence;
      if (there <= here) ++shared[sentence];
    }
    gram = next;
  }
  Nearest out;
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    std::size_t const all = sentences_[i].grams + grams.size();
    std::size_t const fewer = std::min<std::size_t>(sentences_[i].grams, grams.size());
    if (shared[i] == 0 || static_cast<double>(2 * fewer) < least * static_cast<double>(all)) continue;
    double const like = 2.0 * shared[i] / static_cast<double>(all);
    out.next = std::max(out.next, std::min(like, out.like));
    if (like > out.like) {
      out.like = like;
      out.place = sentences_[i].place;
    }
  }
  return out;
}

std::size_t PageForms::bytes() const noexcept {
  return sizeof(*this) + text_.bytes() + page_->text.capacity() + page_->blocks.capacity() * sizeof(kbrepo::Block) +
         sentences_.capacity() * sizeof(Sentence) + starts_.capacity() * sizeof(std::uint32_t) +
         postings_.capacity() * sizeof(Posting);
}

FormsPtr KeptForms::of(std::shared_ptr<kbrepo::Page const> const& page) {
  std::string const key = page->blob.hex() + page->path;
  {
    std::lock_guard const lock(mutex_);
    if (auto const known = places_.find(key); known != places_.end()) {
      recent_.splice(recent_.begin(), recent_, known->second);
      return known->second->second;
    }
  }
  auto forms = std::make_shared<PageForms const>(page);
  std::size_t const bytes = forms->bytes();
  std::lock_guard const lock(mutex_);
  if (bytes > most_bytes_ / 2 || places_.contains(key)) return forms;
  recent_.emplace_front(key, forms);
  places_.emplace(key, recent_.begin());
  bytes_ += bytes;
  while (bytes_ > most_bytes_) {
    bytes_ -= recent_.back().second->bytes();
    places_.erase(recent_.back().first);
    recent_.pop_back();
  }
  return forms;
}

}  // namespace kb::answer
