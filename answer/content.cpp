#include "answer/content.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "answer/characters.hpp"
#include "kbrepo/index/scan.hpp"

namespace kb::answer {
namespace {

using kbrepo::index::QueryTerm;
using kbrepo::index::TermKind;

constexpr std::size_t kMaxWords = 64;
constexpr std::size_t kMaxParts = 64;  // of stand-ins
constexpr float kCrossing = 0.3f;  // a pair of characters across two words says less, and paraphrase breaks it first
constexpr float kWholeWord = 0.9f;
constexpr float kLoneCharacter = 0.6f;
constexpr double kCollocation = 0.5;  // of the passages that hold a character, so many hold it in this pair: one word
constexpr float kLight = 0.25f;
constexpr std::size_t kCrowd = 2000;  // passages; the notes of a team's first years stay below

/// Words for the container or the occasion, not for what is asked; as terms (folded, stemmed).
constexpr std::array<std::string_view, 76> kLightWords{
    "意思",   "含义",     "涵义",  "定义",    "开始",    "mean",  "start", "笔记",     "说",      "讲",    "提到",
    "项目",   "团队",     "知识",  "识库",    "资料",    "文档",  "页面",  "问题",     "情况",    "内容",  "信息",
    "目前",   "现在",     "具体",  "一般",    "通常",    "最近",  "上周",  "本周",     "这周",    "下周",  "昨天",
    "今天",   "明天",     "今年",  "去年",    "上个",    "个月",  "之前",  "上次",     "当时",    "后来",  "最后",
    "大概",   "到底",     "平常",  "平时",    "记录",    "相关",  "东西",  "这边",     "那边",    "often", "long",
    "type",   "way",      "team",  "project", "compani", "page",  "doc",   "document", "current", "usual", "exact",
    "someon", "somebodi", "peopl", "thing",   "actual",  "right", "now",   "still",    "sourc",   "kb"};

constexpr std::array<std::string_view, 7> kBeforeMeasures{"哪", "几", "这", "那", "每", "一", "两"};

struct Frequency {
  double documents = 0;  ///< live passages of all books
  double holding = 0;
};

float idf_of(Frequency const& f) {
  return static_cast<float>(std::log(1.0 + (f.documents - f.holding + 0.5) / (f.holding + 0.5)));
}

/// A pair of characters that lies across two words, as the dictionary sees them.
bool crosses_words(QueryTerm const& term) noexcept { return term.kind == TermKind::bigram && term.weight < kWholeWord; }

/// 几点, 哪天: what is asked for, not what is spoken of.
bool asks_for_measure(QueryTerm const& term) noexcept {
  return term.text.starts_with("几") || term.text.starts_with("哪");
}

/// By the ends and the size; below 1024.
std::size_t quick_hash(std::string_view term) noexcept {
  auto const byte = [term](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(term[i])); };
  std::size_t const last = term.size() - 1;
  return (byte(0) * 7 + byte(last / 2) * 31 + byte(last) * 113 + term.size() * 17) & 1023;
}

class Reader {
 public:
  Reader(std::span<QueryTerm const> question, kbrepo::Shelf const& shelf) : question_(question), shelf_(shelf) {
    for (kbrepo::SnapshotPtr const& book : shelf.books) {
      sizes_.push_back(static_cast<double>(book->index(shelf.grant).stats().passages));
    }
  }

  [[nodiscard]] Frequency frequency_of(std::string_view term) const {
    Frequency out;
    for (std::size_t i = 0; i < shelf_.books.size(); ++i) {
      out.documents += sizes_[i];
      out.holding += static_cast<double>(shelf_.books[i]->index(shelf_.grant).document_frequency(term));
    }
    return out;
  }

  [[nodiscard]] bool is_content(QueryTerm const& term) const {
    if (term.function_word || term.kind == TermKind::part) return false;
    if (term.kind == TermKind::unigram) return is_lone(term);
    return term.kind != TermKind::bigram || (!asks_for_measure(term) && !touches_function(term));
  }

 private:
  /// A pair across two words of which one is an asking or joining word: 库用, 的端. A character that the shelf hardly
  /// has without the other makes a word of its own with it, though no dictionary knows it: 组会.
  [[nodiscard]] bool touches_function(QueryTerm const& term) const {
    if (!crosses_words(term)) return false;
    return std::any_of(question_.begin(), question_.end(), [&](QueryTerm const& other) {
      if (!other.function_word || other.kind != TermKind::unigram) return false;
      bool const first = term.text.starts_with(other.text);
      if (!first && !term.text.ends_with(other.text)) return false;
      std::size_t const size = other.text.size();
      std::string_view const text = term.text;
      std::string_view const rest = first ? text.substr(size) : text.substr(0, text.size() - size);
      double const together = frequency_of(text).holding;
      return together < 2 || together < kCollocation * frequency_of(rest).holding;
    });
  }

  /// A character that stands in no content pair: 山 in 最高的山是. Measures behind 哪, 几… (哪座) are none.
  [[nodiscard]] bool is_lone(QueryTerm const& term) const {
    return std::none_of(question_.begin(), question_.end(), [&](QueryTerm const& other) {
      bool const holds =
          other.kind == TermKind::bigram && (other.text.starts_with(term.text) || other.text.ends_with(term.text));
      if (!holds) return false;
      bool const measure =
          other.text.ends_with(term.text) && std::any_of(kBeforeMeasures.begin(), kBeforeMeasures.end(),
                                                         [&](std::string_view w) { return other.text.starts_with(w); });
      return measure || !touches_function(other);
    });
  }

  std::span<QueryTerm const> question_;
  kbrepo::Shelf const& shelf_;
  std::vector<double> sizes_;
};

bool is_identifier(QueryTerm const& term) {
  return term.kind == TermKind::number ||
         (term.kind == TermKind::word && std::any_of(term.text.begin(), term.text.end(),
                                                     [](char c) { return is_digit(static_cast<unsigned char>(c)); }));
}

}  // namespace

bool is_crowd(kbrepo::Shelf const& shelf) noexcept {
  std::size_t passages = 0;
  for (kbrepo::SnapshotPtr const& book : shelf.books) passages += book->stats().passages;
  return passages >= kCrowd;
}

std::vector<kbrepo::StandIn> stand_ins_of(std::string_view question, kbrepo::Shelf const& shelf) {
  std::vector<kbrepo::StandIn> out;
  for (kbrepo::SnapshotPtr const& book : shelf.books) {
    for (kbrepo::StandIn& one : book->stand_ins(shelf.grant).of(question)) out.push_back(std::move(one));
  }
  return out;
}

ContentWords::ContentWords(std::span<QueryTerm const> question, kbrepo::Shelf const& shelf,
                           std::span<kbrepo::StandIn const> stand_ins) {
  Reader const reader(question, shelf);
  bool const crowd = is_crowd(shelf);
  std::vector<std::string> unknown;
  bool in_crossing_run = false;
  for (QueryTerm const& term : question) {
    if (!reader.is_content(term)) continue;
    Frequency const frequency = reader.frequency_of(term.text);
    float weight = idf_of(frequency);
    bool const light = std::find(kLightWords.begin(), kLightWords.end(), term.text) != kLightWords.end();
    bool const crossing = crosses_words(term);
    // In a small book the place where two words of the question meet is no word that the book lacks.
    if (crossing && frequency.holding == 0 && !crowd) continue;
    if (light && frequency.holding == 0) continue;
    // Pairs in a row that the shelf has, though no dictionary does, are one word: 评测集.
    bool const lone = term.kind == TermKind::unigram;
    // In a crowd such pairs are mostly accidents, and a question has to say more to be believed.
    bool const says_what = crowd ? !crossing : !light && !lone && (!crossing || !in_crossing_run);
    if (says_what) ++whole_;
    in_crossing_run = crossing;
    if (crossing) weight *= kCrossing;
    if (lone) weight *= kLoneCharacter;
    if (light) weight *= kLight;
    if (frequency.holding == 0) {
      unknown.push_back(term.text);
      lacks_number_ = lacks_number_ || is_identifier(term);
    }
    words_.push_back({term.text, weight});
  }
  std::sort(words_.begin(), words_.end(),
            [](Word const& a, Word const& b) { return a.weight != b.weight ? a.weight > b.weight : a.text < b.text; });
  if (words_.size() > kMaxWords) words_.resize(kMaxWords);
  std::sort(words_.begin(), words_.end(), [](Word const& a, Word const& b) { return a.text < b.text; });
  for (std::size_t i = 0; i < words_.size(); ++i) {
    total_ += words_[i].weight;
    if (std::find(unknown.begin(), unknown.end(), words_[i].text) != unknown.end()) unknown_ |= WordSet{1} << i;
  }
  mark(stand_ins);
}

ContentWords::Mark& ContentWords::mark_of(std::string_view term) {
  auto const at = std::lower_bound(marks_.begin(), marks_.end(), term,
                                   [](Mark const& mark, std::string_view text) { return mark.text < text; });
  if (at != marks_.end() && at->text == term) return *at;
  first_look_.set(quick_hash(term));
  return *marks_.insert(at, {std::string(term), 0, 0});
}

WordSet ContentWords::bits_of(std::span<std::string const> terms) const {
  WordSet out = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (std::find(terms.begin(), terms.end(), words_[i].text) != terms.end()) out |= WordSet{1} << i;
  }
  return out;
}

void ContentWords::mark(std::span<kbrepo::StandIn const> stand_ins) {
  for (std::size_t i = 0; i < words_.size(); ++i) mark_of(words_[i].text).words |= WordSet{1} << i;
  std::size_t parts = 0;
  for (kbrepo::StandIn const& one : stand_ins) {
    WordSet const words = bits_of(one.said);
    if (words == 0) continue;
    for (std::vector<std::string> const& phrase : one.instead) {
      if (parts + phrase.size() > kMaxParts) return;
      Instead instead{0, words};
      for (std::string const& term : phrase) {
        instead.parts |= std::uint64_t{1} << parts;
        mark_of(term).parts |= std::uint64_t{1} << parts++;
      }
      instead_.push_back(instead);
    }
  }
}

WordSet ContentWords::in(std::string_view text) const {
  thread_local kbrepo::index::TermBuffer buffer;  // its capacity is what makes this cheap
  kbrepo::index::scan_terms(text, buffer);
  WordSet out = 0;
  std::uint64_t parts = 0;
  for (kbrepo::index::TermBuffer::Piece const& piece : buffer.pieces) {
    std::string_view const term = buffer.term(piece);
    if (!first_look_.test(quick_hash(term))) continue;
    auto const found = std::lower_bound(marks_.begin(), marks_.end(), term,
                                        [](Mark const& mark, std::string_view t) { return mark.text < t; });
    if (found == marks_.end() || found->text != term) continue;
    out |= found->words;
    parts |= found->parts;
  }
  for (Instead const& instead : instead_) {
    if ((parts & instead.parts) == instead.parts) out |= instead.words;
  }
  return out;
}

WordSet ContentWords::versions() const noexcept {
  WordSet out = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::string_view const text = words_[i].text;
    bool const number = std::all_of(text.begin(), text.end(),
                                    [](char c) { return c == '.' || is_digit(static_cast<unsigned char>(c)); });
    if (number && text.find('.') != text.npos) out |= WordSet{1} << i;
  }
  return out;
}

float ContentWords::share(WordSet set) const noexcept {
  if (total_ <= 0) return 0;
  float sum = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((set >> i) & 1) sum += words_[i].weight;
  }
  return sum / total_;
}

float ContentWords::heaviest_missing(WordSet set) const noexcept {
  float most = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (!((set >> i) & 1)) most = std::max(most, words_[i].weight);
  }
  return total_ > 0 ? most / total_ : 0;
}

}  // namespace kb::answer
