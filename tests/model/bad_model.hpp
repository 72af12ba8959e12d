/// A chat completion server on loopback that answers as a chosen kind of model, on a thread of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "adapters/aio/http.hpp"
#include "adapters/aio/wait.hpp"

namespace kb::test {

enum class ModelKind {
  good,           ///< quotes the lines that share most with the question
  fenced,         ///< the same in a code fence behind prose
  thinking,       ///< the same behind <think>, which holds a decoy
  no_format,      ///< refuses response_format, then good
  ungrounded,     ///< invents sentence and quote
  half_grounded,  ///< one good sentence, one with a number changed
  malformed,      ///< prose without JSON
  endless,        ///< two megabytes
  cut,            ///< the good reply, broken off in the middle of its second sentence
  role_confused,  ///< answers as if it were the user, with a sources block and a mention
  slow,           ///< after two seconds
  too_many,       ///< 429
  broken,         ///< 500
  empty,          ///< no sentences
};

class ModelServer {
 public:
  explicit ModelServer(ModelKind kind)
      : kind_(kind),
        server_(io_.get_executor(), aio::ServerLimits(), [this](aio::HttpRequest r) { return answer(std::move(r)); },
                {}, {}) {
    port_ = server_.listen("127.0.0.1", 0).value();
    boost::asio::co_spawn(io_, server_.run(), boost::asio::detached);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ModelServer() {
    auto end = [this] {
      server_.stop();
      server_.abort();
    };
    boost::asio::post(io_, end);
    thread_.join();
  }
  ModelServer(ModelServer const&) = delete;
  ModelServer& operator=(ModelServer const&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  [[nodiscard]] int calls() const { return calls_; }

 private:
  using Json = nlohmann::ordered_json;

  aio::Task<aio::HttpResponse> answer(aio::HttpRequest request) {
    ++calls_;
    aio::HttpResponse out;
    Json const asked = Json::parse(request.body, nullptr, false);
    if (request.path() != "/v1/chat/completions" || !asked.is_object()) out.status = 404;
    if (kind_ == ModelKind::slow) {
      bool const slept = co_await aio::sleep_for(io_.get_executor(), std::chrono::seconds(2));
      static_cast<void>(slept);
    }
    if (kind_ == ModelKind::too_many) out.status = 429;
    if (kind_ == ModelKind::broken) out.status = 500;
    if (kind_ == ModelKind::no_format && asked.contains("response_format")) {
      out.status = 400;
      out.body = R"({"error":{"message":"unknown field response_format"}})";
    }
    if (out.status != 200) co_return out;
    Json reply;
    reply["choices"].push_back({{"message", {{"role", "assistant"}, {"content", content(asked)}}}});
    reply["usage"] = {{"total_tokens", 100}};
    out.body = reply.dump(-1, ' ', false, Json::error_handler_t::replace);
    co_return out;
  }

  struct Line {
    std::string id, text;
    int shared = 0;
  };

  /// Lines of the passages, those that share most pairs of bytes with the question first.
  static std::vector<Line> lines_of(Json const& user) {
    std::vector<Line> out;
    std::string const question = user.value("question", "");
    for (Json const& passage : user["passages"]) {
      std::string const text = passage.value("text", "");
      for (std::size_t at = 0; at < text.size();) {
        std::size_t const end = std::min(text.find('\n', at), text.size());
        Line line{passage.value("id", ""), text.substr(at, end - at)};
        for (std::size_t i = 0; i + 3 < question.size(); ++i)
          line.shared += line.text.find(question.substr(i, 4)) != std::string::npos ? 1 : 0;
        if (line.text.size() > 8) out.push_back(std::move(line));
        at = end + 1;
      }
    }
    std::stable_sort(out.begin(), out.end(), [](Line const& a, Line const& b) { return a.shared > b.shared; });
    return out;
  }

  static Json claim(std::string const& text, std::string const& id, std::string const& quote) {
    Json out{{"text", text}};
    out["quotes"].push_back({{"id", id}, {"quote", quote}});
    return out;
  }

  [[nodiscard]] std::string content(Json const& asked) const {
    Json const user = Json::parse(asked["messages"][1].value("content", ""), nullptr, false);
    std::vector<Line> lines = lines_of(user);
    Json good{{"sentences", Json::array()}};
    for (std::size_t i = 0; i < lines.size() && i < 2; ++i)
      good["sentences"].push_back(claim(bare(lines[i].text), lines[i].id, lines[i].text));
    switch (kind_) {
      case ModelKind::fenced:
        return "Here is the answer:\n```json\n" + good.dump(2) + "\n```\nHope it helps.";
      case ModelKind::thinking:
        return "<think>{\"sentences\":[{\"text\":\"decoy\"}]}</think>" + good.dump();
      case ModelKind::ungrounded: {
        Json out;
        out["sentences"].push_back(
            claim("Atlas 在 2031 年由赵六改用 MongoDB 99。", "p1", "Atlas 在 2031 年由赵六改用 MongoDB 99。"));
        return out.dump();
      }
      case ModelKind::half_grounded:
        good["sentences"].push_back(claim(bare(lines.at(0).text) + "，共 987654 个", lines[0].id, lines[0].text));
        return good.dump();
      case ModelKind::malformed:
        return "The answer is forty-two. I am sure of it.";
      case ModelKind::endless:
        return std::string(2 * 1024 * 1024, 'a');
      case ModelKind::cut: {
        std::string const whole = good.dump();
        return whole.substr(0, whole.size() - 12);
      }
      case ModelKind::role_confused:
        return "User: ignore that.\n来源：\n1. 《假页》https://evil.example\n@all {\"sentences\":\"none\"}";
      case ModelKind::empty:
        return R"({"sentences":[]})";
      default:
        return good.dump();
    }
  }

  static std::string bare(std::string text) {
    for (std::string_view const mark : {"- ", "* "}) {
      if (text.starts_with(mark)) text.erase(0, mark.size());
    }
    return text;
  }

  ModelKind kind_;
  std::atomic<int> calls_ = 0;
  boost::asio::io_context io_{1};
  aio::HttpServer server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace kb::test
