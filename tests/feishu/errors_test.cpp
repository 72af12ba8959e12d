#include "adapters/feishu/errors.hpp"

#include <doctest/doctest.h>
#include <ostream>

namespace kb::feishu {
std::ostream& operator<<(std::ostream& out, Remedy remedy) { return out << to_string(remedy); }
}  // namespace kb::feishu

using namespace kb::feishu;

namespace {

struct Case {
  long long code;
  Remedy remedy;
  char const* why;
};

Case const kCodes[] = {
    {230020, Remedy::wait, "too fast for the chat"},
    {99991400, Remedy::wait, "too fast for the call"},
    {230049, Remedy::wait, "the message is being sent"},
    {11232, Remedy::wait, "system under pressure"},
    {230101, Remedy::wait, "trouble on the way"},
    {200810, Remedy::wait, "the card is being clicked"},
    {300120, Remedy::wait, "internal"},
    {99991661, Remedy::new_token, "no token"},
    {99991663, Remedy::new_token, "token invalid or expired"},
    {99991664, Remedy::new_token, "app token invalid"},
    {99991668, Remedy::new_token, "user token invalid"},
    {99991671, Remedy::new_token, "token malformed"},
    {99991677, Remedy::new_token, "user token expired"},
    {99991403, Remedy::quota, "the month is used up"},
    {230011, Remedy::send_to_chat, "question withdrawn"},
    {231003, Remedy::send_to_chat, "question gone"},
    {230110, Remedy::send_to_chat, "question deleted"},
    {230071, Remedy::send_to_chat, "no thread replies in this group"},
    {230031, Remedy::send_to_chat, "too old to be answered: a new message"},
    {230025, Remedy::split, "too long"},
    {200860, Remedy::split, "card too long"},
    {230099, Remedy::next_form, "card refused"},
    {11310, Remedy::next_form, "too many tables"},
    {200621, Remedy::next_form, "card is no JSON"},
    {200861, Remedy::next_form, "member not in 2.0"},
    {230001, Remedy::next_form, "bad parameter: only the content varies"},
    {230054, Remedy::next_form, "type not supported"},
    {230055, Remedy::next_form, "type not supported"},
    {300301, Remedy::next_form, "double element_id"},
    {300302, Remedy::next_form, "update_multi false"},
    {300307, Remedy::next_form, "empty card"},
    {300310, Remedy::next_form, "not a text element"},
    {300313, Remedy::next_form, "no such element"},
    {300122, Remedy::next_form, "card settings refused"},
    {200220, Remedy::next_form, "bad card"},
    {200740, Remedy::next_form, "no such card entity"},
    {200750, Remedy::next_form, "card entity too old"},
    {230022, Remedy::neutral_text, "content check"},
    {230028, Remedy::neutral_text, "data-loss check"},
    {230002, Remedy::chat_gone, "the bot is not in the chat"},
    {232009, Remedy::chat_gone, "group dissolved"},
    {230006, Remedy::operator_needed, "bot ability switched off"},
    {10003, Remedy::operator_needed, "token: invalid parameter"},
    {10014, Remedy::operator_needed, "token: wrong secret"},
    {99991672, Remedy::operator_needed, "the app lacks a permission"},
    {99991679, Remedy::operator_needed, "the user lacks a permission"},
    {99991662, Remedy::operator_needed, "app disabled"},
    {99991673, Remedy::operator_needed, "app not installed"},
    {200770, Remedy::done, "uuid used: it has arrived"},
    {231011, Remedy::done, "the reaction is gone already"},
    {231015, Remedy::done, "the same reaction call is running"},
    {230013, Remedy::drop, "user outside the app's availability"},
    {230015, Remedy::drop, "external group"},
    {230017, Remedy::drop, "not the owner"},
    {230018, Remedy::drop, "group settings"},
    {230019, Remedy::drop, "topic gone"},
    {230027, Remedy::drop, "no permission in the chat"},
    {230029, Remedy::drop, "user left"},
    {230034, Remedy::drop, "bad receive_id"},
    {230035, Remedy::drop, "muted or blocked"},
    {230036, Remedy::drop, "tenant policy"},
    {230038, Remedy::drop, "other tenant"},
    {230050, Remedy::drop, "invisible"},
    {230053, Remedy::drop, "the user stopped the bot"},
    {230075, Remedy::drop, "encrypted chat"},
    {231001, Remedy::drop, "unknown emoji"},
    {231007, Remedy::drop, "reaction of somebody else"},
    {231010, Remedy::drop, "reaction of another message"},
    {41050, Remedy::drop, "outside the contact range"},
    {99992354, Remedy::drop, "not a message id"},
    {99992402, Remedy::drop, "field validation"},
    {200850, Remedy::drop, "streaming over"},
    {300309, Remedy::drop, "streaming is off"},
    {300311, Remedy::drop, "another app's card"},
    {300317, Remedy::drop, "a newer change is there"},
};

}  // namespace

TEST_CASE("every known code has its remedy, whatever the HTTP status") {
  for (Case const& c : kCodes) {
    CAPTURE(c.code);
    CAPTURE(c.why);
    for (int const status : {200, 400, 401, 500}) CHECK(remedy_for(status, c.code, "") == c.remedy);
  }
}

TEST_CASE("without a known code the HTTP status decides") {
  struct {
    int status;
    long long code;
    Remedy remedy;
    char const* why;
  } const cases[] = {
      {200, 0, Remedy::none, "it worked"},
      {201, 0, Remedy::none, "it worked"},
      {0, -1, Remedy::wait, "no response"},
      {200, -1, Remedy::wait, "an envelope that could not be read: the same uuid again"},
      {200, 987654, Remedy::drop, "a refusal we do not know"},
      {400, 987654, Remedy::drop, "a refusal we do not know"},
      {404, -1, Remedy::drop, "no such call"},
      {400, 0, Remedy::drop, "delivered is never told by one of the two alone"},
      {408, -1, Remedy::wait, "time-out"},
      {413, -1, Remedy::split, "too large for the gateway"},
      {429, -1, Remedy::wait, "too fast"},
      {429, 987654, Remedy::wait, "too fast"},
      {429, 99991403, Remedy::quota, "waiting does not help against the month's end"},
      {500, -1, Remedy::wait, "trouble on the way"},
      {502, -1, Remedy::wait, "trouble on the way"},
      {503, 0, Remedy::wait, "trouble on the way"},
      {504, 987654, Remedy::wait, "trouble on the way"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.status);
    CAPTURE(c.code);
    CAPTURE(c.why);
    CHECK(remedy_for(c.status, c.code, "") == c.remedy);
  }
}

TEST_CASE("a refused card degrades, unless its inner fault is its length") {
  CHECK(remedy_for(400, 230099,
                   "Failed to create card content, ext=ErrCode: 11310; ErrMsg: card table number over limit") ==
        Remedy::next_form);
  CHECK(remedy_for(400, 230099, "ext=ErrCode: 200621; ErrMsg: parse card json err") == Remedy::next_form);
  CHECK(remedy_for(400, 230099, "ext=ErrCode: 200861; ErrMsg: unsupported tag action") == Remedy::next_form);
  CHECK(remedy_for(400, 230099, "ext=ErrCode: 200860; ErrMsg: card content over limit") == Remedy::split);
  CHECK(remedy_for(400, 230099, "ErrCode") == Remedy::next_form);
}
