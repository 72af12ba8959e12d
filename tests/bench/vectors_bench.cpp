// vectors_bench [passages] [dimension]: exact search and the graph over made-up vectors in clusters: build, query,
// recall@10, and what the stored graph spares at a start. What kExactVectors was chosen by.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <unistd.h>

#include "kbrepo/vectors.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using kb::kbrepo::BlobVectors;
using kb::kbrepo::PageInfo;
using kb::kbrepo::Vectors;

constexpr std::size_t kPerPage = 8;
constexpr int kQuestions = 200;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::vector<float> unit(std::mt19937& random, std::size_t wide, std::vector<float> const* centre) {
  std::normal_distribution<float> normal(0, centre != nullptr ? .6f / std::sqrt(static_cast<float>(wide)) : 1.0f);
  std::vector<float> out(wide);
  float sum = 0;
  for (std::size_t i = 0; i < wide; ++i) {
    out[i] = (centre != nullptr ? (*centre)[i] : 0) + normal(random);
    sum += out[i] * out[i];
  }
  for (float& value : out) value /= std::sqrt(sum);
  return out;
}

kb::kbrepo::BlobId blob(std::size_t n) {
  kb::kbrepo::BlobId out;
  for (std::size_t i = 0; i < 4; ++i) out.bytes[i] = static_cast<std::uint8_t>(n >> (8 * i));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const passages = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 50'000;
  std::size_t const wide = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 384;
  std::mt19937 random(1);
  std::vector<std::vector<float>> centres;
  for (int i = 0; i < 500; ++i) centres.push_back(unit(random, wide, nullptr));
  std::vector<BlobVectors> blobs;
  std::vector<PageInfo> pages;
  for (std::size_t page = 0; page * kPerPage < passages; ++page) {
    BlobVectors one{blob(page), {}};
    for (std::size_t i = 0; i < kPerPage; ++i) {
      std::vector<float> const vector = unit(random, wide, &centres[random() % centres.size()]);
      one.values.insert(one.values.end(), vector.begin(), vector.end());
    }
    blobs.push_back(std::move(one));
    pages.emplace_back().blob = blob(page);
  }
  Vectors const exact = std::move(Vectors("m", passages * 2).with(wide, blobs).value());
  auto start = Clock::now();
  Vectors const graph = std::move(Vectors("m", 0).with(wide, blobs).value());
  double const build = since(start);
  std::filesystem::path const file =
      std::filesystem::temp_directory_path() / ("vectors_bench." + std::to_string(::getpid()));
  start = Clock::now();
  (void)graph.save(file).value();
  double const save = since(start);
  start = Clock::now();
  Vectors const again = std::move(Vectors::load(file, "m", 0).value());
  double const load = since(start);
  std::filesystem::path const beside = file.string() + ".graph";
  double const megabytes = static_cast<double>(std::filesystem::file_size(beside)) / 1e6;
  std::filesystem::remove(file);
  std::filesystem::remove(beside);
  double exact_ms = 0;
  double graph_ms = 0;
  int shared = 0;
  for (int i = 0; i < kQuestions; ++i) {
    std::vector<float> const question = unit(random, wide, &centres[random() % centres.size()]);
    start = Clock::now();
    auto const sure = exact.nearest(question, 10, pages, {});
    exact_ms += since(start);
    start = Clock::now();
    auto const near = graph.nearest(question, 10, pages, {});
    graph_ms += since(start);
    for (auto const& one : near) {
      shared += std::any_of(sure.begin(), sure.end(),
                            [&](auto const& other) { return one.doc == other.doc && one.passage == other.passage; });
    }
  }
  std::printf("%zu vectors of %zu: exact %.2f ms, graph %.2f ms, recall@10 %.3f, built in %.1f s\n", passages, wide,
              exact_ms / kQuestions, graph_ms / kQuestions, shared / (10.0 * kQuestions), build / 1000);
  std::printf("stored in %.2f s (links %.1f MB), loaded with its graph in %.2f s\n", save / 1000, megabytes,
              load / 1000);
}
