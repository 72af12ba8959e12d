#include "daemon/adapter_store.hpp"

#include <utility>

namespace kb::daemon {
namespace {

adapters::Sending sending_of(logging::SendingRow row) {
  return {std::move(row.key), row.part, std::move(row.form), row.first_try, std::move(row.platform_id), row.refused};
}

logging::SendingRow row_of(adapters::Sending sending) {
  return {std::move(sending.key),         sending.part,   std::move(sending.form), sending.first_try,
          std::move(sending.platform_id), sending.refused};
}

}  // namespace

DurableStore::DurableStore(Durable& durable, aio::Pool& files, Clock const& clock)
    : durable_(durable), files_(files), clock_(clock) {}

aio::Task<Result<std::string>> DurableStore::claim(std::string key, std::string value) {
  return durable_.claim(std::move(key), std::move(value), clock_.now());
}

aio::Task<Result<std::string>> DurableStore::holder(std::string key) {
  Result<std::string> held = std::string();
  auto look = [&] { held = durable_.journal().holder(key); };
  co_await files_.run(look);
  co_return held;
}

aio::Task<Result<std::vector<adapters::Sending>>> DurableStore::sendings(std::string key) {
  Result<std::vector<logging::SendingRow>> rows = std::vector<logging::SendingRow>();
  auto look = [&] { rows = durable_.journal().sendings(key); };
  co_await files_.run(look);
  if (!rows) co_return rows.error();
  std::vector<adapters::Sending> out;
  for (logging::SendingRow& row : *rows) out.push_back(sending_of(std::move(row)));
  co_return out;
}

aio::Task<Result<adapters::Sending>> DurableStore::begin_sending(adapters::Sending sending) {
  logging::SendingRow row = row_of(std::move(sending));
  Result<logging::SendingRow> stands = co_await durable_.begin_sending(std::move(row));
  if (!stands) co_return stands.error();
  co_return sending_of(std::move(*stands));
}

aio::Task<Result<void>> DurableStore::sent(adapters::Sending sending) {
  return durable_.sent(row_of(std::move(sending)));
}

aio::Task<Result<void>> DurableStore::refused(adapters::Sending sending) {
  return durable_.refused(row_of(std::move(sending)));
}

aio::Task<Result<void>> DurableStore::delivered(std::string key) {
  return durable_.delivered(std::move(key), clock_.now());
}

aio::Task<Result<void>> DurableStore::give_up(std::string key, std::string reason) {
  return durable_.give_up(std::move(key), std::move(reason), clock_.now());
}

}  // namespace kb::daemon
