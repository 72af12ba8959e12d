#include "tests/support/memory_store.hpp"

#include <algorithm>

namespace kb::test {

using adapters::Sending;

Sending* MemoryStore::find(Sending const& like) {
  auto const at = std::find_if(tries.begin(), tries.end(), [&](Sending const& one) {
    return one.key == like.key && one.part == like.part && one.form == like.form;
  });
  return at == tries.end() ? nullptr : &*at;
}

Result<void> MemoryStore::writable() {
  if (!failing) return {};
  ++refused_changes;
  return Error(Errc::unavailable, "the disk is full");
}

aio::Task<Result<std::string>> MemoryStore::claim(std::string key, std::string value) {
  Result<void> const ready = writable();
  if (!ready) co_return ready.error();
  co_return claims.try_emplace(std::move(key), std::move(value)).first->second;
}

aio::Task<Result<std::string>> MemoryStore::holder(std::string key) {
  auto const at = claims.find(key);
  co_return at == claims.end() ? std::string() : at->second;
}

aio::Task<Result<std::vector<Sending>>> MemoryStore::sendings(std::string key) {
  std::vector<Sending> out;
  std::copy_if(tries.begin(), tries.end(), std::back_inserter(out), [&](Sending const& s) { return s.key == key; });
  std::stable_sort(out.begin(), out.end(), [](Sending const& a, Sending const& b) { return a.part < b.part; });
  co_return out;
}

aio::Task<Result<Sending>> MemoryStore::begin_sending(Sending sending) {
  Result<void> const ready = writable();
  if (!ready) co_return ready.error();
  if (held.contains(sending.key)) co_return Error(Errc::unavailable, "held by the test");
  Sending* const earlier = find(sending);
  if (earlier != nullptr && !earlier->refused) co_return *earlier;
  if (earlier != nullptr) tries.erase(tries.begin() + (earlier - tries.data()));
  sending.platform_id.clear();
  sending.refused = false;
  tries.push_back(sending);
  co_return sending;
}

aio::Task<Result<void>> MemoryStore::sent(Sending sending) {
  Result<void> const ready = writable();
  if (!ready) co_return ready.error();
  Sending* const known = find(sending);
  if (known == nullptr) co_return Error(Errc::not_found, "never begun");
  known->platform_id = std::move(sending.platform_id);
  known->refused = false;
  co_return Result<void>();
}

aio::Task<Result<void>> MemoryStore::refused(Sending sending) {
  Result<void> const ready = writable();
  if (!ready) co_return ready.error();
  Sending* const known = find(sending);
  if (known == nullptr) co_return Error(Errc::not_found, "never begun");
  known->refused = true;
  co_return Result<void>();
}

aio::Task<Result<void>> MemoryStore::delivered(std::string key) {
  Result<void> const ready = writable();
  if (!ready) co_return ready.error();
  ended.try_emplace(std::move(key));
  co_return Result<void>();
}

aio::Task<Result<void>> MemoryStore::give_up(std::string key, std::string reason) {
  Result<void> const ready = writable();
  if (!ready) co_return ready.error();
  ended.try_emplace(std::move(key), std::move(reason));
  co_return Result<void>();
}

}  // namespace kb::test
