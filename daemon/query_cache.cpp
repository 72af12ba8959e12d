#include "daemon/query_cache.hpp"

#include <algorithm>

#include "daemon/tool_table.hpp"

namespace kb::daemon {
namespace {

constexpr std::chrono::minutes kKept{5};  // N-5
constexpr std::size_t kMostKept = 512;

}  // namespace

std::string cache_key(ToolCall const& call, World const& world) {
  if (call.name != "kb_query") return {};
  if (call.arguments.find("\"project_root\"") != std::string::npos) return {};  // follows from files, too
  scope::ScopeOutcome const outcome = scope_of({call, world});
  if (!outcome.granted()) return {};
  Caller const& caller = call.caller;
  std::string key =
      caller.sender.str() + '\n' + caller.chat.str() + '\n' + std::string(to_string(caller.chat_type)) + '\n';
  for (scope::GrantedRepo const& granted : outcome.grant->repos()) {
    auto const found = world.snapshots->find(granted.id);
    bool const there = found != world.snapshots->end() && found->second;
    key += granted.id.str() + '@' + (there ? found->second->commit().hex() : std::string("-")) + '\n';
  }
  return key + call.arguments;
}

QueryCache::Answer QueryCache::find(std::string const& key, Time now) {
  auto const at = entries_.find(key);
  if (at == entries_.end()) return nullptr;
  if (now - at->second.kept_at >= kKept) {
    entries_.erase(at);
    return nullptr;
  }
  ++hits_;
  return at->second.answer;
}

void QueryCache::keep(std::string key, Answer answer, Time now) {
  if (answer->status == protocols::ProjectStatus::error) return;  // may be mended by the next time
  if (entries_.size() >= kMostKept && !entries_.contains(key)) {
    std::erase_if(entries_, [now](auto const& entry) { return now - entry.second.kept_at >= kKept; });
  }
  if (entries_.size() >= kMostKept && !entries_.contains(key)) {
    entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                    [](auto const& a, auto const& b) { return a.second.kept_at < b.second.kept_at; }));
  }
  entries_.insert_or_assign(std::move(key), Entry{std::move(answer), now});
}

}  // namespace kb::daemon
