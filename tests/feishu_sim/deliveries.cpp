#include "tests/feishu_sim/deliveries.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "logging/service_log.hpp"

namespace kb::feishu_sim {
namespace {

/// Where the body is cut: `split` names the bytes, `fragments` a number of equal parts.
std::vector<std::size_t> cuts_of(Json const& how, std::size_t size) {
  std::vector<std::size_t> edges{0};
  if (Json const split = at_path(how, "split"); split.is_array()) {
    for (Json const& at : split) edges.push_back(std::min(size, at.get<std::size_t>()));
  } else {
    auto const parts = static_cast<std::size_t>(std::max<std::int64_t>(1, number_or(how, "fragments", 1)));
    for (std::size_t i = 1; i < parts; ++i) edges.push_back(size * i / parts);
  }
  edges.push_back(size);
  return edges;
}

bool has(Json const& list, std::size_t value) {
  return list.is_array() && std::any_of(list.begin(), list.end(), [&](Json const& x) { return x == value; });
}

std::uint64_t id_or(Json const& how, char const* key, std::uint64_t otherwise) {
  Json const id = at_path(how, key);
  if (id.is_string()) return std::stoull(id.get<std::string>());
  return id.is_number() ? id.get<std::uint64_t>() : otherwise;
}

std::optional<std::string> maybe_text(Json const& how, char const* key) {
  Json const found = at_path(how, key);
  return found.is_string() ? std::optional(found.get<std::string>()) : std::nullopt;
}

void put_header(Frame& frame, std::string const& key, Json const& value) {
  std::string const text = value.is_string() ? value.get<std::string>() : dump(value);
  auto const at =
      std::find_if(frame.headers.begin(), frame.headers.end(), [&](auto const& h) { return h.first == key; });
  if (at == frame.headers.end()) {
    frame.headers.emplace_back(key, text);
  } else {
    at->second = text;
  }
}

/// What the control API asks for beyond an ordinary frame.
void adorn(Frame& frame, Json const& how) {
  Json const headers = part(how, "headers");
  for (auto const& [key, value] : headers.items()) put_header(frame, key, value);
  if (Json const omit = at_path(how, "omit_headers"); omit.is_array()) {
    std::erase_if(frame.headers, [&](auto const& header) {
      return std::any_of(omit.begin(), omit.end(), [&](Json const& key) { return key == header.first; });
    });
  }
  frame.seq_id = id_or(how, "seq_id", frame.seq_id);
  frame.log_id = id_or(how, "log_id", frame.log_id);
  frame.payload_encoding = maybe_text(how, "payload_encoding");
  frame.payload_type = maybe_text(how, "payload_type");
  frame.log_id_new = maybe_text(how, "log_id_new");
}

}  // namespace

struct Deliveries::Attempt {
  Delivery* owner;
  std::size_t number;
  int connection;
  std::string frame_id, trace_id;
  std::size_t fragments;
  Millis sent;
  Frame last;               ///< the fragment sent last: what an acknowledgement echoes
  std::uint64_t timer = 0;  ///< until which an acknowledgement is awaited
  bool awaited = true;
  Json ack, late_ack, why;
};

struct Deliveries::Delivery {
  std::string id, body, event_id, event_type, message_id, status = "pending";
  Json how;
  std::vector<Millis> ladder;
  std::list<Attempt> attempts;
  std::uint64_t timer = 0;  ///< of the next attempt
  bool settled = false, waiting = false;
};

Deliveries::Deliveries(World& world, OnAnswer on_answer) : world_(world), on_answer_(std::move(on_answer)) {}
Deliveries::~Deliveries() = default;

std::string Deliveries::add(std::string body, Json const& how) {
  auto fresh = std::make_unique<Delivery>();
  Delivery& made = *fresh;
  made.id = "d" + std::to_string(++last_);
  made.body = std::move(body);
  made.how = how;
  Json const event = Json::parse(made.body, nullptr, false);
  made.event_id = text_or(part(event, "header"), "event_id");
  made.event_type = text_or(part(event, "header"), "event_type");
  made.message_id = text_or(part(part(event, "event"), "message"), "message_id");
  made.ladder = world_.options.redeliver;
  if (Json const ladder = at_path(how, "redeliver_ms"); ladder.is_array()) {
    made.ladder.clear();
    for (Json const& step : ladder) made.ladder.emplace_back(step.get<std::int64_t>());
  }
  (void)frames_of(made, {}, {});  // an option of another type throws now, not when somebody connects
  deliveries_.push_back(std::move(fresh));
  Millis const delay(number_or(how, "delay_ms", 0));
  if (delay.count() > 0) {
    made.timer = world_.clock.in(delay, [this, &made] { attempt(made); });
  } else {
    attempt(made);
  }
  return made.id;
}

void Deliveries::attempt(Delivery& delivery) {
  Json const which = at_path(delivery.how, "connection");
  std::vector<int> const targets = hub_->pick(which.is_null() ? Json("random") : which);
  delivery.timer = 0;
  delivery.waiting = targets.empty();
  delivery.status = targets.empty() ? "waiting for a connection" : "in flight";
  for (int const connection : targets) send(delivery, connection);
  world_.changed.notify();
}

void Deliveries::send(Delivery& delivery, int connection) {
  bool const first = delivery.attempts.empty();
  std::string const frame_id =
      first ? maybe_text(delivery.how, "frame_message_id").value_or(world_.hex(16)) : world_.hex(16);
  std::string const trace_id = maybe_text(delivery.how, "trace_id").value_or(world_.log_id());
  std::vector<Frame> const frames = frames_of(delivery, frame_id, trace_id);
  Attempt& made = delivery.attempts.emplace_back(Attempt{&delivery, delivery.attempts.size() + 1, connection, frame_id,
                                                         trace_id, frames.size(), world_.clock.now(), frames.back(), 0,
                                                         true, Json(), Json(), Json()});
  attempts_[frame_id] = &made;
  Millis const patience(number_or(delivery.how, "ack_timeout_ms", world_.options.ack_timeout.count()));
  if (patience.count() > 0 && flag_or(delivery.how, "expect_ack", true)) {
    made.timer = world_.clock.in(patience, [this, &made] { failed(made, "no ack in time"); });
  }
  write(delivery, made, frames);
}

std::vector<Frame> Deliveries::frames_of(Delivery const& delivery, std::string const& frame_id,
                                         std::string const& trace_id) {
  std::vector<std::size_t> const edges = cuts_of(delivery.how, delivery.body.size());
  std::uint64_t const log_id = world_.number();  // of 48 bits: the Node SDK cannot echo what is above 2^53
  std::vector<Frame> frames;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    Frame frame;
    frame.seq_id = ++sequence_;
    frame.log_id = log_id;
    frame.service = world_.options.service_id;
    frame.method = kData;
    frame.headers = {{"timestamp", std::to_string(world_.clock.now().count())},
                     {"type", text_or(delivery.how, "frame_type", "event")},
                     {"message_id", frame_id},
                     {"sum", std::to_string(edges.size() - 1)},
                     {"seq", std::to_string(i)},
                     {"trace_id", trace_id}};
    adorn(frame, delivery.how);
    frame.payload = delivery.body.substr(edges[i], std::max(edges[i], edges[i + 1]) - edges[i]);
    frames.push_back(std::move(frame));
  }
  return frames;
}

void Deliveries::write(Delivery& delivery, Attempt& attempt, std::vector<Frame> const& frames) {
  Json const& how = delivery.how;
  std::vector<std::size_t> order(frames.size());
  std::iota(order.begin(), order.end(), 0);
  if (Json const wanted = at_path(how, "fragment_order"); wanted.is_array()) {
    order = wanted.get<std::vector<std::size_t>>();
  }
  // What is lost is lost once: sent again, the event is whole.
  Json const dropped = attempt.number == 1 ? at_path(how, "drop_fragments") : Json();
  Json const doubled = at_path(how, "duplicate_fragments");
  Millis const gap(number_or(how, "fragment_gap_ms", 0));
  Millis const copy_gap(number_or(how, "copies_gap_ms", 0));
  Millis at(0);
  for (std::int64_t copy = 0; copy < number_or(how, "copies", 1); ++copy) {
    if (copy > 0) at += copy_gap;
    bool first = true;
    for (std::size_t const i : order) {
      if (i >= frames.size() || has(dropped, i)) continue;
      if (!first) at += gap;
      first = false;
      for (int times = has(doubled, i) ? 2 : 1; times > 0; --times) {
        if (at.count() == 0) {
          write_one(attempt.frame_id, attempt.connection, frames[i]);
          continue;
        }
        auto later = [this, id = attempt.frame_id, connection = attempt.connection, frame = frames[i]] {
          write_one(id, connection, frame);
        };
        world_.clock.in(at, std::move(later));
      }
    }
  }
}

void Deliveries::write_one(std::string const& frame_id, int connection, Frame const& frame) {
  hub_->send(connection, encode(frame));
  if (Attempt* const known = find(frame_id)) known->last = frame;
}

Deliveries::Attempt* Deliveries::find(std::string const& frame_id) {
  auto const at = attempts_.find(frame_id);
  return at == attempts_.end() ? nullptr : at->second;
}

void Deliveries::on_open() {
  for (auto const& delivery : deliveries_) {
    if (delivery->waiting) attempt(*delivery);
  }
}

// What was in flight on a lost connection can no longer be acknowledged.
void Deliveries::on_lost(int connection) {
  for (auto const& delivery : deliveries_) {
    for (Attempt& attempt : delivery->attempts) {
      if (attempt.connection == connection && attempt.awaited) failed(attempt, "connection lost");
    }
  }
}

void Deliveries::on_ack(int connection, Frame const& frame, std::string const& bytes) {
  std::string const frame_id = frame.header("message_id").value_or("");
  Json record{{"at", world_.clock.now().count()},
              {"conn", connection},
              {"frame_message_id", frame_id},
              {"biz_rt", frame.header("biz_rt") ? Json(*frame.header("biz_rt")) : Json()},
              {"hex", to_hex(bytes)},
              {"frame", to_json(frame)}};
  Json const judgement = judged(frame, frame_id);
  record.update(judgement);
  Attempt* const attempt = find(frame_id);
  if (attempt == nullptr) {
    world_.violate("ack_for_unknown_message", {{"mid", frame_id}});
    return world_.record(world_.acks, std::move(record));
  }
  Delivery& delivery = *attempt->owner;
  Millis const took = world_.clock.now() - attempt->sent;
  std::int64_t const code = number_or(judgement, "code", 0);
  Json const ack{{"at", world_.clock.now().count()}, {"code", code}, {"latency_ms", took.count()}};
  record["delivery"] = delivery.id;
  record["event_id"] = delivery.event_id;
  record["latency_ms"] = took.count();
  record["attempt"] = attempt->number;
  compare(attempt->last, frame, frame_id);
  if (!frame.header("biz_rt") && code == 200) world_.violate("ack_without_biz_rt", {{"mid", frame_id}});
  if (!attempt->awaited) {
    record["late"] = true;
    attempt->late_ack = ack;
    return world_.record(world_.acks, std::move(record));
  }
  attempt->awaited = false;
  attempt->ack = ack;
  world_.clock.forget(attempt->timer);
  world_.record(world_.acks, std::move(record));
  if (code == 200) {
    settle(delivery, "acked");
    on_answer_(delivery.id, at_path(judgement, "data"));
  } else {
    retry(delivery, "nack " + std::to_string(code));
  }
}

// What an acknowledgement says, and what is wrong with the way it says it.
Json Deliveries::judged(Frame const& frame, std::string const& frame_id) {
  Json const body = Json::parse(frame.payload.value_or(""), nullptr, false);
  if (!body.is_object()) {
    world_.violate("ack_payload_not_json", {{"mid", frame_id}});
    return Json::object();
  }
  Json found{{"body", body}};
  Json const code = at_path(body, "code");
  if (!code.is_number_integer()) {
    world_.violate("ack_code_not_number", {{"mid", frame_id}});
  } else {
    found["code"] = code;
  }
  Json const data = at_path(body, "data");
  if (data.is_null() || data == "") return found;
  if (!data.is_string()) {
    world_.violate("ack_data_not_string", {{"mid", frame_id}});
    return found;
  }
  std::optional<std::string> const text = from_base64(data.get<std::string>());
  if (!text) {
    world_.violate("ack_data_not_base64", {{"mid", frame_id}});
    return found;
  }
  found["data_text"] = *text;
  Json parsed = Json::parse(*text, nullptr, false);
  if (!parsed.is_discarded()) found["data"] = std::move(parsed);
  return found;
}

void Deliveries::compare(Frame const& sent, Frame const& ack, std::string const& frame_id) {
  if (ack.seq_id != sent.seq_id || ack.log_id != sent.log_id) {
    world_.violate("ack_changed_ids", {{"mid", frame_id},
                                       {"sent", {std::to_string(sent.seq_id), std::to_string(sent.log_id)}},
                                       {"got", {std::to_string(ack.seq_id), std::to_string(ack.log_id)}}});
  }
  if (ack.service != sent.service) {
    world_.violate("ack_changed_service", {{"mid", frame_id}, {"sent", sent.service}, {"got", ack.service}});
  }
  for (auto const& [key, value] : sent.headers) {
    if (key != "seq" && ack.header(key) != value)
      world_.violate("ack_dropped_header", {{"mid", frame_id}, {"key", key}});
  }
}

void Deliveries::failed(Attempt& attempt, std::string const& why) {
  if (!attempt.awaited) return;
  attempt.awaited = false;
  attempt.why = why;
  world_.clock.forget(attempt.timer);
  if (!attempt.owner->settled) retry(*attempt.owner, why);
}

// Each attempt counts from the one before it.
void Deliveries::retry(Delivery& delivery, std::string const& why) {
  if (!flag_or(delivery.how, "expect_ack", true)) return settle(delivery, "unacked (" + why + ")");
  std::size_t const step = delivery.attempts.size() - 1;
  if (step >= delivery.ladder.size()) return settle(delivery, "given up");
  delivery.status = "retry in " + std::to_string(delivery.ladder[step].count()) + " ms (" + why + ")";
  Millis const due = delivery.attempts.back().sent + delivery.ladder[step];
  world_.clock.forget(delivery.timer);
  delivery.timer =
      world_.clock.in(std::max(Millis(0), due - world_.clock.now()), [this, &delivery] { attempt(delivery); });
  world_.changed.notify();
}

void Deliveries::settle(Delivery& delivery, std::string const& status) {
  world_.clock.forget(delivery.timer);
  delivery.settled = true;
  delivery.status = status;
  world_.changed.notify();
}

Json Deliveries::list(bool only_settled) const {
  Json list = Json::array();
  for (auto const& delivery : deliveries_) {
    if (only_settled && !delivery->settled) continue;
    Json attempts = Json::array();
    for (Attempt const& a : delivery->attempts) {
      attempts.push_back({{"n", a.number},
                          {"conn", a.connection},
                          {"frame_message_id", a.frame_id},
                          {"trace_id", a.trace_id},
                          {"fragments", a.fragments},
                          {"sent_at", a.sent.count()},
                          {"ack", a.ack},
                          {"late_ack", a.late_ack},
                          {"failed", a.why}});
    }
    list.push_back({{"id", delivery->id},
                    {"event_id", delivery->event_id},
                    {"event_type", delivery->event_type},
                    {"message_id", delivery->message_id},
                    {"status", delivery->status},
                    {"attempts", std::move(attempts)}});
  }
  return list;
}

std::string Deliveries::status(std::string const& delivery) const {
  for (auto const& known : deliveries_) {
    if (known->id == delivery) return known->status;
  }
  return {};
}

void Deliveries::reset() {
  for (auto const& delivery : deliveries_) {
    world_.clock.forget(delivery->timer);
    for (Attempt const& attempt : delivery->attempts) world_.clock.forget(attempt.timer);
  }
  attempts_.clear();
  deliveries_.clear();
}

}  // namespace kb::feishu_sim
