/// Who sees which knowledge base, and which of its chunks (S2-3, S2-7…11, S2-45…49): the one place that decides, for
/// every reader of chunks. What the principal may read at all is the grant's; this narrows it by agent and channel.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"

namespace kb::protocols {

/// On whose behalf an agent asks; empty: not given.
struct Asker {
  std::string agent, channel;
};

/// Pure. A channel is `prefix:peer`; the prefixes that `peer_channels` (globs) match are those of peers, who are to be
/// kept apart. Rules in this order:
///   base   inactive → hidden. A list of agents → the agent (the channel's prefix when none is given) must be on it.
///          A peer channel without a numeric peer → permissive bases only; with one, a strict base must have the
///          channel or the peer as its scope. Any other channel, an absent one too, hides a base with another scope.
///   chunk  as its base; and where the channel has a colon: nothing for an empty peer (`peer-coach:`), not even of a
///          permissive base; else the chunk's own scope must be the peer or the channel, or, when it has none, its
///          base's must be, or the base be permissive with a scope that ends in `:main`. On a peer channel without a
///          colon only chunks without a scope of their own; on any other the base decides alone.
class Guard {
 public:
  Guard(Asker asker, std::span<std::string const> peer_channels);

  [[nodiscard]] bool sees(config::KnowledgeBase const& base) const;
  /// `scope`: the chunk's own; empty: none.
  [[nodiscard]] bool sees(config::KnowledgeBase const& base, std::string_view scope) const;
  /// Two guards with the same text decide the same on every chunk of this base.
  [[nodiscard]] std::string fingerprint(config::KnowledgeBase const& base) const;

 private:
  Asker asker_;
  std::string_view prefix() const noexcept;
  bool has_colon_ = false;
  bool peer_channel_ = false;
};

}  // namespace kb::protocols
