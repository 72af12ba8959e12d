// isolation_bench [CASES]: what a caller may not see changes neither bytes nor times. Runs each case in two kinds of
// world (tests/daemon/two_worlds.hpp), compares every byte, and asks a statistical test whether the times tell the
// kinds apart; a caller who may see the difference shows that the test could.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/daemon/two_worlds.hpp"

namespace {

using namespace kb;
using namespace kb::test;

// Several worlds of each kind, made in turn: where in memory a world happens to lie moves its times more than anything
// in it, so worlds, not calls, are the sample.
constexpr std::size_t kWorldsOfAKind = 8;
constexpr double kTellsApart = .01;  ///< p-value below which two kinds count as told apart
constexpr int kControlCases = 20'000;

struct Instance {
  explicit Instance(Kind k, unsigned seed) : kind(k), world(k, seed) {}
  Kind kind;
  SampleWorld world;
  std::size_t cases = 0, slower = 0;  ///< of these, those in which its partner was faster
  std::vector<float> micros;
};

std::vector<std::unique_ptr<Instance>> make_worlds() {
  std::vector<std::unique_ptr<Instance>> out;
  for (unsigned i = 0; i < kWorldsOfAKind; ++i) {
    out.push_back(std::make_unique<Instance>(i % 2 == 0 ? Kind::a : Kind::b, i));
    out.push_back(std::make_unique<Instance>(i % 2 == 0 ? Kind::b : Kind::a, 100 + i));
  }
  return out;
}

std::string timed(Instance& instance, daemon::ToolCall const& call, double& micros) {
  auto const start = std::chrono::steady_clock::now();
  daemon::ToolReply const reply = instance.world.reply_to(call);
  micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  return all_of(reply);
}

/// Mann–Whitney over the worlds' shares of slower cases: the exact two-sided p-value, by every way to draw one kind.
double p_of(std::vector<std::unique_ptr<Instance>> const& worlds) {
  std::vector<std::pair<double, Kind>> shares;
  for (auto const& one : worlds) shares.emplace_back(double(one->slower) / double(one->cases), one->kind);
  std::sort(shares.begin(), shares.end(), [](auto const& x, auto const& y) { return x.first < y.first; });
  std::size_t const n = shares.size();
  unsigned drawn = 0;
  for (std::size_t i = 0; i < n; ++i) drawn |= shares[i].second == Kind::a ? 1u << i : 0u;
  auto const distance = [n](unsigned set) {  // of the rank sum from its mean
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (set >> i & 1u) != 0 ? double(i + 1) : 0;
    return std::abs(sum - double(kWorldsOfAKind) * double(n + 1) / 2);
  };
  double const seen = distance(drawn);
  std::size_t all = 0, as_far = 0;
  for (unsigned set = 0; set < 1u << n; ++set) {
    if (static_cast<std::size_t>(__builtin_popcount(set)) != kWorldsOfAKind) continue;
    ++all;
    as_far += distance(set) >= seen - 1e-9 ? 1 : 0;
  }
  return double(as_far) / double(all);
}

double median_of(std::vector<std::unique_ptr<Instance>> const& worlds, Kind kind) {
  std::vector<float> all;
  for (auto const& one : worlds) {
    if (one->kind == kind) all.insert(all.end(), one->micros.begin(), one->micros.end());
  }
  auto const middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

struct Outcome {
  long differing = 0;
  double p = 1, median_a = 0, median_b = 0;
};

template <class Call>
Outcome run(long cases, Call const& next) {
  std::vector<std::unique_ptr<Instance>> worlds = make_worlds();
  std::vector<Instance*> a, b;
  for (auto const& one : worlds) (one->kind == Kind::a ? a : b).push_back(one.get());
  Random random(20261130);
  Outcome out;
  for (long i = 0; i < cases; ++i) {
    daemon::ToolCall const call = next(random, a.front()->world.world().books->settings);
    Instance* first = a[random() % a.size()];
    Instance* second = b[random() % b.size()];
    bool const swapped = random() % 2 == 0;
    if (swapped) std::swap(first, second);
    double of_first = 0;
    double of_second = 0;
    std::string const one = timed(*first, call, of_first);
    std::string const two = timed(*second, call, of_second);
    if (one != two) {
      ++out.differing;
      if (out.differing == 1) std::fprintf(stderr, "differs: %s %s\n", call.name.c_str(), call.arguments.c_str());
    }
    ++first->cases;
    ++second->cases;
    ++(of_first > of_second ? first : second)->slower;
    first->micros.push_back(static_cast<float>(of_first));
    second->micros.push_back(static_cast<float>(of_second));
  }
  out.p = p_of(worlds);
  out.median_a = median_of(worlds, Kind::a);
  out.median_b = median_of(worlds, Kind::b);
  return out;
}

/// Bob may see what differs: more pages of his in one kind of world.
daemon::ToolCall bobs_call(Random& random, config::Settings const&) {
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
  Outcome const hidden = run(cases, a_call);
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Outcome const control = run(std::min<long>(cases, kControlCases), bobs_call);
  std::printf("%ld cases in %.0f s, %zu worlds of each kind\n", cases, seconds, kWorldsOfAKind);
  std::printf("hidden differences:  %ld replies differ; medians %.1f and %.1f us; p = %.3f\n", hidden.differing,
              hidden.median_a, hidden.median_b, hidden.p);
  std::printf("visible differences: %ld replies differ; medians %.1f and %.1f us; p = %.4f\n", control.differing,
              control.median_a, control.median_b, control.p);
  bool const silent = hidden.differing == 0 && hidden.p >= kTellsApart;
  bool const awake = control.differing > 0 && control.p < kTellsApart;
  std::printf("%s\n", silent && awake ? "told apart: only what may be seen" : "FAILED");
  return silent && awake ? 0 : 1;
}
