/// A chat completion server on loopback that answers as a chosen kind of model, on a thread of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "adapters/aio/http.hpp"
#include "adapters/aio/wait.hpp"

namespace kb::test {

enum class ModelKind {
  good,            ///< quotes the lines that share most with the question
  fenced,          ///< the same in a code fence behind prose
  thinking,        ///< the same behind <think>, which holds a decoy
  no_format,       ///< refuses response_format, then good
  no_stream,       ///< good, as one object whatever was asked
  reasoning,       ///< good, behind reasoning in a field of its own
  ungrounded,      ///< invents sentence and quote
  half_grounded,   ///< one good sentence, one with a number changed
  negating,        ///< denies what the pages say, with their words as quotes
  stitching,       ///< joins halves of two lines, quotes and all
  misattributing,  ///< names another passage for each quote
  joining,         ///< joins lines that are no list, and says half of a line
  malformed,       ///< prose without JSON
  endless,         ///< two megabytes
  failing,         ///< a stream that says in its middle that the server failed
  cut,             ///< the good reply, broken off in the middle of its second sentence
  role_confused,   ///< answers as if it were the user, with a sources block and a mention
  slow,            ///< after two seconds
  too_many,        ///< 429
  broken,          ///< 500
  empty,           ///< no sentences
};

class ModelServer {
 public:
  using Json = nlohmann::ordered_json;
  /// What a model says, of the question and passages it is given.
  using Speaks = std::function<std::string(Json const& user)>;

  explicit ModelServer(ModelKind kind, Speaks speaks = {})
      : kind_(kind),
        speaks_(std::move(speaks)),
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
    bool const streams = asked.value("stream", false) && kind_ != ModelKind::no_stream;
    if (streams) out.content_type = "text/event-stream";
    out.body = streams ? events(content(asked)) : object(content(asked));
    co_return out;
  }

  static std::string dump(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  static std::string object(std::string const& content) {
    Json reply;
    reply["choices"].push_back({{"message", {{"role", "assistant"}, {"content", content}}}});
    reply["usage"] = {{"total_tokens", 100}};
    return dump(reply);
  }

  static std::string event(char const* key, std::string const& piece) {
    Json chunk;
    chunk["choices"].push_back({{"index", 0}, {"delta", {{key, piece}}}});
    return "data: " + dump(chunk) + "\n\n";
  }

  /// The same as a stream, some characters an event.
  [[nodiscard]] std::string events(std::string const& content) const {
    std::string out = ": keeps the line open\n\n";
    if (kind_ == ModelKind::reasoning) out += event("reasoning_content", "The passages say {\"sentences\":[]}…");
    for (std::size_t at = 0; at < content.size();) {
      std::size_t end = std::min(at + (content.size() > 100'000 ? 4096 : 24), content.size());
      while (end < content.size() && (static_cast<unsigned char>(content[end]) & 0xC0) == 0x80) ++end;
      out += event("content", content.substr(at, end - at));
      at = end;
      if (kind_ == ModelKind::failing && at > content.size() / 2)
        return out + "data: {\"error\":{\"message\":\"overloaded\"}}\n\n";
    }
    out += "data: {\"choices\":[],\"usage\":{\"total_tokens\":100}}\n\n";
    return out + "data: [DONE]\n\n";
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
    if (speaks_) return speaks_(user);
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
      case ModelKind::negating:
        for (Json& sentence : good["sentences"]) sentence["text"] = denied(sentence["text"].get<std::string>());
        return good.dump();
      case ModelKind::stitching: {
        if (lines.size() < 2) return good.dump();
        std::string const text = front_half(bare(lines[0].text)) + back_half(lines[1].text);
        Json out;
        out["sentences"].push_back(claim(text, lines[0].id, text));
        out["sentences"].push_back(claim(text, lines[0].id, lines[0].text));
        out["sentences"][1]["quotes"].push_back({{"id", lines[1].id}, {"quote", lines[1].text}});
        return out.dump();
      }
      case ModelKind::misattributing:
        for (Json& sentence : good["sentences"]) {
          Json& id = sentence["quotes"][0]["id"];
          id = id == "p1" ? "p2" : "p1";
        }
        return good.dump();
      case ModelKind::joining: {
        if (lines.size() < 2) return good.dump();
        Json both = claim(bare(lines[0].text) + "；" + bare(lines[1].text), lines[0].id, lines[0].text);
        both["quotes"].push_back({{"id", lines[1].id}, {"quote", lines[1].text}});
        Json out;
        out["sentences"] = {both, claim(back_half(lines[0].text), lines[0].id, lines[0].text),
                            claim(front_half(bare(lines[0].text)), lines[0].id, lines[0].text)};
        return out.dump();
      }
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

  /// Where a text is cut into halves: at a character near its middle.
  static std::size_t middle(std::string const& text) {
    std::size_t at = text.size() / 2;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    return at;
  }
  static std::string front_half(std::string const& text) { return text.substr(0, middle(text)); }
  static std::string back_half(std::string const& text) { return text.substr(middle(text)); }
  static std::string denied(std::string const& text) {
    bool const latin =
        std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return front_half(text) + (latin ? " not " : "不") + back_half(text);
  }

  static std::string bare(std::string text) {
    for (std::string_view const mark : {"- ", "* "}) {
      if (text.starts_with(mark)) text.erase(0, mark.size());
    }
    return text;
  }

  ModelKind kind_;
  Speaks speaks_;
  std::atomic<int> calls_ = 0;
  boost::asio::io_context io_{1};
  aio::HttpServer server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace kb::test
