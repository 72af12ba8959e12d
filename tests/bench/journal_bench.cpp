/// What a durable acknowledgement costs beside a plain fdatasync loop in the same run and on the same disk, and how
/// many settlements a second become durable with so many waiting. Prints one JSON object a line.
///
///   journal_bench [directory, default: the temporary one] [rounds, default 500]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <latch>
#include <semaphore>
#include <string>
#include <unistd.h>
#include <vector>

#include "logging/journal.hpp"

namespace {

using namespace kb;
using namespace kb::logging;
using Steady = std::chrono::steady_clock;

double micros_since(Steady::time_point start) {
  return std::chrono::duration<double, std::micro>(Steady::now() - start).count();
}

double quantile(std::vector<double>& values, double share) {
  auto const at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void print_latency(char const* what, std::vector<double> values) {
  std::printf("{\"measure\":\"%s\",\"rounds\":%zu,\"p50_us\":%.0f,\"p99_us\":%.0f}\n", what, values.size(),
              quantile(values, 0.5), quantile(values, 0.99));
}

scope::InboundMessage message(int number) {
  scope::InboundMessage m;
  m.principal = {"bridge", "main", UserId("ou_1")};
  m.chat_type = scope::ChatType::group;
  m.chat = ChatId("oc_1");
  m.message_id = std::to_string(number);
  m.text = "Atlas 项目上周定了什么，接下来谁负责？";
  return m;
}

Settlement settlement(int number) {
  Settlement s;
  auto const query = "Q" + std::to_string(number);
  s.reply = {inbox_key(message(number)), query, "answered", std::string(800, 'x'), std::string(400, ' '), false};
  QueryRecord record;
  record.query_id = query;
  record.time = "2026-01-01T00:00:00Z";
  record.repo = RepoId("nlp", "nlp-team-kb");
  record.question = message(number).text;
  record.hits = {"projects/atlas/decisions.md", "projects/atlas/timeline.md"};
  record.commit = std::string(40, 'a');
  s.records = {record};
  return s;
}

/// Appends a page and syncs it, as a WAL does.
double fdatasync_once(int file, std::array<char, 4096> const& page) {
  auto const start = Steady::now();
  if (::write(file, page.data(), page.size()) < 0 || ::fdatasync(file) != 0) std::abort();
  return micros_since(start);
}

double admit_once(Journal& journal, int number) {
  auto const start = Steady::now();
  std::promise<bool> durable;
  journal.admit(message(number), TimePoint{}, [&](Result<Admitted> r) { durable.set_value(r.has_value()); });
  if (!durable.get_future().get()) std::abort();
  return micros_since(start);
}

/// Settles `count` replies from number `first` on, never more than `waiting` at a time; returns replies a second.
double settle_many(Journal& journal, int first, int count, int waiting) {
  std::counting_semaphore<> room(waiting);
  std::latch all(count);
  auto const start = Steady::now();
  for (int i = 0; i < count; ++i) {
    room.acquire();
    journal.settle(settlement(first + i), TimePoint{}, [&](Result<void> r) {
      if (!r) std::abort();
      room.release();
      all.count_down();
    });
  }
  all.wait();
  return count / (micros_since(start) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path const base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path();
  int const rounds = argc > 2 ? std::atoi(argv[2]) : 500;
  std::string name = (base / "journal-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return 1;
  std::filesystem::path const dir = name;
  {
    auto journal = Journal::open(dir / "state");
    if (!journal) return 1;
    int const file = ::open((dir / "plain").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    std::array<char, 4096> const page{};
    std::vector<double> plain, durable;
    // In turns, so that whatever else the disk does falls on both.
    for (int i = 0; i < rounds; ++i) {
      plain.push_back(fdatasync_once(file, page));
      durable.push_back(admit_once(**journal, 1'000'000 + i));
    }
    ::close(file);
    print_latency("fdatasync of one page", plain);
    print_latency("durable acknowledgement", durable);
    int settled = 0;
    for (int const waiting : {1, 64, 512}) {
      int const count = waiting == 1 ? rounds : rounds * 20;
      auto const before = (*journal)->stats();
      double const rate = settle_many(**journal, settled, count, waiting);
      settled += count;
      auto const after = (*journal)->stats();
      if (!before || !after) return 1;
      std::printf("{\"measure\":\"settlements\",\"waiting\":%d,\"per_second\":%.0f,\"in_a_transaction\":%.1f}\n",
                  waiting, rate, count / static_cast<double>(after->transactions - before->transactions));
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(dir, ignored);
}
