#include "daemon/embedder.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cmath>
#include <exception>
#include <numeric>

#include "adapters/aio/wait.hpp"
#include "adapters/model/embeddings.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto kLookEvery = 2s;
constexpr auto kAfterFault = 30s;
constexpr std::size_t kBatchesARound = 16;  // between two of which what is there is served and kept
constexpr std::size_t kMaxAsked = 256;

/// Texts of a line each that have nothing to do with each other: how near a model puts them all the same is its noise.
constexpr std::array kProbes{"The ferry leaves the island at seven.",
                             "Rotate the signing key every ninety days.",
                             "她把小提琴放回琴盒里。",
                             "Photosynthesis turns light into sugar.",
                             "季度预算需要财务总监批准。",
                             "A goalkeeper may not hold the ball for long.",
                             "Knead the dough until it is smooth.",
                             "地震波在地核中传播得更慢。",
                             "The contract ends without notice.",
                             "Compile the kernel with debug symbols."};

std::vector<std::string> probes() { return {kProbes.begin(), kProbes.end()}; }

/// As many calls as the batch of the settings makes of it.
aio::Task<Result<model::Embedded>> embed_all(model::EmbeddingClient& client, std::vector<std::string> texts,
                                             std::size_t batch, std::chrono::milliseconds limit) {
  model::Embedded all;
  for (std::size_t from = 0; from < texts.size(); from += batch) {
    auto const first = texts.begin() + static_cast<std::ptrdiff_t>(from);
    auto const last = texts.begin() + static_cast<std::ptrdiff_t>(std::min(from + batch, texts.size()));
    std::vector<std::string> some(first, last);
    Result<model::Embedded> embedded = co_await client.embed(std::move(some), limit);
    if (!embedded) co_return embedded.error();
    bool const fits = all.dimension == 0 || all.dimension == embedded->dimension;
    if (!fits) co_return Error(Errc::corrupt, "the embeddings' dimension changed between two calls");
    all.dimension = embedded->dimension;
    all.values.insert(all.values.end(), embedded->values.begin(), embedded->values.end());
  }
  co_return all;
}

/// Mean of the probes' cosines and twice their spread; `embedded` begins with probes().
float noise_of(model::Embedded const& embedded) {
  double sum = 0;
  double squares = 0;
  int pairs = 0;
  for (std::size_t a = 0; a < kProbes.size(); ++a) {
    for (std::size_t b = a + 1; b < kProbes.size(); ++b) {
      float const* const x = embedded.values.data() + a * embedded.dimension;
      float const* const y = embedded.values.data() + b * embedded.dimension;
      double const cosine = std::inner_product(x, x + embedded.dimension, y, 0.0);
      sum += cosine;
      squares += cosine * cosine;
      ++pairs;
    }
  }
  double const mean = sum / pairs;
  double const spread = std::sqrt(std::max(0.0, squares / pairs - mean * mean));
  return static_cast<float>(std::clamp(mean + 2 * spread, 0.0, .95));
}

}  // namespace

/// Some blobs on their way: their passages' texts, then their vectors.
struct Embedder::Round {
  kbrepo::SnapshotPtr snapshot;
  std::shared_ptr<kbrepo::Vectors const> known;
  std::vector<std::pair<kbrepo::BlobId, std::size_t>> blobs;  ///< with the number of their passages
  std::vector<std::string> texts;
  model::Embedded embedded;

  /// Evidence that has no vectors yet; what cannot be read is left out.
  void collect(std::size_t most) {
    // Every repository is embedded, whoever may read it: what leaves is still a matter of grants.
    scope::ReadGrant const grant = scope::operator_grant(snapshot->repo(), scope::Label::team);
    for (kbrepo::PageInfo const& page : snapshot->pages(grant)) {
      if (texts.size() >= most) return;
      if (page.kind != kbrepo::PageKind::evidence || known->holds(page.blob)) continue;
      bool const taken = std::any_of(blobs.begin(), blobs.end(), [&](auto const& b) { return b.first == page.blob; });
      if (taken) continue;
      auto const text = snapshot->read(grant, page.path);
      if (!text) continue;
      std::vector<std::string> passages = kbrepo::embedded_texts(**text);
      blobs.emplace_back(page.blob, passages.size());
      std::move(passages.begin(), passages.end(), std::back_inserter(texts));
    }
  }

  [[nodiscard]] std::vector<kbrepo::BlobVectors> by_blob() const {
    std::vector<kbrepo::BlobVectors> out;
    auto at = embedded.values.begin();
    for (auto const& [blob, passages] : blobs) {
      auto const end = at + static_cast<std::ptrdiff_t>(passages * embedded.dimension);
      out.push_back({blob, {at, end}});
      at = end;
    }
    return out;
  }
};

Embedder::Embedder(aio::Executor ex, std::unique_ptr<model::EmbeddingClient> client, config::EmbeddingSettings settings,
                   Hooks hooks)
    : ex_(std::move(ex)), client_(std::move(client)), settings_(std::move(settings)), hooks_(std::move(hooks)) {}

aio::Task<> Embedder::run() {
  for (;;) {
    if (!noise_) {
      co_await measure_noise();
    }
    bool whole = noise_.has_value();
    auto const snapshots = whole ? hooks_.snapshots() : std::make_shared<kbrepo::Snapshots const>();
    for (auto const& [id, snapshot] : *snapshots) {
      bool const same = !snapshot || done_[id] == snapshot;
      if (same) continue;
      if (!sets_->contains(id)) {
        co_await load(id);
      }
      bool const caught_up = co_await catch_up(id, snapshot);
      whole = whole && caught_up;
      if (caught_up) done_[id] = snapshot;
    }
    std::chrono::milliseconds const pause = whole ? kLookEvery : kAfterFault;
    bool const go_on = co_await aio::sleep_for(ex_, pause);
    if (!go_on) co_return;
  }
}

aio::Task<> Embedder::load(RepoId id) {
  auto const books = hooks_.books();
  Result<kbrepo::Vectors> loaded = Error(Errc::not_found, "");
  auto job = [&] { loaded = kbrepo::Vectors::load(kbrepo::vectors_file(books->settings, id), settings_.name); };
  co_await pool_.run(job);
  if (!loaded && loaded.error().code == Errc::corrupt) {
    log::write(log::Level::warn, "embeddings.rebuild", {{"repo", id.str()}, {"reason", loaded.error().what}});
  }
  assign(id, loaded ? std::move(*loaded) : kbrepo::Vectors(settings_.name));
}

aio::Task<bool> Embedder::catch_up(RepoId id, kbrepo::SnapshotPtr snapshot) {
  bool grown = false;
  for (;;) {
    Round round;
    round.snapshot = snapshot;
    round.known = sets_->at(id);
    std::size_t const most = settings_.batch * kBatchesARound;
    auto collect = [&] { round.collect(most); };
    co_await pool_.run(collect);
    if (round.blobs.empty()) break;
    std::vector<std::string> texts = std::move(round.texts);
    Result<model::Embedded> embedded = co_await embed_all(*client_, std::move(texts), settings_.batch, limit());
    if (!embedded) {
      if (embedded.error().code != Errc::cancelled) say(embedded.error().what);
      if (grown) {
        co_await save(id, snapshot);
      }
      co_return false;
    }
    round.embedded = std::move(*embedded);
    Result<kbrepo::Vectors> next = Error(Errc::cancelled, "");
    auto add = [&] {
      std::size_t const dimension = round.embedded.dimension > 0 ? round.embedded.dimension : round.known->dimension();
      next = dimension > 0 ? round.known->with(dimension, round.by_blob()) : *round.known;
    };
    co_await pool_.run(add);
    bool const nothing_yet = next && next->dimension() == 0;  // pages without a passage alone
    if (nothing_yet) break;
    if (!next) {
      // The server has another model under the same name: what was made before cannot be compared with.
      say(next.error().what);
      assign(id, kbrepo::Vectors(settings_.name));
      asked_.clear();
      noise_.reset();
      co_return false;
    }
    assign(id, std::move(*next));
    grown = true;
  }
  say({});
  if (grown) {
    co_await save(id, snapshot);
  }
  co_return true;
}

aio::Task<> Embedder::measure_noise() {
  std::vector<std::string> texts = probes();
  Result<model::Embedded> embedded = co_await embed_all(*client_, std::move(texts), settings_.batch, limit());
  if (embedded) noise_ = noise_of(*embedded);
  if (!embedded && embedded.error().code != Errc::cancelled) say(embedded.error().what);
}

std::chrono::milliseconds Embedder::limit() const { return settings_.call_limit * (settings_.retries + 1); }

aio::Task<> Embedder::save(RepoId id, kbrepo::SnapshotPtr snapshot) {
  auto const books = hooks_.books();
  std::shared_ptr<kbrepo::Vectors const> const known = sets_->at(id);
  Result<void> saved = Error(Errc::cancelled, "");
  std::shared_ptr<kbrepo::Vectors const> kept;
  auto job = [&] {
    scope::ReadGrant const grant = scope::operator_grant(id, scope::Label::team);
    kept = std::make_shared<kbrepo::Vectors const>(known->pruned(snapshot->pages(grant)));
    saved = kept->save(kbrepo::vectors_file(books->settings, id));
  };
  co_await pool_.run(job);
  assign(id, *kept);
  if (!saved)
    log::write(log::Level::warn, "embeddings.not_stored", {{"repo", id.str()}, {"reason", saved.error().what}});
  log::write(log::Level::info, "embeddings.stored", {{"repo", id.str()}, {"passages", kept->passages()}});
}

void Embedder::assign(RepoId const& id, kbrepo::Vectors vectors) {
  auto next = std::make_shared<kbrepo::VectorSets>(*sets_);
  (*next)[id] = std::make_shared<kbrepo::Vectors const>(std::move(vectors));
  sets_ = std::move(next);
}

/// A failing thing warns when it starts and when it ends, not each time.
void Embedder::say(std::string const& fault) {
  if (!fault.empty() && fault_.empty()) log::write(log::Level::warn, "embeddings.failing", {{"reason", fault}});
  if (fault.empty() && !fault_.empty()) log::write(log::Level::warn, "embeddings.recovered", {});
  fault_ = fault;
}

aio::Task<kbrepo::MeaningPtr> Embedder::question(std::string text) {
  bool const anything =
      std::any_of(sets_->begin(), sets_->end(), [](auto const& set) { return set.second->passages() > 0; });
  if (!anything || !noise_) co_return nullptr;
  for (auto const& [known, vector] : asked_) {
    if (known == text) co_return vector;
  }
  std::vector<std::string> texts{text};
  Result<model::Embedded> embedded = co_await client_->embed(std::move(texts), settings_.query_limit);
  if (!embedded) {
    log::write(log::Level::info, "embeddings.question_without", {{"reason", embedded.error().what}});
    co_return nullptr;
  }
  kbrepo::Meaning meaning;
  meaning.noise = *noise_;
  meaning.vector = std::move(embedded->values);
  auto vector = std::make_shared<kbrepo::Meaning const>(std::move(meaning));
  asked_.emplace_front(std::move(text), vector);
  if (asked_.size() > kMaxAsked) asked_.pop_back();
  co_return vector;
}

std::unique_ptr<model::EmbeddingClient> make_embeddings(aio::Executor ex, config::AnswerSettings const& settings,
                                                        Clock const& clock) {
  if (!settings.embeddings) return nullptr;
  Result<std::unique_ptr<model::OpenAiEmbeddings>> client =
      model::OpenAiEmbeddings::make(std::move(ex), *settings.embeddings, clock);
  if (client) return std::move(*client);
  log::write(log::Level::error, "embeddings.unusable", {{"reason", client.error().what}});
  return nullptr;
}

namespace {

Result<model::Embedded> embed_now(config::EmbeddingSettings const& settings, Clock const& clock,
                                  std::vector<std::string> texts, std::chrono::milliseconds limit) {
  asio::io_context io(1);
  auto const client = model::OpenAiEmbeddings::make(io.get_executor(), settings, clock);
  if (!client) return client.error();
  Result<model::Embedded> out = Error(Errc::cancelled, "");
  std::exception_ptr fault;
  asio::co_spawn(io, embed_all(**client, std::move(texts), settings.batch, limit),
                 [&](std::exception_ptr e, Result<model::Embedded> embedded) {
                   fault = e;
                   out = std::move(embedded);
                   io.stop();  // connections kept for a next call
                 });
  io.run();
  if (fault) std::rethrow_exception(fault);
  return out;
}

}  // namespace

Result<std::size_t> dimension_now(config::EmbeddingSettings const& settings, Clock const& clock) {
  Result<model::Embedded> const embedded = embed_now(settings, clock, probes(), settings.call_limit);
  if (!embedded) return embedded.error();
  return embedded->dimension;
}

MeaningNow meaning_now(config::Settings const& settings, Clock const& clock, std::string text) {
  MeaningNow out;
  if (!settings.answer.embeddings) return out;
  auto sets = std::make_shared<kbrepo::VectorSets>();
  for (config::RepoSettings const& repo : settings.repos) {
    Result<kbrepo::Vectors> set =
        kbrepo::Vectors::load(kbrepo::vectors_file(settings, repo.id), settings.answer.embeddings->name);
    if (set) (*sets)[repo.id] = std::make_shared<kbrepo::Vectors const>(std::move(*set));
  }
  if (sets->empty()) {
    out.why = "no vectors are there yet: the daemon makes them";
    return out;
  }
  std::vector<std::string> texts = probes();
  texts.push_back(std::move(text));
  config::EmbeddingSettings const& embeddings = *settings.answer.embeddings;
  Result<model::Embedded> embedded = embed_now(embeddings, clock, std::move(texts), embeddings.query_limit);
  if (!embedded) {
    out.why = embedded.error().what;
    return out;
  }
  out.sets = std::move(sets);
  kbrepo::Meaning meaning;
  meaning.noise = noise_of(*embedded);
  meaning.vector.assign(embedded->values.end() - static_cast<std::ptrdiff_t>(embedded->dimension),
                        embedded->values.end());
  out.meaning = std::make_shared<kbrepo::Meaning const>(std::move(meaning));
  return out;
}

}  // namespace kb::daemon
