#include "kbrepo/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "config/atomic_file.hpp"
#include "kbrepo/index/cache_file.hpp"
#include "kbrepo/vector_graph.hpp"
#include "logging/service_log.hpp"

namespace kb::kbrepo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "kbgate vectors 1\n";
constexpr std::string_view kGraphMagic = "kbgate graph 1\n";
constexpr std::size_t kMaxFile = std::size_t{8} << 30;
constexpr std::size_t kNoGraph = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMaxText = 6000;        // bytes of one passage; models cut there anyway
constexpr std::size_t kMaxDimension = 16384;  // of a file's head, before it is believed
constexpr std::size_t kGraphShare = 4;        // so many times what is wanted is asked of the graph, and so many at
constexpr std::size_t kLeastAsked = 100;      // least: some of its rows are gone, or not of this set yet

/// Where a blob's rows are.
struct Place {
  BlobId blob{};
  std::uint32_t block = 0, first = 0, count = 0;  ///< rows of a block
};
bool before(Place const& a, Place const& b) noexcept { return a.blob < b.blob; }

float dot(float const* a, float const* b, std::size_t n) noexcept {
  // Eight sums side by side: the compiler may not reorder one.
  float sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  }
  float sum = 0;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (float const part : sums) sum += part;
  return sum;
}

bool nearer(NearPassage const& a, NearPassage const& b) noexcept {
  if (a.cosine != b.cosine) return a.cosine > b.cosine;
  return a.doc != b.doc ? a.doc < b.doc : a.passage < b.passage;
}

void keep_nearest(std::vector<NearPassage>& found, std::size_t limit) {
  std::size_t const kept = std::min(limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(), nearer);
  found.resize(kept);
}

fs::path graph_file(fs::path vectors) { return vectors += ".graph"; }

template <class T>
std::string_view bytes_of(T const& value) noexcept {
  return {reinterpret_cast<char const*>(&value), sizeof value};
}

}  // namespace

std::vector<std::string> embedded_texts(Page const& page) {
  std::vector<std::string> out;
  for (Passage const& passage : page.passages) {
    std::string text = page.heading_path(passage.section);
    if (!text.empty()) text += '\n';
    text += page.bytes(passage);
    if (text.size() > kMaxText) {
      text.resize(kMaxText);
      while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
      if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
    }
    out.push_back(std::move(text));
  }
  return out;
}

float Meaning::nearness(float cosine) const noexcept { return std::clamp((cosine - noise) / (1 - noise), 0.0f, 1.0f); }

struct Vectors::State {
  std::string model;
  std::size_t exact = kExactVectors;
  std::size_t dimension = 0;
  std::size_t passages = 0;
  std::vector<std::shared_ptr<std::vector<float> const>> blocks;
  std::vector<Place> places;                 ///< by blob
  std::shared_ptr<VectorGraph> graph;        ///< null below `exact`; shared with later sets, which only add to it
  std::vector<Place> graphed;                ///< of the graph's rows, in their order
  std::vector<std::uint32_t> graphed_first;  ///< first row of each

  [[nodiscard]] Place const* find(BlobId const& blob) const {
    Place wanted;
    wanted.blob = blob;
    auto const at = std::lower_bound(places.begin(), places.end(), wanted, before);
    return at != places.end() && at->blob == blob ? &*at : nullptr;
  }
  [[nodiscard]] float const* rows(Place const& place) const {
    return blocks[place.block]->data() + std::size_t{place.first} * dimension;
  }

  void add_to_graph(std::span<Place const> more) {
    for (Place const& place : more) {
      if (place.count == 0) continue;
      graphed_first.push_back(graphed.empty() ? 0 : graphed_first.back() + graphed.back().count);
      graphed.push_back(place);
      graph->add({rows(place), std::size_t{place.count} * dimension});
    }
  }
  /// How many rows this set has given to the graph; another may have given it more since.
  [[nodiscard]] std::size_t graphed_rows() const noexcept {
    return graphed.empty() ? 0 : std::size_t{graphed_first.back()} + graphed.back().count;
  }
  /// Makes the graph once there are enough vectors, else adds what is new.
  void grow_graph(std::span<Place const> fresh) {
    if (passages <= exact) return;
    bool const ours = graph && graph->rows() == graphed_rows();
    if (ours) return add_to_graph(fresh);
    graphed.clear();  // there is none, or another set has grown it meanwhile
    graphed_first.clear();
    graph = std::make_shared<VectorGraph>(dimension);
    add_to_graph(places);
  }

  [[nodiscard]] Result<void> save_graph(fs::path const& file, std::uint64_t vectors) const;
  [[nodiscard]] Result<void> load_graph(fs::path const& file, std::uint64_t vectors);
};

Vectors::Vectors(std::string model, std::size_t exact) {
  auto state = std::make_shared<State>();
  state->model = std::move(model);
  state->exact = exact;
  state_ = std::move(state);
}
Vectors::Vectors(std::shared_ptr<State const> state) : state_(std::move(state)) {}

std::string const& Vectors::model() const noexcept { return state_->model; }
std::size_t Vectors::dimension() const noexcept { return state_->dimension; }
std::size_t Vectors::passages() const noexcept { return state_->passages; }
bool Vectors::holds(BlobId const& blob) const { return state_->find(blob) != nullptr; }

Result<Vectors> Vectors::with(std::size_t dimension, std::vector<BlobVectors> more) const {
  if (more.empty()) return *this;
  bool const fits = dimension > 0 && (state_->dimension == 0 || state_->dimension == dimension);
  if (!fits) {
    return Error(Errc::invalid_input, "vectors of " + std::to_string(dimension) + " numbers do not fit those of " +
                                          std::to_string(state_->dimension));
  }
  auto next = std::make_shared<State>(*state_);
  next->dimension = dimension;
  std::vector<float> block;
  std::vector<Place> fresh;
  auto const number = static_cast<std::uint32_t>(next->blocks.size());
  std::sort(more.begin(), more.end(), [](BlobVectors const& a, BlobVectors const& b) { return a.blob < b.blob; });
  for (BlobVectors const& blob : more) {
    bool const known = holds(blob.blob) || (!fresh.empty() && fresh.back().blob == blob.blob);
    if (known) continue;
    if (blob.values.size() % dimension != 0) return Error(Errc::invalid_input, "a vector is cut short");
    auto const first = static_cast<std::uint32_t>(block.size() / dimension);
    fresh.push_back({blob.blob, number, first, static_cast<std::uint32_t>(blob.values.size() / dimension)});
    block.insert(block.end(), blob.values.begin(), blob.values.end());
  }
  next->passages += block.size() / dimension;
  next->blocks.push_back(std::make_shared<std::vector<float> const>(std::move(block)));
  auto const middle = static_cast<std::ptrdiff_t>(next->places.size());
  next->places.insert(next->places.end(), fresh.begin(), fresh.end());
  std::inplace_merge(next->places.begin(), next->places.begin() + middle, next->places.end(), before);
  next->grow_graph(fresh);
  return Vectors(std::move(next));
}

Vectors Vectors::pruned(std::span<PageInfo const> pages) const {
  std::vector<BlobId> live;
  for (PageInfo const& page : pages) live.push_back(page.blob);
  std::sort(live.begin(), live.end());
  std::vector<BlobVectors> kept;
  std::size_t passages = 0;
  for (Place const& place : state_->places) {
    if (!std::binary_search(live.begin(), live.end(), place.blob)) continue;
    float const* const rows = state_->rows(place);
    kept.push_back({place.blob, {rows, rows + std::size_t{place.count} * state_->dimension}});
    passages += place.count;
  }
  if (passages * 3 > state_->passages * 2 || state_->passages == 0) return *this;
  Result<Vectors> smaller = Vectors(state_->model, state_->exact).with(state_->dimension, std::move(kept));
  return smaller ? std::move(*smaller) : *this;
}

std::vector<NearPassage> Vectors::nearest(std::span<float const> question, std::size_t limit,
                                          std::span<PageInfo const> pages,
                                          std::function<bool(PageInfo const&)> const& sees) const {
  State const& s = *state_;
  std::vector<NearPassage> out;
  if (s.dimension == 0 || question.size() != s.dimension) return out;
  if (!s.graph || sees) {
    for (std::uint32_t doc = 0; doc < pages.size(); ++doc) {
      Place const* const place = sees && !sees(pages[doc]) ? nullptr : s.find(pages[doc].blob);
      if (place == nullptr) continue;
      for (std::uint32_t p = 0; p < place->count; ++p) {
        out.push_back({doc, p, dot(question.data(), s.rows(*place) + std::size_t{p} * s.dimension, s.dimension)});
      }
    }
    keep_nearest(out, limit);
    return out;
  }
  std::unordered_map<BlobId, std::vector<std::pair<std::uint32_t, float>>> found;
  std::size_t const graphed = s.graphed_rows();
  for (auto const& [row, cosine] : s.graph->nearest(question, std::max(limit * kGraphShare, kLeastAsked))) {
    if (row >= graphed) continue;  // of a set made after this one
    auto const at = std::upper_bound(s.graphed_first.begin(), s.graphed_first.end(), row) - 1;
    found[s.graphed[static_cast<std::size_t>(at - s.graphed_first.begin())].blob].emplace_back(row - *at, cosine);
  }
  for (std::uint32_t doc = 0; doc < pages.size(); ++doc) {
    auto const at = found.find(pages[doc].blob);
    if (at == found.end()) continue;
    for (auto const& [passage, cosine] : at->second) out.push_back({doc, passage, cosine});
  }
  keep_nearest(out, limit);
  return out;
}

float Vectors::cosine(std::span<float const> question, BlobId const& blob, std::uint32_t passage) const {
  State const& s = *state_;
  Place const* const place = question.size() == s.dimension ? s.find(blob) : nullptr;
  if (place == nullptr || passage >= place->count) return 0;
  return dot(question.data(), s.rows(*place) + std::size_t{passage} * s.dimension, s.dimension);
}

/// Magic, checksum of the rest, then: the checksum of the vectors it is of, the places in the order of their rows, the
/// links.
Result<void> Vectors::State::save_graph(fs::path const& file, std::uint64_t vectors) const {
  if (!graph) {
    std::error_code ignored;  // there is none, as a rule
    fs::remove(file, ignored);
    return {};
  }
  std::string const links = graph->links();
  std::uint32_t rows = 0;
  std::memcpy(&rows, links.data(), sizeof rows);
  if (rows != graphed_rows()) return {};  // another set has grown it: that one stores it
  std::string body(bytes_of(vectors));
  body += bytes_of(static_cast<std::uint32_t>(graphed.size()));
  for (Place const& place : graphed) body += bytes_of(static_cast<std::uint32_t>(find(place.blob) - places.data()));
  body += links;
  return index::replace_cache(file, [&body](std::ostream& out) {
    out << kGraphMagic << bytes_of(index::checksum(body));
    out.write(body.data(), static_cast<std::streamsize>(body.size()));
  });
}

Result<void> Vectors::State::load_graph(fs::path const& file, std::uint64_t vectors) {
  Result<std::string> const content = config::read_file(file, kMaxFile);
  if (!content) return content.error();
  std::string_view rest = *content;
  auto const take = [&rest](auto& value) {
    if (rest.size() < sizeof value) return false;
    std::memcpy(&value, rest.data(), sizeof value);
    rest.remove_prefix(sizeof value);
    return true;
  };
  Error const corrupt(Errc::corrupt, file.string() + " does not add up");
  if (!rest.starts_with(kGraphMagic)) return corrupt;
  rest.remove_prefix(kGraphMagic.size());
  std::uint64_t sum = 0;
  std::uint64_t of = 0;
  std::uint32_t count = 0;
  if (!take(sum) || sum != index::checksum(rest) || !take(of) || !take(count)) return corrupt;
  if (of != vectors) return Error(Errc::not_found, file.string() + " is of other vectors");
  std::vector<float const*> row_of;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t at = 0;
    if (!take(at) || at >= places.size()) return corrupt;
    graphed_first.push_back(static_cast<std::uint32_t>(row_of.size()));
    graphed.push_back(places[at]);
    for (std::uint32_t p = 0; p < places[at].count; ++p) row_of.push_back(rows(places[at]) + p * dimension);
  }
  std::uint32_t linked = 0;
  if (rest.size() >= sizeof linked) std::memcpy(&linked, rest.data(), sizeof linked);
  if (linked != row_of.size()) return corrupt;
  auto loaded = VectorGraph::load(dimension, rest, [&row_of](std::uint32_t row) { return row_of[row]; });
  if (!loaded) return at(file.string(), loaded.error());
  graph = std::move(*loaded);
  return {};
}

Result<void> Vectors::save(std::filesystem::path const& file) const {
  State const& s = *state_;
  std::uint64_t sum = 0;
  Result<void> const saved = index::replace_cache(file, [&s, &sum](std::ostream& out) {
    sum = index::checksum(s.model);
    auto const write = [&](std::string_view bytes) {
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      sum = index::checksum(bytes, sum);
    };
    out << kMagic << s.model << '\n';
    write(bytes_of(std::uint64_t{s.dimension}));
    write(bytes_of(std::uint64_t{s.places.size()}));
    for (Place const& place : s.places) {
      write({reinterpret_cast<char const*>(place.blob.bytes.data()), place.blob.bytes.size()});
      write(bytes_of(place.count));
      write({reinterpret_cast<char const*>(s.rows(place)), std::size_t{place.count} * s.dimension * sizeof(float)});
    }
    std::string_view const end = bytes_of(sum);
    out.write(end.data(), static_cast<std::streamsize>(end.size()));
  });
  return saved ? s.save_graph(graph_file(file), sum) : saved;
}

Result<Vectors> Vectors::load(std::filesystem::path const& file, std::string const& model, std::size_t exact) {
  Result<std::string> const content = config::read_file(file, kMaxFile);
  if (!content) return content.error();
  std::string_view rest = *content;
  auto const corrupt = [&file] { return Error(Errc::corrupt, file.string() + " does not add up"); };
  if (!rest.starts_with(kMagic)) return Error(Errc::corrupt, file.string() + " has another format");
  rest.remove_prefix(kMagic.size());
  auto const line = rest.find('\n');
  if (line == rest.npos) return corrupt();
  if (rest.substr(0, line) != model) return Error(Errc::not_found, file.string() + " is of another model");
  rest.remove_prefix(line + 1);
  std::uint64_t sum = index::checksum(model);
  bool good = true;
  auto const take = [&](void* to, std::size_t size) {
    good = good && rest.size() >= size;
    if (!good || size == 0) return;
    std::memcpy(to, rest.data(), size);
    sum = index::checksum(rest.substr(0, size), sum);
    rest.remove_prefix(size);
  };
  std::uint64_t dimension = 0;
  std::uint64_t blobs = 0;
  take(&dimension, sizeof dimension);
  take(&blobs, sizeof blobs);
  std::vector<BlobVectors> all;
  for (std::uint64_t i = 0; good && dimension <= kMaxDimension && i < blobs; ++i) {
    BlobVectors blob;
    std::uint32_t count = 0;
    take(blob.blob.bytes.data(), blob.blob.bytes.size());
    take(&count, sizeof count);
    good = good && count * dimension * sizeof(float) <= rest.size();
    if (!good) break;
    blob.values.resize(count * dimension);
    take(blob.values.data(), blob.values.size() * sizeof(float));
    all.push_back(std::move(blob));
  }
  if (!good || all.size() != blobs || rest != bytes_of(sum)) return corrupt();
  if (blobs == 0) return Vectors(model, exact);
  Result<Vectors> const plain = Vectors(model, kNoGraph).with(dimension, std::move(all));
  if (!plain) return plain.error();
  auto state = std::make_shared<State>(*plain->state_);
  state->exact = exact;
  if (state->passages > exact) {
    Result<void> const stored = state->load_graph(graph_file(file), sum);
    if (!stored) {
      log::write(log::Level::warn, "embeddings.graph_rebuild", {{"reason", stored.error().what}});
      state->grow_graph({});
      Result<void> const again = state->save_graph(graph_file(file), sum);
      if (!again) log::write(log::Level::warn, "embeddings.not_stored", {{"reason", again.error().what}});
    }
  }
  return Vectors(std::move(state));
}

std::filesystem::path vectors_file(config::Settings const& settings, RepoId const& id) {
  return index_file(settings, id).replace_extension(".vectors");
}

}  // namespace kb::kbrepo
