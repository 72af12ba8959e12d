#include "answer/protocols/kb_guard.hpp"

#include <algorithm>

#include "kbrepo/glob.hpp"

namespace kb::protocols {
namespace {

constexpr std::string_view kShared = ":main";

bool is_peer_id(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Guard::Guard(Asker asker, std::span<std::string const> peer_channels) : asker_(std::move(asker)) {
  has_colon_ = asker_.channel.find(':') != std::string::npos;
  peer_channel_ = std::any_of(peer_channels.begin(), peer_channels.end(),
                              [this](std::string const& pattern) { return kbrepo::glob_match(pattern, prefix()); });
}

std::string_view Guard::prefix() const noexcept {
  return std::string_view(asker_.channel).substr(0, asker_.channel.find(':'));
}

bool Guard::sees(config::KnowledgeBase const& base) const {
  if (!base.active) return false;
  std::string_view const agent = asker_.agent.empty() ? prefix() : std::string_view(asker_.agent);
  bool const any_agent = base.agents.empty();
  if (!any_agent && std::find(base.agents.begin(), base.agents.end(), agent) == base.agents.end()) return false;
  if (!peer_channel_) return base.scope.empty() || base.scope == asker_.channel;
  if (base.permissive) return true;
  std::string_view const peer =
      std::string_view(asker_.channel).substr(std::min(prefix().size() + 1, asker_.channel.size()));
  return has_colon_ && is_peer_id(peer) && (base.scope == asker_.channel || base.scope == peer);
}

bool Guard::sees(config::KnowledgeBase const& base, std::string_view scope) const {
  if (!sees(base)) return false;
  if (!has_colon_) return !peer_channel_ || scope.empty();
  std::string_view const peer = std::string_view(asker_.channel).substr(asker_.channel.rfind(':') + 1);
  if (peer.empty()) return false;  // S2-49
  if (!scope.empty()) return scope == peer || scope == asker_.channel;
  if (base.scope == asker_.channel || base.scope == peer) return true;
  return base.permissive && base.scope.ends_with(kShared);
}

std::string Guard::fingerprint(config::KnowledgeBase const& base) const {
  // A chunk without a scope stands for all such; those with one depend on the channel alone.
  std::string out = sees(base) ? "base " : "none ";
  out += sees(base, {}) ? "own " : "- ";
  out += has_colon_ ? "apart " : peer_channel_ ? "unscoped " : "all ";
  return has_colon_ ? out + asker_.channel : out;
}

}  // namespace kb::protocols
