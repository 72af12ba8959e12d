// isolation_bench [CASES]: what a caller may not see changes neither bytes nor times. Runs each case in two kinds of
// world (tests/daemon/two_worlds.hpp), compares every byte, and asks a statistical test whether the times tell the
// kinds apart, over all calls and for each tool. Two controls prove the test: worlds of one kind measured against each
// other must not be told apart, and a caller who may see the difference must be.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/daemon/two_worlds.hpp"

namespace {

using namespace kb;
using namespace kb::test;

// Several worlds of each set, made in turn: where in memory a world happens to lie moves its times more than anything
// in it, so worlds, not calls, are the sample.
constexpr std::size_t kWorldsOfASet = 9;
constexpr double kTellsApart = .01;  ///< p-value below which two sets count as told apart
constexpr int kControlCases = 20'000;
constexpr char const* kAll = "all calls";

/// Each case runs in a world of each set. The first against the second is the question, against the third the control.
enum Set : std::size_t { without, with, again };
constexpr std::array kKinds{Kind::a, Kind::b, Kind::a};
constexpr std::size_t kSets = kKinds.size();

struct Instance {
  Instance(Set of, unsigned seed) : set(of), world(kKinds[of], seed) {}
  Set set;
  SampleWorld world;
  std::map<std::string, std::vector<float>> micros;  ///< by tool
};
using Worlds = std::vector<std::unique_ptr<Instance>>;

/// In an order of chance: a world lies where the ones made before it left room, and a fixed order would give each set
/// neighbours of its own. Only chance makes the p-value an exact one.
Worlds make_worlds() {
  std::vector<Set> sets;
  for (unsigned i = 0; i < kWorldsOfASet; ++i) sets.insert(sets.end(), {without, with, again});
  Random random(std::random_device{}());
  std::shuffle(sets.begin(), sets.end(), random);
  Worlds out;
  for (unsigned i = 0; i < sets.size(); ++i) out.push_back(std::make_unique<Instance>(sets[i], i));
  return out;
}

std::string timed(Instance& instance, daemon::ToolCall const& call, double& micros) {
  auto const start = std::chrono::steady_clock::now();
  daemon::ToolReply const reply = instance.world.reply_to(call);
  micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  return instance.world.told(reply);
}

double median_of(std::vector<float> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// How slow a world is with a tool: the median of its times; with all calls, the mean of the tools' medians'
/// logarithms, so that each tool counts alike. Of no other world's times: a slow one would lift all that it is compared
/// with, and sets would differ by the company they keep.
std::optional<double> slowness_of(Instance const& world, std::string const& tool) {
  if (tool != kAll) {
    auto const at = world.micros.find(tool);
    return at == world.micros.end() ? std::nullopt : std::optional(median_of(at->second));
  }
  double sum = 0;
  for (auto const& [name, micros] : world.micros) sum += std::log(median_of(micros));
  return sum / double(world.micros.size());
}

/// Mann–Whitney over the worlds: the exact two-sided p-value, by every way to draw one set.
double p_of(Worlds const& worlds, std::string const& tool, Set other) {
  std::vector<std::pair<double, bool>> slow;  // with: of the first set
  for (auto const& one : worlds) {
    if (one->set != without && one->set != other) continue;
    if (auto const slowness = slowness_of(*one, tool)) slow.emplace_back(*slowness, one->set == without);
  }
  std::size_t const n = slow.size();
  if (n < 2 * kWorldsOfASet) return 1;  // too few cases to say
  std::sort(slow.begin(), slow.end(), [](auto const& x, auto const& y) { return x.first < y.first; });
  std::vector<double> ranks(n);
  for (std::size_t i = 0; i < n;) {  // equal ones have the mean of their ranks
    std::size_t end = i;
    while (end < n && slow[end].first == slow[i].first) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[k] = double(i + 1 + end) / 2;
    i = end;
  }
  unsigned drawn = 0;
  for (std::size_t i = 0; i < n; ++i) drawn |= slow[i].second ? 1u << i : 0u;
  auto const distance = [&](unsigned set) {  // of the rank sum from its mean
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (set >> i & 1u) != 0 ? ranks[i] : 0;
    return std::abs(sum - double(kWorldsOfASet) * double(n + 1) / 2);
  };
  double const seen = distance(drawn);
  std::size_t all = 0, as_far = 0;
  for (unsigned set = 0; set < 1u << n; ++set) {
    if (static_cast<std::size_t>(__builtin_popcount(set)) != kWorldsOfASet) continue;
    ++all;
    as_far += distance(set) >= seen - 1e-9 ? 1 : 0;
  }
  return double(as_far) / double(all);
}

double median_of(Worlds const& worlds, std::string const& tool, Set set) {
  std::vector<float> all;
  for (auto const& one : worlds) {
    for (auto const& [name, micros] : one->micros) {
      if (one->set == set && (tool == kAll || tool == name)) all.insert(all.end(), micros.begin(), micros.end());
    }
  }
  return all.empty() ? 0 : median_of(std::move(all));
}

struct Measured {
  Worlds worlds = make_worlds();
  long cases = 0, differing = 0;
  std::set<std::string> tools;
};

/// The three replies to one call, in an order of chance.
void run_case(Measured& measured, std::array<std::vector<Instance*>, kSets> const& sets, daemon::ToolCall const& call,
              Random& random) {
  std::array<Instance*, kSets> worlds{};
  for (std::size_t i = 0; i < kSets; ++i) worlds[i] = sets[i][random() % sets[i].size()];
  std::array<std::size_t, kSets> order{without, with, again};
  std::shuffle(order.begin(), order.end(), random);
  std::array<double, kSets> micros{};
  std::array<std::string, kSets> told;
  for (std::size_t const at : order) told[at] = timed(*worlds[at], call, micros[at]);
  if (told[without] != told[with] || told[without] != told[again]) {
    if (measured.differing == 0) std::fprintf(stderr, "differs: %s %s\n", call.name.c_str(), call.arguments.c_str());
    ++measured.differing;
  }
  ++measured.cases;
  measured.tools.insert(call.name);
  for (std::size_t i = 0; i < kSets; ++i) worlds[i]->micros[call.name].push_back(static_cast<float>(micros[i]));
}

template <class Call>
Measured run(long cases, Call const& next) {
  Measured out;
  std::array<std::vector<Instance*>, kSets> sets;
  for (auto const& one : out.worlds) sets[one->set].push_back(one.get());
  Random random(20261130);
  SampleWorld const spare(Kind::a, 1000);  // whom calls are made up from: what is looked at is warm
  for (long i = 0; i < cases; ++i) {
    run_case(out, sets, next(random, *spare.world().books), random);
  }
  return out;
}

/// Prints a line a tool; whether no p is so small that the two sets are told apart. With many tools some p are small by
/// chance: each may be as small as its share.
struct Silence {
  bool hidden = true, control = true;
};
Silence print_table(Measured const& measured) {
  Silence out;
  double const share = kTellsApart / double(measured.tools.size());
  auto const line = [&](std::string const& tool, double least) {
    double const hidden = p_of(measured.worlds, tool, with);
    double const control = p_of(measured.worlds, tool, again);
    std::printf("%-30s %9.2f %9.2f %9.2f %8.4f %8.4f\n", tool.c_str(), median_of(measured.worlds, tool, without),
                median_of(measured.worlds, tool, with), median_of(measured.worlds, tool, again), hidden, control);
    out.hidden = out.hidden && hidden >= least;
    out.control = out.control && control >= least;
  };
  std::printf("%-30s %9s %9s %9s %8s %8s\n", "medians in us", "without", "with", "without", "p", "p (A/A)");
  for (std::string const& tool : measured.tools) line(tool, share);
  line(kAll, kTellsApart);
  return out;
}

/// Bob may see what differs: more pages of his in one kind of world.
daemon::ToolCall bobs_call(Random& random, config::Books const&) {
  daemon::ToolCall call;
  call.name = "kb_list";
  call.caller.sender = UserId("ou_bob");
  call.query_id = "01TESTQUERY";
  call.arguments = random() % 2 == 0 ? R"({"owner":"bob"})" : R"({"owner":"bob","kind":"concepts"})";
  return call;
}

}  // namespace

int main(int argc, char** argv) {
  long const cases = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  if (cases < 1000) {
    std::fprintf(stderr, "usage: isolation_bench [CASES], at least 1000\n");
    return 2;
  }
  auto const start = std::chrono::steady_clock::now();
  Measured const hidden = run(cases, a_call);
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%ld cases in %.0f s, %zu worlds without what is hidden, %zu with, %zu again without\n", cases, seconds,
              kWorldsOfASet, kWorldsOfASet, kWorldsOfASet);
  Silence const silence = print_table(hidden);
  Measured const visible = run(std::min<long>(cases, kControlCases), bobs_call);
  double const seen = p_of(visible.worlds, kAll, with);
  std::printf("replies that differ: %ld of what is hidden, %ld of %ld of what may be seen (p = %.4f)\n",
              hidden.differing, visible.differing, visible.cases, seen);
  if (!silence.control) std::printf("FAILED: worlds of one kind are told apart, so these times prove nothing\n");
  if (!silence.hidden || hidden.differing > 0) std::printf("FAILED: what is hidden shows\n");
  bool const awake = visible.differing > 0 && seen < kTellsApart;
  if (!awake) std::printf("FAILED: a difference that may be seen is not seen\n");
  bool const good = silence.control && silence.hidden && hidden.differing == 0 && awake;
  if (good) std::printf("told apart: only what may be seen\n");
  return good ? 0 : 1;
}
