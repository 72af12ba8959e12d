#include "kbrepo/vectors.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <random>

#include "kbrepo/vector_graph.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/temp_repo.hpp"

using namespace kb;
using kb::kbrepo::BlobId;
using kb::kbrepo::BlobVectors;
using kb::kbrepo::NearPassage;
using kb::kbrepo::PageInfo;
using kb::kbrepo::VectorGraph;
using kb::kbrepo::Vectors;
using kb::test::TempDir;

namespace {

constexpr std::size_t kWide = 32;

BlobId blob(std::uint32_t n) {
  BlobId out;
  for (std::size_t i = 0; i < 4; ++i) out.bytes[i] = static_cast<std::uint8_t>(n >> (8 * i));
  return out;
}

/// Unit vectors in clusters, as texts of a few subjects are.
class Cloud {
 public:
  explicit Cloud(std::uint32_t seed) : random_(seed) {
    for (auto& centre : centres_) centre = around(nullptr, 1);
  }
  std::vector<float> vector() { return around(centres_[random_() % centres_.size()].data(), .35f); }
  BlobVectors blob_of(std::uint32_t n, std::size_t passages) {
    BlobVectors out{blob(n), {}};
    for (std::size_t i = 0; i < passages; ++i) {
      std::vector<float> const one = vector();
      out.values.insert(out.values.end(), one.begin(), one.end());
    }
    return out;
  }

 private:
  std::vector<float> around(float const* centre, float spread) {
    std::normal_distribution<float> normal(0, spread / std::sqrt(static_cast<float>(kWide)));
    std::vector<float> out(kWide);
    float sum = 0;
    for (std::size_t i = 0; i < kWide; ++i) {
      out[i] = (centre != nullptr ? centre[i] : 0) + normal(random_);
      sum += out[i] * out[i];
    }
    for (float& value : out) value /= std::sqrt(sum);
    return out;
  }
  std::mt19937 random_;
  std::array<std::vector<float>, 40> centres_;
};

std::vector<PageInfo> pages(std::uint32_t count) {
  std::vector<PageInfo> out(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    out[i].path = std::to_string(i);
    out[i].blob = blob(i);
  }
  return out;
}

std::string printed(std::vector<NearPassage> const& found) {
  std::string out;
  for (NearPassage const& one : found) {
    out += std::to_string(one.doc) + "/" + std::to_string(one.passage) + " " + std::to_string(one.cosine) + "\n";
  }
  return out;
}

Vectors filled(std::uint32_t count, std::size_t exact, std::uint32_t seed = 1) {
  Cloud cloud(seed);
  Vectors out("m", exact);
  for (std::uint32_t from = 0; from < count; from += 100) {
    std::vector<BlobVectors> some;
    for (std::uint32_t i = from; i < std::min(from + 100, count); ++i) some.push_back(cloud.blob_of(i, i % 5));
    out = std::move(out.with(kWide, std::move(some)).value());
  }
  return out;
}

}  // namespace

TEST_CASE("the nearest passages come first, of the pages given and no others") {
  Vectors const vectors = filled(200, 1'000'000);
  CHECK_EQ(vectors.passages(), 400);
  CHECK(vectors.holds(blob(5)));
  CHECK(vectors.holds(blob(0)));  // without a passage, and known
  CHECK_FALSE(vectors.holds(blob(200)));
  std::vector<PageInfo> const all = pages(200);
  Cloud cloud(9);
  std::vector<float> const question = cloud.vector();
  auto const found = vectors.nearest(question, 10, all, {});
  REQUIRE_EQ(found.size(), 10);
  for (std::size_t i = 1; i < found.size(); ++i) CHECK_GE(found[i - 1].cosine, found[i].cosine);
  auto const odd = [](PageInfo const& page) { return page.blob.bytes[0] % 2 == 1; };
  for (NearPassage const& one : vectors.nearest(question, 100, all, odd)) CHECK_EQ(one.doc % 2, 1);
  std::vector<PageInfo> const few = pages(20);
  for (NearPassage const& one : vectors.nearest(question, 100, few, {})) CHECK_LT(one.doc, 20);
  CHECK(vectors.nearest(std::vector<float>(kWide / 2, 1.0f), 10, all, {}).empty());
}

TEST_CASE("what is there stays, and another dimension is refused") {
  Vectors const one = filled(10, 1'000'000, 1);
  Cloud other(2);
  std::vector<BlobVectors> again;
  again.push_back(other.blob_of(3, 3));
  auto const same = one.with(kWide, again);
  REQUIRE(same.has_value());
  CHECK_EQ(same->passages(), one.passages());
  std::vector<BlobVectors> wrong{{blob(77), std::vector<float>(7, 1.0f)}};
  CHECK_FALSE(one.with(7, wrong).has_value());
}

TEST_CASE("the graph finds what looking at each vector finds, and follows what is added") {
  std::uint32_t const count = 3000;
  std::vector<PageInfo> const all = pages(count);
  Vectors const exact = filled(count, 1'000'000);
  Vectors const graph = filled(count, 500);  // becomes a graph on the way
  Cloud cloud(3);
  int shared = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<float> const question = cloud.vector();
    auto const sure = exact.nearest(question, 10, all, {});
    for (NearPassage const& one : graph.nearest(question, 10, all, {})) {
      shared += std::any_of(sure.begin(), sure.end(), [&](NearPassage const& other) {
        return one.doc == other.doc && one.passage == other.passage;
      });
    }
  }
  CHECK_GE(shared, 475);  // recall of .95
  // What is hidden is left out exactly, graph or not.
  auto const third = [](PageInfo const& page) { return page.blob.bytes[0] % 3 == 0; };
  std::vector<float> const question = cloud.vector();
  CHECK_EQ(printed(graph.nearest(question, 20, all, third)), printed(exact.nearest(question, 20, all, third)));
}

TEST_CASE("two sets grown from one do not disturb each other") {
  Vectors const root = filled(600, 100);
  Cloud left(4);
  Cloud right(5);
  std::vector<PageInfo> const all = pages(700);
  std::vector<BlobVectors> a;
  std::vector<BlobVectors> b;
  for (std::uint32_t i = 600; i < 700; ++i) {
    a.push_back(left.blob_of(i, 2));
    b.push_back(right.blob_of(i, 2));
  }
  auto const one = root.with(kWide, a);
  auto const two = root.with(kWide, b);
  REQUIRE(one.has_value());
  REQUIRE(two.has_value());
  std::vector<float> const question(a[50].values.begin(), a[50].values.begin() + kWide);
  CHECK_EQ(one->nearest(question, 1, all, {})[0].doc, 650);
  CHECK_LT(two->nearest(question, 1, all, {})[0].cosine, .999f);
  CHECK_LT(root.nearest(question, 1, all, {})[0].doc, 600);
}

TEST_CASE("a set is kept on disk for its model, and anything odd there is made again") {
  TempDir dir;
  auto const file = dir.path() / "kb.vectors";
  Vectors const vectors = filled(100, 1'000'000);
  REQUIRE(vectors.save(file).has_value());
  auto const loaded = Vectors::load(file, "m");
  REQUIRE(loaded.has_value());
  std::vector<PageInfo> const all = pages(100);
  Cloud cloud(3);
  std::vector<float> const question = cloud.vector();
  CHECK_EQ(printed(loaded->nearest(question, 50, all, {})), printed(vectors.nearest(question, 50, all, {})));
  CHECK(loaded->holds(blob(0)));

  CHECK(Vectors::load(file, "other").error().code == Errc::not_found);
  CHECK(Vectors::load(dir.path() / "none", "m").error().code == Errc::not_found);
  std::ifstream in(file, std::ios::binary);
  std::string const whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x20);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << broken;
    CHECK_FALSE(Vectors::load(file, "m").has_value());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, at);
    CHECK_FALSE(Vectors::load(file, "m").has_value());
  }
}

TEST_CASE("a graph is kept beside its vectors, and one that is broken or of others is made again") {
  TempDir dir;
  auto const file = dir.path() / "kb.vectors";
  auto const beside = dir.path() / "kb.vectors.graph";
  Vectors const vectors = filled(600, 500);
  std::vector<PageInfo> const all = pages(700);
  REQUIRE(vectors.save(file).has_value());
  Cloud cloud(3);
  std::vector<std::vector<float>> questions;
  for (int i = 0; i < 20; ++i) questions.push_back(cloud.vector());
  auto const answers = [&](Vectors const& of) {
    std::string out;
    for (std::vector<float> const& question : questions) out += printed(of.nearest(question, 10, all, {}));
    return out;
  };
  test::CapturedLog log;
  auto const read = [&] { return std::move(Vectors::load(file, "m", 500).value()); };
  Vectors const loaded = read();
  CHECK_EQ(answers(loaded), answers(vectors));  // the same graph finds the same
  CHECK_EQ(log.news(), "");

  // It grows on as the one that was built.
  Cloud more(8);
  std::vector<BlobVectors> fresh;
  for (std::uint32_t i = 600; i < 700; ++i) fresh.push_back(more.blob_of(i, 2));
  std::vector<float> const of_fresh(fresh[50].values.begin(), fresh[50].values.begin() + kWide);
  CHECK_EQ(loaded.with(kWide, fresh).value().nearest(of_fresh, 1, all, {})[0].doc, 650);

  std::ifstream in(beside, std::ios::binary);
  std::string const whole{std::istreambuf_iterator<char>(in), {}};
  auto const store = [&](std::string_view bytes) {
    std::ofstream(beside, std::ios::binary | std::ios::trunc) << bytes;
  };
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 6) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x20);
    store(broken);
    CHECK_EQ(read().passages(), vectors.passages());
    CHECK(log.news().find("embeddings.graph_rebuild") != std::string::npos);
    store(whole.substr(0, at));
    CHECK_EQ(read().passages(), vectors.passages());
    CHECK(log.news().find("embeddings.graph_rebuild") != std::string::npos);
  }
  CHECK_EQ(answers(read()), answers(read()));  // what was made again is stored
  CHECK_EQ(log.news(), "");

  Vectors const others = filled(600, 500, 2);
  REQUIRE(others.save(file).has_value());
  store(whole);
  CHECK_EQ(answers(read()).empty(), false);
  CHECK(log.news().find("is of other vectors") != std::string::npos);
  REQUIRE(filled(10, 500).save(file).has_value());
  CHECK_FALSE(std::filesystem::exists(beside));  // a small set has none
}

TEST_CASE("links that lead nowhere make no graph") {
  VectorGraph graph(kWide);
  Cloud cloud(5);
  std::vector<float> rows;
  for (int i = 0; i < 300; ++i) {
    std::vector<float> const one = cloud.vector();
    rows.insert(rows.end(), one.begin(), one.end());
  }
  graph.add(rows);
  auto const row = [&rows](std::uint32_t n) { return rows.data() + n * kWide; };
  std::string const links = graph.links();
  auto const same = VectorGraph::load(kWide, links, row);
  REQUIRE(same.has_value());
  CHECK((*same)->links() == links);
  std::vector<float> const question = cloud.vector();
  CHECK((*same)->nearest(question, 10) == graph.nearest(question, 10));
  int refused = 0;
  for (std::size_t at = 0; at < links.size(); at += 7) {
    std::string broken = links;
    broken[at] = static_cast<char>(0xFF);
    auto const made = VectorGraph::load(kWide, broken, [&](std::uint32_t n) { return row(n % 300); });
    refused += made ? 0 : 1;
    if (made) CHECK_LE((*made)->nearest(question, 10).size(), 10);  // another graph, but one that can be walked
    CHECK_FALSE(VectorGraph::load(kWide, links.substr(0, at), row).has_value());
  }
  CHECK_GT(refused, 0);
}

TEST_CASE("blobs that no page has go once they are many") {
  Vectors const vectors = filled(100, 1'000'000);
  CHECK_EQ(vectors.pruned(pages(90)).passages(), vectors.passages());
  Vectors const smaller = vectors.pruned(pages(30));
  CHECK_EQ(smaller.passages(), 60);
  CHECK(smaller.holds(blob(29)));
  CHECK_FALSE(smaller.holds(blob(30)));
}
