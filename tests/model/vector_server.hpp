/// An embeddings server on loopback with a small model of its own: words are projected to random directions, and words
/// of one meaning to the same, so that a paraphrase is near without sharing a word. Fails as it is told.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cctype>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "adapters/aio/http.hpp"
#include "adapters/aio/wait.hpp"

namespace kb::test {

enum class VectorFault {
  none,
  broken,           ///< 500
  too_many,         ///< 429
  slow,             ///< after two seconds
  wrong_dimension,  ///< vectors of a reply differ in length
  other_dimension,  ///< all vectors are half as long as before
  too_few,          ///< one vector is missing
  cut,              ///< the reply's JSON ends in the middle
  unordered,        ///< right, but the last vector comes first
  denied,           ///< 401
};

/// Bag of meanings: each word's direction, summed.
inline std::vector<float> meaning_of(std::string const& text, std::size_t dimension) {
  static constexpr std::array<std::array<char const*, 3>, 6> kSame{{{"car", "automobile", "vehicle"},
                                                                    {"physician", "doctor", "medic"},
                                                                    {"purchase", "buy", "acquire"},
                                                                    {"begin", "start", "commence"},
                                                                    {"repair", "mend", "fix"},
                                                                    {"ocean", "sea", "deep"}}};
  static constexpr std::array<char const*, 14> kEmpty{"the", "a",  "an", "of", "to",  "how", "do",
                                                      "i",   "is", "in", "we", "our", "by",  "and"};
  std::vector<float> out(dimension, 0);
  std::string word;
  auto const add = [&] {
    bool const empty = std::any_of(kEmpty.begin(), kEmpty.end(), [&](char const* w) { return word == w; });
    for (auto const& group : kSame) {
      for (char const* const same : group) {
        if (word == same) word = group[0];
      }
    }
    if (!word.empty() && !empty) {
      std::seed_seq seed(word.begin(), word.end());
      std::mt19937 random(seed);
      for (float& value : out) value += (random() & 1) != 0 ? 1.0f : -1.0f;
    }
    word.clear();
  };
  for (unsigned char const c : text) {
    if (std::isalnum(c) != 0 || c >= 0x80) {
      word += static_cast<char>(std::tolower(c));
    } else {
      add();
    }
  }
  add();
  out[0] += 0.001f;  // a text without words has a direction too
  return out;
}

class VectorServer {
 public:
  explicit VectorServer(std::size_t dimension = 256)
      : dimension_(dimension),
        server_(io_.get_executor(), aio::ServerLimits(), [this](aio::HttpRequest r) { return answer(std::move(r)); },
                {}, {}) {
    port_ = server_.listen("127.0.0.1", 0).value();
    boost::asio::co_spawn(io_, server_.run(), boost::asio::detached);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~VectorServer() {
    auto end = [this] {
      server_.stop();
      server_.abort();
    };
    boost::asio::post(io_, end);
    thread_.join();
  }
  VectorServer(VectorServer const&) = delete;
  VectorServer& operator=(VectorServer const&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  /// From now on; `times` 0: for good, else the calls after so many are right again.
  void fail(VectorFault fault, int times = 0) {
    times_ = times;
    fault_ = fault;
  }
  [[nodiscard]] int calls() const { return calls_; }
  [[nodiscard]] int texts() const { return texts_; }      ///< of calls that were answered
  [[nodiscard]] int largest() const { return largest_; }  ///< texts of one call

 private:
  using Json = nlohmann::json;

  aio::Task<aio::HttpResponse> answer(aio::HttpRequest request) {
    ++calls_;
    aio::HttpResponse out;
    Json const asked = Json::parse(request.body, nullptr, false);
    VectorFault const fault = fault_;
    if (times_ > 0 && --times_ == 0) fault_ = VectorFault::none;
    if (request.path() != "/v1/embeddings" || !asked.is_object()) out.status = 404;
    if (fault == VectorFault::slow) {
      bool const slept = co_await aio::sleep_for(io_.get_executor(), std::chrono::seconds(2));
      static_cast<void>(slept);
    }
    if (fault == VectorFault::broken) out.status = 500;
    if (fault == VectorFault::too_many) out.status = 429;
    if (fault == VectorFault::denied) out.status = 401;
    if (out.status != 200) co_return out;
    Json data = Json::array();
    std::size_t const wide = fault == VectorFault::other_dimension ? dimension_ / 2 : dimension_;
    for (Json const& text : asked["input"]) {
      data.push_back(
          {{"object", "embedding"}, {"index", data.size()}, {"embedding", meaning_of(text.get<std::string>(), wide)}});
    }
    int const count = static_cast<int>(data.size());
    largest_ = std::max(largest_.load(), count);
    texts_ += count;
    if (fault == VectorFault::wrong_dimension) data.back()["embedding"].push_back(1.0);
    if (fault == VectorFault::too_few) data.erase(data.size() - 1);
    if (fault == VectorFault::unordered) std::rotate(data.begin(), data.end() - 1, data.end());
    out.body = Json{{"object", "list"}, {"data", std::move(data)}, {"model", asked["model"]}}.dump();
    if (fault == VectorFault::cut) out.body.resize(out.body.size() / 2);
    co_return out;
  }

  std::size_t dimension_;
  std::atomic<VectorFault> fault_ = VectorFault::none;
  std::atomic<int> times_ = 0, calls_ = 0, texts_ = 0, largest_ = 0;
  boost::asio::io_context io_{1};
  aio::HttpServer server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace kb::test
