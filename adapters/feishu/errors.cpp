#include "adapters/feishu/errors.hpp"

#include <algorithm>
#include <array>

namespace kb::feishu {
namespace {

struct Known {
  long long code;
  Remedy remedy;
};

/// The platform's codes, in order. What we never send (card entities, streaming, edits) is here as well: an answer to a
/// call is looked up by its code alone.
constexpr std::array kKnown{
    Known{10003, Remedy::operator_needed},     // token: invalid parameter
    Known{10014, Remedy::operator_needed},     // token: wrong secret
    Known{11232, Remedy::wait},                // system under pressure
    Known{11310, Remedy::next_form},           // too many tables or elements
    Known{41050, Remedy::drop},                // user outside the app's contact range
    Known{200220, Remedy::next_form},          // bad card
    Known{200621, Remedy::next_form},          // card is no JSON
    Known{200740, Remedy::next_form},          // no such card entity
    Known{200750, Remedy::next_form},          // card entity older than 14 days
    Known{200770, Remedy::done},               // uuid used
    Known{200810, Remedy::wait},               // card is being clicked
    Known{200850, Remedy::drop},               // streaming over
    Known{200860, Remedy::split},              // card too long
    Known{200861, Remedy::next_form},          // a member that JSON 2.0 has not
    Known{230001, Remedy::next_form},          // bad parameter: of ours, only the content varies
    Known{230002, Remedy::chat_gone},          // bot not in the chat
    Known{230006, Remedy::operator_needed},    // bot ability switched off
    Known{230011, Remedy::send_to_chat},       // question withdrawn
    Known{230013, Remedy::drop},               // user outside the app's availability
    Known{230015, Remedy::drop},               // external group
    Known{230017, Remedy::drop},               // not the owner
    Known{230018, Remedy::drop},               // group settings
    Known{230019, Remedy::drop},               // topic gone
    Known{230020, Remedy::wait},               // too fast for this chat
    Known{230022, Remedy::neutral_text},       // content check
    Known{230025, Remedy::split},              // too long
    Known{230027, Remedy::drop},               // no permission
    Known{230028, Remedy::neutral_text},       // data-loss check
    Known{230029, Remedy::drop},               // user left
    Known{230031, Remedy::send_to_chat},       // older than 14 days
    Known{230034, Remedy::drop},               // bad receive_id
    Known{230035, Remedy::drop},               // muted or blocked
    Known{230036, Remedy::drop},               // tenant policy
    Known{230038, Remedy::drop},               // other tenant
    Known{230049, Remedy::wait},               // message is being sent
    Known{230050, Remedy::drop},               // invisible to the bot
    Known{230053, Remedy::drop},               // user stopped the bot
    Known{230054, Remedy::next_form},          // type not supported
    Known{230055, Remedy::next_form},          // type not supported
    Known{230071, Remedy::send_to_chat},       // group cannot have thread replies
    Known{230075, Remedy::drop},               // encrypted chat
    Known{230099, Remedy::next_form},          // card refused; see too_long_inside
    Known{230101, Remedy::wait},               // trouble on the way
    Known{230110, Remedy::send_to_chat},       // question deleted
    Known{231001, Remedy::drop},               // unknown emoji
    Known{231003, Remedy::send_to_chat},       // question gone
    Known{231007, Remedy::drop},               // reaction of somebody else
    Known{231010, Remedy::drop},               // reaction of another message
    Known{231011, Remedy::done},               // reaction gone already
    Known{231015, Remedy::done},               // the same reaction call is running
    Known{232009, Remedy::chat_gone},          // group dissolved
    Known{300120, Remedy::wait},               // card service: internal
    Known{300122, Remedy::next_form},          // card settings refused
    Known{300301, Remedy::next_form},          // double element_id
    Known{300302, Remedy::next_form},          // update_multi false
    Known{300307, Remedy::next_form},          // empty card
    Known{300309, Remedy::drop},               // streaming is off
    Known{300310, Remedy::next_form},          // not a text element
    Known{300311, Remedy::drop},               // other app's card
    Known{300313, Remedy::next_form},          // no such element
    Known{300317, Remedy::drop},               // sequence did not grow: a newer change is there
    Known{99991400, Remedy::wait},             // too fast for this call
    Known{99991403, Remedy::quota},            // monthly quota
    Known{99991661, Remedy::new_token},        // no token
    Known{99991662, Remedy::operator_needed},  // app disabled
    Known{99991663, Remedy::new_token},        // token invalid or expired
    Known{99991664, Remedy::new_token},        // app token invalid
    Known{99991668, Remedy::new_token},        // user token invalid
    Known{99991671, Remedy::new_token},        // malformed token
    Known{99991672, Remedy::operator_needed},  // the app lacks a permission
    Known{99991673, Remedy::operator_needed},  // app not installed
    Known{99991677, Remedy::new_token},        // user token expired
    Known{99991679, Remedy::operator_needed},  // the user lacks a permission
    Known{99992354, Remedy::drop},             // not an om_ id: our bug
    Known{99992402, Remedy::drop},             // field validation: our bug
};
static_assert(std::is_sorted(kKnown.begin(), kKnown.end(), [](Known a, Known b) { return a.code < b.code; }));

/// A refused card names its inner fault as `ErrCode: 11310` in the message; one of them is about its size.
bool too_long_inside(std::string_view msg) noexcept {
  constexpr std::string_view kName = "ErrCode";
  auto const name = msg.find(kName);
  if (name == msg.npos) return false;
  msg.remove_prefix(name + kName.size());
  auto const digit = msg.find_first_not_of(":= ");
  return digit != msg.npos && msg.substr(digit).starts_with("200860");
}

Remedy by_status(int status) noexcept {
  constexpr int kTimeout = 408, kTooLarge = 413, kTooMany = 429;
  if (status == kTooLarge) return Remedy::split;
  if (status == kTimeout || status == kTooMany || status < 200 || status >= 500) return Remedy::wait;
  return Remedy::drop;
}

}  // namespace

std::string_view to_string(Remedy remedy) noexcept {
  switch (remedy) {
    case Remedy::none:
      return "none";
    case Remedy::wait:
      return "wait";
    case Remedy::new_token:
      return "new_token";
    case Remedy::next_form:
      return "next_form";
    case Remedy::split:
      return "split";
    case Remedy::send_to_chat:
      return "send_to_chat";
    case Remedy::neutral_text:
      return "neutral_text";
    case Remedy::drop:
      return "drop";
    case Remedy::chat_gone:
      return "chat_gone";
    case Remedy::quota:
      return "quota";
    case Remedy::operator_needed:
      return "operator_needed";
    case Remedy::done:
      return "done";
  }
  return "drop";
}

Remedy remedy_for(int http_status, long long code, std::string_view msg) noexcept {
  bool const success = http_status >= 200 && http_status < 300;
  if (code == 0 && success) return Remedy::none;
  auto const known =
      std::lower_bound(kKnown.begin(), kKnown.end(), code, [](Known const& one, long long c) { return one.code < c; });
  if (known != kKnown.end() && known->code == code) {
    return code == 230099 && too_long_inside(msg) ? Remedy::split : known->remedy;
  }
  if (code == -1 && success) return Remedy::wait;  // cut off on the way; the uuid keeps it from arriving twice
  return by_status(http_status);
}

}  // namespace kb::feishu
