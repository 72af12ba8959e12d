// bind, unbind, bindings: the operator's way to do in one step what admins do in chat in two.
#include "config/atomic_file.hpp"
#include "config/bindings.hpp"
#include "daemon/binding_files.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {
namespace {

int apply(config::Settings const& settings, config::BindingStep<config::BindingChange> const& step, Io io) {
  if (auto const* refusal = std::get_if<config::BindingRefusal>(&step))
    return fail(io, refusal->code, refusal->text, kScopeDenied);
  auto const& change = std::get<config::BindingChange>(step);
  Result<void> const saved = store(BindingFiles(settings), change);
  if (!saved && saved.error().code == Errc::denied)
    return fail(io, "bound_elsewhere", saved.error().what, kScopeDenied);
  if (!saved) return fail(io, saved.error());
  print(io.out, {{"success", true}, {"binding", binding_json(change.binding)}});
  return kDone;
}

}  // namespace

int bind_verb(std::string const& config, std::string const& chat_id, std::string const& team_id,
              std::string const& actor, Io io) {
  std::optional<config::Books> const books = open_books(config, io);
  if (!books) return kConfiguration;
  return apply(books->settings,
               config::bind_now(books->directory, ChatId(chat_id), team_id, UserId(actor), SystemClock().now()), io);
}

int unbind_verb(std::string const& config, std::string const& chat_id, std::string const& actor, Io io) {
  std::optional<config::Books> const books = open_books(config, io);
  if (!books) return kConfiguration;
  return apply(books->settings,
               config::unbind_now(books->directory, ChatId(chat_id), UserId(actor), SystemClock().now()), io);
}

int bindings_verb(std::string const& config, bool history, Io io) {
  std::optional<config::Books> const books = open_books(config, io);
  if (!books) return kConfiguration;
  Json bindings = Json::array();
  for (config::Binding const* binding : books->directory.bindings.in_order()) {
    bindings.push_back(binding_json(*binding));
  }
  Json events = Json::array();
  if (history) {
    Result<std::vector<config::BindingEvent>> const stored = config::load_events(BindingFiles(books->settings).events);
    if (!stored) return fail(io, stored.error());
    for (config::BindingEvent const& e : *stored) {
      events.push_back({{"event", e.event},
                        {"chat_id", e.chat.str()},
                        {"team_id", e.team.str()},
                        {"actor", e.actor.str()},
                        {"confirm_code", e.code},
                        {"created_at", e.created_at}});
    }
  }
  print(io.out, {{"success", true}, {"bindings", std::move(bindings)}, {"events", std::move(events)}});
  return kDone;
}

}  // namespace kb::daemon
