// chat: a terminal conversation against a running daemon, over the bridge.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <iostream>
#include <istream>
#include <unistd.h>

#include "adapters/aio/http.hpp"
#include "adapters/aio/pool.hpp"
#include "config/secret_file.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"
#include "logging/record.hpp"
#include "scope/message.hpp"

namespace kb::daemon {
namespace {

/// One conversation; ends with the input or the link.
class Chat {
 public:
  Chat(aio::Executor ex, ChatOptions const& options, std::string token, std::istream& in, Io io)
      : ex_(std::move(ex)), options_(options), token_(std::move(token)), in_(in), io_(io), keyboard_(1) {}

  aio::Task<int> run() {
    std::string url = options_.url;
    std::string bearer = token_;
    aio::ServerLimits const limits;
    Result<std::unique_ptr<aio::Link>> connected =
        co_await aio::connect_ws(ex_, std::move(url), std::move(bearer), limits);
    if (!connected) {
      io_.err << "cannot reach " << options_.url << ": " << connected.error().what
              << "\nIs the daemon running? (kbgate serve)\n";
      co_return kUnavailable;
    }
    link_ = std::move(*connected);
    bool const terminal = ::isatty(STDIN_FILENO) == 1;
    for (;;) {
      if (terminal) io_.out << "> " << std::flush;
      std::string line;
      bool more = false;
      auto read = [&] { more = static_cast<bool>(std::getline(in_, line)); };
      co_await keyboard_.run(read);
      if (!more) break;
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      bool const answered = co_await say(std::move(line));
      if (!answered) co_return kUnavailable;
    }
    co_await link_->close();
    link_->abort();
    co_return kDone;
  }

 private:
  aio::Task<bool> say(std::string line) {
    // Unique across runs: the daemon answers a repeated id with its first answer.
    std::string const id = "chat-" + logging::new_query_id(clock_);
    Json const frame{{"type", "message"},
                     {"id", id},
                     {"SenderId", options_.sender.sender_id},
                     {"ChatType", options_.sender.chat_type},
                     {"GroupSubject", options_.sender.chat_id},
                     {"text", line},
                     {"mentioned", true}};
    std::string message = dump(frame);
    Result<void> const sent = co_await link_->write(std::move(message));
    if (!sent) co_return ended(sent.error());
    for (;;) {
      Result<std::string> const received = co_await link_->read();
      if (!received) co_return ended(received.error());
      Json const reply = Json::parse(*received, nullptr, false);
      if (!reply.is_object() || reply.value("id", "") != id) continue;
      std::string const type = reply.value("type", "");
      if (type == "answer") {
        io_.out << reply.value("text", "") << '\n' << std::endl;
        co_return true;
      }
      if (type == "error") {
        io_.err << reply.value("error", "error") << ": " << reply.value("message", "") << std::endl;
        co_return true;
      }
    }
  }

  bool ended(Error const& error) {
    io_.err << "the connection ended: " << error.what << std::endl;
    return false;
  }

  aio::Executor ex_;
  ChatOptions const& options_;
  std::string token_;
  std::istream& in_;
  Io io_;
  SystemClock clock_;
  aio::Pool keyboard_;
  std::unique_ptr<aio::Link> link_;
};

}  // namespace

int chat_verb(ChatOptions const& options, std::istream& in, Io io) {
  if (options.sender.sender_id.empty()) return fail(io, "bad_request", "--sender_id is needed", kUsage);
  if (!scope::parse_chat_type(options.sender.chat_type)) {
    return fail(io, "bad_chat_type",
                "--chat_type is direct (or p2p) or group, not \"" + options.sender.chat_type + "\"", kUsage);
  }
  std::string token;
  if (!options.token_file.empty()) {
    Result<std::string> secret = config::read_secret(options.token_file, "--token_file");
    if (!secret) return fail(io, secret.error());
    token = std::move(*secret);
  }
  boost::asio::io_context context(1);
  Chat chat(context.get_executor(), options, std::move(token), in, io);
  int exit_code = kFailure;
  std::exception_ptr fault;
  boost::asio::co_spawn(context, chat.run(), [&](std::exception_ptr e, int code) {
    fault = e;
    exit_code = code;
    context.stop();
  });
  context.run();
  if (fault) std::rethrow_exception(fault);
  return exit_code;
}

}  // namespace kb::daemon
