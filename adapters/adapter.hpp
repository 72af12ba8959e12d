/// The seam between a platform and the daemon: messages in, replies out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/aio/task.hpp"
#include "config/result.hpp"
#include "scope/message.hpp"

namespace kb::adapters {

/// What an adapter sends: never more than the validator passed.
struct Reply {
  scope::InboundMessage to;  ///< the message it answers
  std::string key;           ///< idempotency key, the same after any crash
  std::string query_id;      ///< empty: a reply to a command, or a fixed sentence
  std::string outcome;
  std::string text;          ///< sources block included
  std::string sources_json;  ///< the answer's sources array
  std::string details_json;  ///< {"confidence":"high","stale_files":[…]}; may be empty
};

/// What became of a message that was taken; it is durable by then, unless it is ignored.
struct Accepted {
  std::optional<Reply> reply;    ///< it has been answered before, or at once
  bool over = false;             ///< that reply has arrived, or was given up: who pushes replies does not send it again
  bool ignored = false;          ///< nobody will answer it
  std::string_view ignored_why;  ///< not_mentioned | stale | no_question
};

struct Vote {
  std::string query_id;
  UserId sender;
  std::string vote;  ///< up | down
  std::string kind;  ///< may be empty
};

/// One try to send one part of a reply in one form, written down before it is made.
struct Sending {
  std::string key;  ///< of the reply
  int part = 0;
  std::string form;         ///< the adapter's word: card | post | text …
  TimePoint first_try{};    ///< of this part in this form, since it was last refused
  std::string platform_id;  ///< the platform's id of the message; empty: not known to have arrived
  bool refused = false;     ///< it is known not to have arrived
  friend bool operator==(Sending const&, Sending const&) = default;
};

/// What an adapter that pushes its replies keeps across a crash. Each change is on disk when it returns. Loop thread
/// only.
class Store {
 public:
  virtual ~Store() = default;
  /// The first value given for a key holds it, for at least a week (`room/…`: for good): returns that one.
  virtual aio::Task<Result<std::string>> claim(std::string key, std::string value) = 0;
  /// Who holds the key; empty: nobody.
  virtual aio::Task<Result<std::string>> holder(std::string key) = 0;
  /// What was tried for this reply so far, in order of part and time.
  virtual aio::Task<Result<std::vector<Sending>>> sendings(std::string key) = 0;
  /// Writes the try down; an earlier one of the same part and form keeps its time, which is returned.
  virtual aio::Task<Result<Sending>> begin_sending(Sending sending) = 0;
  virtual aio::Task<Result<void>> sent(Sending sending) = 0;
  /// A definite no: nothing of this try can arrive later, so that the next one of the part in this form begins anew.
  virtual aio::Task<Result<void>> refused(Sending sending) = 0;
  /// All parts are out.
  virtual aio::Task<Result<void>> delivered(std::string key) = 0;
  /// It will not be sent (any more); `reason` in a few words, for the log and `doctor`.
  virtual aio::Task<Result<void>> give_up(std::string key, std::string reason) = 0;
};

}  // namespace kb::adapters
