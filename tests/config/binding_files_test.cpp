#include <nlohmann/json.hpp>
#include <random>
#include <sys/wait.h>
#include <thread>

#include "config/bindings.hpp"
#include "tests/config/scratch.hpp"

using kb::ChatId;
using kb::Errc;
using kb::RepoId;
using kb::TeamId;
using kb::UserId;
using kb::config::Binding;
using kb::config::BindingEvent;
using kb::config::PendingBinding;
using kb::config::save_binding;
using kb::config::with_binding;
using kb::test::content_of;
using kb::test::Scratch;
using Ordered = nlohmann::ordered_json;

namespace {

constexpr char const* kTime = "2026-01-02 09:00:00";

Binding binding(std::string const& chat, std::string const& team = "nlp") {
  Binding made;
  made.chat = ChatId(chat);
  made.chat_name = "周会";
  made.team = TeamId(team);
  made.team_name = "NLP";
  made.kb = RepoId("nlp", "nlp-team-kb");
  made.bound_by = UserId("ou_ann");
  made.bound_at = "2026-01-01 08:00:00";
  return made;
}

/// Runs `work(i)` in `count` processes at once; true when all ended well.
template <class Work>
bool in_processes(int count, Work work) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    pid_t const child = ::fork();
    if (child == 0) ::_exit(work(i) ? 0 : 1);
    if (child > 0) children.push_back(child);
  }
  bool good = children.size() == static_cast<std::size_t>(count);
  for (pid_t const child : children) {
    int status = 0;
    good = ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && good;
  }
  return good;
}

}  // namespace

TEST_CASE("the first binding makes a file with two-space indentation") {
  CHECK_EQ(with_binding("{}\n", binding("oc_1"), "ou_ann", kTime).value(), R"json({
  "oc_1": {
    "chat_id": "oc_1",
    "chat_name": "周会",
    "team_id": "nlp",
    "team_name": "NLP",
    "team_kb_owner": "nlp",
    "team_kb_repo": "nlp-team-kb",
    "bound_by": "ou_ann",
    "bound_at": "2026-01-01 08:00:00",
    "enabled": true
  }
}
)json");
}

TEST_CASE("outside the changed entry every byte stays; inside, unknown fields and order stay") {
  constexpr std::string_view kBefore = R"json({ "oc_0":{"team_id" : "x",   "big": 123456789012345678901234567890,
     "odd": "\u4e2d"},
  "oc_1": {"note": "ours", "enabled": true, "team_id": "nlp", "chat_name": "old", "extra": [1, 2]},
"oc_2": {} }   )json";
  Binding changed = binding("oc_1");
  changed.enabled = false;
  changed.mention_only = false;
  CHECK_EQ(with_binding(kBefore, changed, "ou_bob", kTime).value(),
           R"json({ "oc_0":{"team_id" : "x",   "big": 123456789012345678901234567890,
     "odd": "\u4e2d"},
  "oc_1": {
    "note": "ours",
    "enabled": false,
    "team_id": "nlp",
    "chat_name": "周会",
    "extra": [
      1,
      2
    ],
    "chat_id": "oc_1",
    "team_name": "NLP",
    "team_kb_owner": "nlp",
    "team_kb_repo": "nlp-team-kb",
    "bound_by": "ou_ann",
    "bound_at": "2026-01-01 08:00:00",
    "mention_only": false,
    "updated_at": "2026-01-02 09:00:00",
    "unbound_by": "ou_bob",
    "unbound_at": "2026-01-02 09:00:00"
  },
"oc_2": {} }   )json");
}

TEST_CASE("an entry is added after the last one") {
  CHECK_EQ(with_binding("{\n  \"oc_0\": {}\n}\n", binding("oc_1"), "", kTime).value().substr(0, 30),
           "{\n  \"oc_0\": {},\n  \"oc_1\": {\n  ");
  std::string const tight = with_binding("{\"oc_0\":{}}", binding("oc_1"), "", kTime).value();
  CHECK(tight.starts_with("{\"oc_0\":{},\n  \"oc_1\": {\n"));
  CHECK(tight.ends_with("\n  }\n}"));
}

TEST_CASE("binding anew takes the traces of the unbinding away") {
  std::string const bound = with_binding("{}", binding("oc_1"), "ou_ann", kTime).value();
  Binding off = binding("oc_1");
  off.enabled = false;
  std::string const unbound = with_binding(bound, off, "ou_ann", kTime).value();
  Ordered const there = Ordered::parse(unbound)["oc_1"];
  CHECK_EQ(there["enabled"], false);
  CHECK_EQ(there["unbound_by"], "ou_ann");
  CHECK_EQ(there["unbound_at"], kTime);
  CHECK_FALSE(there.contains("updated_at"));  // not renamed
  CHECK_EQ(with_binding(unbound, binding("oc_1"), "ou_ann", kTime).value(), bound);
}

TEST_CASE("the written form reads back as the same binding") {
  Binding given = binding("oc_\"1\"\\");
  given.chat_name = "line\nbreak \"quoted\" 中文";
  given.mention_only = false;
  kb::config::ControlTexts texts;
  texts.users = texts.teams = "{}";
  texts.bindings = with_binding("{}", given, "ou_ann", kTime).value();
  auto const loaded = parse_directory(texts);
  REQUIRE_MESSAGE(loaded.value, kb::test::all_of(loaded.errors));
  Binding const* const read = loaded.value->binding(given.chat);
  REQUIRE(read != nullptr);
  CHECK_EQ(read->chat_name, given.chat_name);
  CHECK_EQ(read->team, given.team);
  CHECK_EQ(read->kb, given.kb);
  CHECK_EQ(read->bound_by, given.bound_by);
  CHECK_EQ(read->enabled, given.enabled);
  CHECK_EQ(read->mention_only, given.mention_only);
}

TEST_CASE("a chat's name that is no UTF-8 does not make the file unreadable") {
  Binding given = binding("oc_1");
  given.chat_name = "\xD6\xD0";
  std::string const text = with_binding("{}", given, "", kTime).value();
  CHECK(Ordered::accept(text));
  CHECK(text.find("\xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("what cannot be changed safely is not changed") {
  struct Row {
    std::string_view text;
    Errc code;
    char const* what;
  };
  static constexpr Row rows[] = {
      {"", Errc::invalid_input, "chat_bindings.json:1:1: unexpected end of input; expected '[', '{', or a literal"},
      {"[]", Errc::invalid_input, "chat_bindings.json:1:1: the file must be an object, not a list"},
      {"{\"oc_1\": {}, \"oc_1\": {}}", Errc::invalid_input,
       "chat_bindings.json:1:14: key \"oc_1\" stands twice in this object (remove one; the first is in line 1)"},
      {"{\n\"oc_1\": 5}", Errc::invalid_input, "chat_bindings.json:2:9: binding oc_1 must be an object"},
      {"{\"oc_1\": {\"team_id\": \"cv\"}}", Errc::denied, "group oc_1 is bound to team cv by now"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    auto const result = with_binding(row.text, binding("oc_1"), "ou_ann", kTime);
    REQUIRE(result.has_error());
    CHECK_EQ(result.error().code, row.code);
    CHECK_EQ(result.error().what, row.what);
  }
  // A disabled binding of another team is none (N-13).
  CHECK(with_binding("{\"oc_1\": {\"team_id\": \"cv\", \"enabled\": false}}", binding("oc_1"), "", kTime).has_value());
}

TEST_CASE("over random files a change touches its own entry only") {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Ordered before = Ordered::object();
    for (auto i = random() % 6; i > 0; --i) {
      Ordered entry = Ordered::object();
      entry["team_id"] = "nlp";
      for (auto fields = random() % 5; fields > 0; --fields) {
        std::string const key = "field_" + std::to_string(random() % 9);
        switch (random() % 5) {
          case 0:
            entry[key] = random();
            break;
          case 1:
            entry[key] = {"}", "{", ",\"", nullptr, 0.5};
            break;
          case 2:
            entry[key] = {{"深", {{"x", "\\\""}}}};
            break;
          case 3:
            entry["enabled"] = random() % 2 == 0;
            break;
          default:
            entry[key] = "oc_3";
        }
      }
      before["oc_" + std::to_string(random() % 8)] = entry;
    }
    std::string const text = before.dump(static_cast<int>(random() % 4) - 1);
    Binding change = binding("oc_" + std::to_string(random() % 8));
    change.enabled = random() % 2 == 0;

    auto const result = with_binding(text, change, "ou_ann", kTime);
    REQUIRE_MESSAGE(result.has_value(), result.error().what);
    Ordered const after = Ordered::parse(*result);

    std::string const changed = change.chat.str();
    std::vector<std::string> keys_before, keys_after;
    for (auto const& [key, entry] : before.items()) {
      keys_before.push_back(key);
      REQUIRE(after.contains(key));
      if (key != changed) {
        REQUIRE_EQ(after[key].dump(), entry.dump());  // byte by byte, order included
        continue;
      }
      for (auto const& [field, value] : entry.items()) {
        if (field.starts_with("field_")) REQUIRE_EQ(after[key][field].dump(), value.dump());
      }
    }
    for (auto const& [key, entry] : after.items()) keys_after.push_back(key);
    if (!before.contains(changed)) keys_before.push_back(changed);
    REQUIRE_EQ(Ordered(keys_after).dump(), Ordered(keys_before).dump());
    REQUIRE_EQ(after[changed]["enabled"], change.enabled);
    REQUIRE_EQ(with_binding(*result, change, "ou_ann", kTime).value(), *result);  // once more changes nothing
  }
}

TEST_CASE("saving makes the file, keeps an operator's edit and leaves a broken file alone") {
  Scratch dir;
  auto const file = dir / "chat_bindings.json";
  REQUIRE(save_binding(file, binding("oc_1"), "ou_ann", kTime).has_value());
  CHECK_EQ(content_of(file), with_binding("{}\n", binding("oc_1"), "ou_ann", kTime).value());

  dir.write("chat_bindings.json", "{\"oc_9\": {\"team_id\": \"cv\", \"note\": \"by hand\"}}\n");
  REQUIRE(save_binding(file, binding("oc_1"), "ou_ann", kTime).has_value());
  CHECK_EQ(Ordered::parse(content_of(file))["oc_9"]["note"], "by hand");

  dir.write("chat_bindings.json", "{\"oc_9\": ");
  auto const broken = save_binding(file, binding("oc_1"), "ou_ann", kTime);
  REQUIRE(broken.has_error());
  CHECK_EQ(broken.error().code, Errc::invalid_input);
  CHECK(broken.error().what.starts_with("changing " + file.string() + ": chat_bindings.json:1:10: "));
  CHECK_EQ(content_of(file), "{\"oc_9\": ");

  dir.write("chat_bindings.json", "{\"oc_1\": {\"team_id\": \"cv\"}}");
  CHECK_EQ(save_binding(file, binding("oc_1"), "ou_ann", kTime).error().code, Errc::denied);
  CHECK_EQ(save_binding(dir / "absent/x.json", binding("oc_1"), "", kTime).error().code, Errc::not_found);
}

TEST_CASE("processes that write at once lose nothing, and a reader never sees half a file") {  // N-24
  Scratch dir;
  auto const file = dir.write("chat_bindings.json", "{\"oc_hand\": {\"note\": 1}}\n");
  auto const events = dir.write("chat_binding_events.json", "[]");
  constexpr int kWriters = 4, kEach = 10;
  auto const work = [&](int writer) {
    for (int i = 0; i < kEach; ++i) {
      if (writer == kWriters) {
        if (!Ordered::accept(content_of(file)) || !Ordered::accept(content_of(events))) return false;
        continue;
      }
      std::string const chat = "oc_" + std::to_string(writer) + "_" + std::to_string(i);
      if (save_binding(file, binding(chat), "ou_ann", kTime).has_error()) return false;
      BindingEvent const event{"bind", ChatId(chat), TeamId("nlp"), UserId("ou_ann"), "", kTime};
      if (kb::config::append_event(events, event).has_error()) return false;
    }
    return true;
  };
  CHECK(in_processes(kWriters + 1, work));
  CHECK_EQ(Ordered::parse(content_of(file)).size(), kWriters * kEach + 1);
  CHECK_EQ(kb::config::load_events(events).value().size(), kWriters * kEach);
}

TEST_CASE("threads that write at once lose nothing") {  // N-24
  Scratch dir;
  auto const file = dir / "chat_bindings.json";
  constexpr int kWriters = 4, kEach = 10;
  std::vector<int> failures(kWriters, 0);
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&file, &failures, writer] {
      for (int i = 0; i < kEach; ++i) {
        std::string const chat = "oc_" + std::to_string(writer) + "_" + std::to_string(i);
        if (save_binding(file, binding(chat), "ou_ann", kTime).has_error())
          ++failures[static_cast<std::size_t>(writer)];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int const failed : failures) CHECK_EQ(failed, 0);
  CHECK_EQ(Ordered::parse(content_of(file)).size(), kWriters * kEach);
}

TEST_CASE("two teams that bind a group at once: one gets it") {  // N-12, N-24
  Scratch dir;
  auto const file = dir / "chat_bindings.json";
  auto const work = [&](int i) {
    auto const saved = save_binding(file, binding("oc_1", "team_" + std::to_string(i)), "ou_ann", kTime);
    return saved.has_value() || saved.error().code == Errc::denied;
  };
  CHECK(in_processes(6, work));
  std::string const winner = Ordered::parse(content_of(file))["oc_1"]["team_id"];
  int refused = 0;
  for (int i = 0; i < 6; ++i) {
    auto const again = save_binding(file, binding("oc_1", "team_" + std::to_string(i)), "ou_ann", kTime);
    if (again.has_error()) ++refused;
  }
  CHECK_EQ(refused, 5);
  CHECK_EQ(std::string(Ordered::parse(content_of(file))["oc_1"]["team_id"]), winner);
}

TEST_CASE("requests of several groups at once are all kept, also while others are forgotten") {  // N-24
  Scratch dir;
  auto const file = kb::config::pending_file(dir / "chat_bindings.json");
  constexpr int kWriters = 4, kEach = 10;
  auto const work = [&](int writer) {
    for (int i = 0; i < kEach; ++i) {
      PendingBinding mine;
      mine.code = "BIND-" + std::to_string(writer) + "-" + std::to_string(i);
      mine.chat = ChatId("oc_" + std::to_string(writer));
      auto const add = [&](std::vector<PendingBinding>& all) { all.push_back(mine); };
      auto const forget = [&](std::vector<PendingBinding>& all) {
        std::erase_if(all, [&](PendingBinding const& p) { return p.code == mine.code; });
      };
      if (kb::config::change_pending(file, add).has_error()) return false;
      if (i % 2 == 1 && kb::config::change_pending(file, forget).has_error()) return false;
    }
    return true;
  };
  CHECK(in_processes(kWriters, work));
  CHECK_EQ(kb::config::load_pending(file).value().size(), kWriters * kEach / 2);
}

TEST_CASE("pending requests are stored as the other programs store them") {
  Scratch dir;
  auto const file = kb::config::pending_file(dir / "chat_bindings.json");
  CHECK_EQ(file, dir / "pending_chat_bindings.json");
  CHECK(kb::config::load_pending(file).value().empty());

  PendingBinding bind;
  bind.code = "BIND-7F2K";
  bind.chat = ChatId("oc_1");
  bind.chat_name = "周会";
  bind.team = TeamId("nlp");
  bind.team_name = "NLP";
  bind.requested_by = UserId("ou_ann");
  bind.created_at = kTime;
  bind.expires_at_ts = 1767225600;
  PendingBinding unbind = bind;
  unbind.action = PendingBinding::Action::unbind;
  unbind.code = "UNBIND-9ABC";
  using Pending = std::vector<PendingBinding>;
  REQUIRE(kb::config::change_pending(file, [&](Pending& all) { all = {bind, unbind}; }).has_value());
  Ordered const stored = Ordered::parse(content_of(file));
  CHECK_EQ(
      stored["BIND-7F2K"].dump(),
      R"({"action":"bind","confirm_code":"BIND-7F2K","chat_id":"oc_1","chat_name":"周会","team_id":"nlp",)"
      R"("team_name":"NLP","requested_by":"ou_ann","created_at":"2026-01-02 09:00:00","expires_at_ts":1767225600})");

  auto const loaded = kb::config::load_pending(file).value();
  REQUIRE_EQ(loaded.size(), 2);
  CHECK(loaded[0].action == PendingBinding::Action::bind);
  CHECK_EQ(loaded[0].code, "BIND-7F2K");
  CHECK_EQ(loaded[0].chat, bind.chat);
  CHECK_EQ(loaded[0].chat_name, bind.chat_name);
  CHECK_EQ(loaded[0].team, bind.team);
  CHECK_EQ(loaded[0].team_name, bind.team_name);
  CHECK_EQ(loaded[0].requested_by, bind.requested_by);
  CHECK_EQ(loaded[0].created_at, bind.created_at);
  CHECK_EQ(loaded[0].expires_at_ts, bind.expires_at_ts);
  CHECK(loaded[1].action == PendingBinding::Action::unbind);

  dir.write("pending_chat_bindings.json", "{\"BIND-1\": {\"action\": \"join\"}}");
  auto const odd = kb::config::load_pending(file);
  REQUIRE(odd.has_error());
  CHECK_EQ(odd.error().what, file.string() + ":1:23: BIND-1.action must be \"bind\" or \"unbind\"");
  CHECK_EQ(kb::config::change_pending(file, [](Pending& all) { all.clear(); }).error().what, odd.error().what);
  CHECK_EQ(content_of(file), "{\"BIND-1\": {\"action\": \"join\"}}");
}

TEST_CASE("events are kept in order, the newest ten thousand of them") {
  Scratch dir;
  auto const file = kb::config::events_file(dir / "chat_bindings.json");
  CHECK_EQ(file, dir / "chat_binding_events.json");
  CHECK(kb::config::load_events(file).value().empty());

  BindingEvent event{"bind", ChatId("oc_1"), TeamId("nlp"), UserId("ou_ann"), "BIND-7F2K", kTime};
  REQUIRE(kb::config::append_event(file, event).has_value());
  event.event = "unbind";
  REQUIRE(kb::config::append_event(file, event).has_value());
  auto const events = kb::config::load_events(file).value();
  REQUIRE_EQ(events.size(), 2);
  CHECK_EQ(events[0].event, "bind");
  CHECK_EQ(events[0].chat, event.chat);
  CHECK_EQ(events[0].team, event.team);
  CHECK_EQ(events[0].actor, event.actor);
  CHECK_EQ(events[0].code, event.code);
  CHECK_EQ(events[0].created_at, kTime);
  CHECK_EQ(events[1].event, "unbind");

  Ordered many = Ordered::array();
  for (int i = 0; i < 10'000; ++i) many.push_back({{"event", std::to_string(i)}, {"note", "kept"}});
  dir.write("chat_binding_events.json", many.dump());
  REQUIRE(kb::config::append_event(file, event).has_value());
  Ordered const stored = Ordered::parse(content_of(file));
  CHECK_EQ(stored.size(), 10'000);
  CHECK_EQ(stored.front()["event"], "1");
  CHECK_EQ(stored.front()["note"], "kept");
  CHECK_EQ(stored.back()["event"], "unbind");
}

TEST_CASE("a broken file of events is not written over") {
  Scratch dir;
  auto const file = dir.write("chat_binding_events.json", "[{\"event\": ");
  BindingEvent const event{"bind", ChatId("oc_1"), TeamId("nlp"), UserId("ou_ann"), "", kTime};
  auto const appended = kb::config::append_event(file, event);
  REQUIRE(appended.has_error());
  CHECK_EQ(appended.error().code, Errc::invalid_input);
  CHECK_EQ(content_of(file), "[{\"event\": ");
  CHECK(kb::config::load_events(file).has_error());
}
