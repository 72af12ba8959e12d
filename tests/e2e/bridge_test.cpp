// The bridge under bad weather: hostile frames, slow readers, crowds.
#include <doctest/doctest.h>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

char const* const kQuestion = "组会什么时候开始？";

}  // namespace

TEST_CASE("ten thousand malformed frames leave the daemon answering") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  static char const* const bad[] = {
      "",
      "{",
      "null",
      "[]",
      "\"x\"",
      "{\"type\":\"message\"}",
      "{\"type\":7}",
      "{\"type\":\"nonsense\"}",
      "{\"type\":\"message\",\"id\":\"a\",\"SenderId\":\"\",\"ChatType\":\"direct\",\"text\":\"x\"}",
      "{\"type\":\"message\",\"id\":\"a\",\"SenderId\":\"u\",\"ChatType\":\"room\",\"text\":\"x\"}"};
  int sent = 0;
  while (sent < 10'000) {
    Client client(daemon);
    for (int i = 0; i < 20; ++i) client.send_text(bad[static_cast<std::size_t>(sent++) % std::size(bad)]);
    int errors = 0;
    try {
      for (;;) errors += client.next().value("type", "") == "error" ? 1 : 0;
    } catch (std::exception const&) {
      // closed after the twentieth in a row
    }
    CHECK_EQ(errors, 20);
    CHECK(client.ends());
  }
  Client client(daemon);
  CHECK_EQ(client.ask("m1", "ou_bob", "oc_nlp", kQuestion).value("outcome", ""), "answered");
}

TEST_CASE("a malformed frame is told what is wrong, and the connection goes on") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  Json no_sender = Client::message("m1", "ou_bob", "oc_nlp", kQuestion);
  no_sender.erase("SenderId");
  client.send(no_sender);
  Json const error = client.next();
  CHECK_EQ(error.value("type", ""), "error");
  CHECK_EQ(error.value("id", ""), "m1");
  CHECK_EQ(error.value("error", ""), "bad_request");
  CHECK(error.value("message", "").find("SenderId") != std::string::npos);
  CHECK_EQ(client.ask("m2", "ou_bob", "oc_nlp", kQuestion).value("outcome", ""), "answered");
}

TEST_CASE("a frame of a megabyte ends its link and nothing else") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client other(daemon);
  {
    Client client(daemon);
    client.send_text(std::string(1024 * 1024, 'x'));
    CHECK(client.ends());
  }
  CHECK_EQ(other.ask("m1", "ou_bob", "oc_nlp", kQuestion).value("outcome", ""), "answered");
}

TEST_CASE("two hundred clients at once are all answered") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(std::make_unique<Client>(daemon));
  // Two hundred chats: an order of their own each.
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i]->send(Client::message("m" + std::to_string(i), "ou_nobody" + std::to_string(i), "", "组会？"));
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    Json const reply = clients[i]->next("answer", "m" + std::to_string(i));
    CHECK_EQ(reply.value("text", ""), "请先完成个人知识库初始化。");
  }
}

TEST_CASE("a private chat in which a second person speaks is answered on, as the group it is") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  auto const say = [&](std::string const& id, std::string const& sender) {
    Json frame = Client::message(id, sender, "", "我的航班是哪天的？");
    frame["ChatId"] = "oc_topic";
    client.send(frame);
    return client.next("answer", id).value("outcome", "");
  };
  CHECK_EQ(say("m1", "ou_alice"), "answered");
  CHECK_EQ(say("m2", "ou_bob"), "scope_refused");
  CHECK_EQ(say("m3", "ou_alice"), "scope_refused");
}

TEST_CASE("more questions in one chat than may wait are told so") {
  Workspace w;
  w.configure([](Json& config) { config["limits"]["chat_queue"] = 1; });
  Daemon daemon(KB_PROGRAM, w);
  // Each over a link of its own, so that they are admitted together.
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 60; ++i) clients.push_back(std::make_unique<Client>(daemon));
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i]->send(Client::message("m" + std::to_string(i), "ou_bob", "oc_nlp", kQuestion));
  }
  int answered = 0, busy = 0;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    Json const reply = clients[i]->next("answer", "m" + std::to_string(i));
    (reply.value("outcome", "") == "busy" ? busy : answered) += 1;
  }
  CHECK(answered >= 1);
  CHECK(busy >= 1);
  CHECK_EQ(answered + busy, 60);
}

TEST_CASE("a person who asks too fast is told to wait, and the same id gets the same reply") {
  Workspace w;
  w.configure([](Json& config) { config["limits"]["questions_per_user_per_minute"] = 2; });
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  (void)client.ask("m1", "ou_bob", "oc_nlp", kQuestion);
  (void)client.ask("m2", "ou_bob", "oc_nlp", kQuestion);
  Json const third = client.ask("m3", "ou_bob", "oc_nlp", kQuestion);
  CHECK_EQ(third.value("outcome", ""), "busy");
  CHECK_EQ(client.ask("m3", "ou_bob", "oc_nlp", kQuestion), third);
  CHECK_EQ(client.ask("m4", "ou_alice", "oc_nlp", kQuestion).value("outcome", ""), "answered");
}

TEST_CASE("with a token only its holder connects, and pages of another site never do") {
  Workspace w;
  std::string const token = "0123456789abcdef0123456789abcdef";
  w.write("token", token + "\n");
  w.configure([](Json& config) { config["listen"]["token_file"] = "token"; });
  Daemon daemon(KB_PROGRAM, w);
  CHECK_THROWS((void)Client(daemon));
  CHECK_THROWS((void)Client(daemon, "wrong-wrong-wrong-wrong"));
  Client client(daemon, token);
  CHECK_EQ(client.ask("m1", "ou_bob", "oc_nlp", kQuestion).value("outcome", ""), "answered");
  std::vector<std::string> const upgrade{"Connection: Upgrade",
                                         "Upgrade: websocket",
                                         "Sec-WebSocket-Version: 13",
                                         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                                         "Authorization: Bearer " + token,
                                         "Origin: https://evil.example"};
  CHECK_EQ(http_get(daemon.port(), "/ws", upgrade).status, 403);
}

TEST_CASE("without a token a page whose name was rebound to this machine may not connect") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  std::vector<std::string> const upgrade{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                                         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: http://evil.example"};
  CHECK_EQ(http_get(daemon.port(), "/ws", upgrade, "evil.example").status, 403);
}

TEST_CASE("feedback on an answer is taken") {
  Workspace w;
  Daemon daemon(KB_PROGRAM, w);
  Client client(daemon);
  Json const answer = client.ask("m1", "ou_bob", "oc_nlp", kQuestion);
  client.send({{"type", "feedback"},
               {"query_id", answer.value("query_id", "")},
               {"vote", "down"},
               {"kind", "outdated"},
               {"SenderId", "ou_bob"}});
  client.send({{"type", "ping"}});
  CHECK_EQ(client.next().value("type", ""), "pong");  // no error came before it
  client.send({{"type", "feedback"}, {"query_id", "x"}, {"vote", "sideways"}, {"SenderId", "ou_bob"}});
  CHECK_EQ(client.next().value("type", ""), "error");
}

}  // namespace kb::test
