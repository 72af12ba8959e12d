/// Vectors of what the library serves, made in the background and kept beside the index; and of questions, in time or
/// not at all. A provider that is down costs nobody an answer: words alone decide then.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/aio/pool.hpp"
#include "adapters/model/embedding_client.hpp"
#include "config/clock.hpp"
#include "config/control_files.hpp"
#include "kbrepo/shelf.hpp"
#include "kbrepo/vectors.hpp"

namespace kb::daemon {

/// Loop thread only.
class Embedder {
 public:
  struct Hooks {
    std::function<std::shared_ptr<config::Books const>()> books;
    std::function<std::shared_ptr<kbrepo::Snapshots const>()> snapshots;
  };
  Embedder(aio::Executor ex, std::unique_ptr<model::EmbeddingClient> client, config::EmbeddingSettings settings,
           Hooks hooks);

  /// Follows the library until it is cancelled.
  aio::Task<> run();
  /// Null when there is nothing to compare with yet, and when the provider is not there within the settings' limit.
  aio::Task<kbrepo::MeaningPtr> question(std::string text);
  [[nodiscard]] std::shared_ptr<kbrepo::VectorSets const> vectors() const noexcept { return sets_; }

 private:
  struct Round;
  aio::Task<> load(RepoId id);
  /// False: the provider failed, try later.
  aio::Task<bool> catch_up(RepoId id, kbrepo::SnapshotPtr snapshot);
  aio::Task<> measure_noise();
  aio::Task<> save(RepoId id, kbrepo::SnapshotPtr snapshot);
  void assign(RepoId const& id, kbrepo::Vectors vectors);
  void say(std::string const& fault);
  [[nodiscard]] std::chrono::milliseconds limit() const;  ///< of one call with its repeats

  aio::Executor ex_;
  aio::Pool pool_{1};  ///< its own: building a graph takes minutes where there are many passages
  std::unique_ptr<model::EmbeddingClient> client_;
  config::EmbeddingSettings settings_;
  Hooks hooks_;
  std::shared_ptr<kbrepo::VectorSets const> sets_ = std::make_shared<kbrepo::VectorSets const>();
  std::map<RepoId, kbrepo::SnapshotPtr> done_;  ///< whole under this snapshot
  std::string fault_;
  std::optional<float> noise_;
  std::deque<std::pair<std::string, kbrepo::MeaningPtr>> asked_;  ///< the newest first
};

/// The client that the settings name; null when there is none, and when it cannot be made, which is logged.
[[nodiscard]] std::unique_ptr<model::EmbeddingClient> make_embeddings(aio::Executor ex,
                                                                      config::AnswerSettings const& settings,
                                                                      Clock const& clock);

/// For verbs: the sets on disk and the text's vector, asked for on a loop of its own. Both empty when no set is there
/// or the provider is not: `why` says so then, unless embeddings are off.
struct MeaningNow {
  std::shared_ptr<kbrepo::VectorSets const> sets;
  kbrepo::MeaningPtr meaning;
  std::string why;
};
[[nodiscard]] MeaningNow meaning_now(config::Settings const& settings, Clock const& clock, std::string text);

/// Of the vectors that the server answers a few texts with now. The error is the server's, or what is wrong with the
/// settings' files.
[[nodiscard]] Result<std::size_t> dimension_now(config::EmbeddingSettings const& settings, Clock const& clock);

}  // namespace kb::daemon
