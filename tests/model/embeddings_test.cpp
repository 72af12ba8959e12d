#include "adapters/model/embeddings.hpp"

#include <doctest/doctest.h>

#include "tests/model/vector_server.hpp"
#include "tests/support/loop.hpp"

using namespace kb;
using namespace kb::test;
using namespace std::chrono_literals;
using kb::model::Embedded;
using kb::model::OpenAiEmbeddings;

namespace {

class Bench {
 public:
  explicit Bench(unsigned retries = 1) {
    config::EmbeddingSettings settings;
    settings.base_url = server.url();
    settings.name = "words";
    settings.retries = retries;
    settings.call_limit = 500ms;
    client_ = std::move(OpenAiEmbeddings::make(loop.executor(), settings, clock_).value());
  }
  Result<Embedded> embed(std::vector<std::string> texts, std::chrono::milliseconds limit = 5s) {
    return loop.get(client_->embed(std::move(texts), limit));
  }
  VectorServer server;
  Loop loop;

 private:
  SystemClock clock_;
  std::unique_ptr<OpenAiEmbeddings> client_;
};

float cosine(Embedded const& e, std::size_t a, std::size_t b) {
  float sum = 0;
  for (std::size_t i = 0; i < e.dimension; ++i) sum += e.values[a * e.dimension + i] * e.values[b * e.dimension + i];
  return sum;
}

}  // namespace

TEST_CASE("texts become vectors of length one, in their order, and a paraphrase is near") {
  Bench bench;
  for (VectorFault const fault : {VectorFault::none, VectorFault::unordered}) {
    bench.server.fail(fault);
    auto const out = bench.embed({"repair the car", "mend an automobile", "the sea is deep"});
    REQUIRE(out.has_value());
    CHECK_EQ(out->dimension, 256);
    CHECK_EQ(out->values.size(), 3 * 256);
    CHECK_EQ(cosine(*out, 0, 0), doctest::Approx(1).epsilon(1e-4));
    CHECK_GT(cosine(*out, 0, 1), .9f);
    CHECK_LT(cosine(*out, 0, 2), .3f);
  }
}

TEST_CASE("a server that fails for a while is asked again, one that keeps failing is an error") {
  struct Row {
    VectorFault fault;
    int times, calls;
    bool there;
    Errc code;
  };
  for (Row const& row :
       {Row{VectorFault::broken, 1, 2, true, Errc::unavailable},
        Row{VectorFault::too_many, 1, 2, true, Errc::unavailable},
        Row{VectorFault::slow, 1, 2, true, Errc::unavailable}, Row{VectorFault::broken, 0, 2, false, Errc::unavailable},
        Row{VectorFault::too_many, 0, 2, false, Errc::unavailable}, Row{VectorFault::denied, 0, 1, false, Errc::denied},
        Row{VectorFault::wrong_dimension, 0, 1, false, Errc::corrupt},
        Row{VectorFault::too_few, 0, 1, false, Errc::corrupt}, Row{VectorFault::cut, 0, 1, false, Errc::corrupt}}) {
    CAPTURE(static_cast<int>(row.fault));
    Bench bench;
    bench.server.fail(row.fault, row.times);
    auto const out = bench.embed({"one", "two"});
    CHECK_EQ(out.has_value(), row.there);
    CHECK_EQ(bench.server.calls(), row.calls);
    if (!out) CHECK(out.error().code == row.code);
  }
}

TEST_CASE("the limit bounds the call with its repeats") {
  Bench bench(10);
  bench.server.fail(VectorFault::slow);
  auto const out = bench.embed({"one"}, 300ms);
  CHECK_FALSE(out.has_value());
  CHECK_EQ(bench.server.calls(), 1);
}

TEST_CASE("after three faults in a row the server is left alone") {
  Bench bench(0);
  bench.server.fail(VectorFault::broken);
  for (int i = 0; i < 5; ++i) CHECK_FALSE(bench.embed({"one"}).has_value());
  CHECK_EQ(bench.server.calls(), 3);
}

TEST_CASE("a vector without direction, a number that is none and a wrong index are refused") {
  for (char const* body : {R"({"data":[{"embedding":[0,0]}]})", R"({"data":[{"embedding":["1"]}]})",
                           R"({"data":[{"index":1,"embedding":[1]}]})", R"({"data":[{"embedding":[]}]})",
                           R"({"data":[{}]})", R"({"data":[]})", R"({})", "[]", ""}) {
    CAPTURE(body);
    CHECK_FALSE(model::read_embeddings(body, 1).has_value());
  }
  CHECK(model::read_embeddings(R"({"data":[{"embedding":[3,4]}]})", 1).has_value());
}
