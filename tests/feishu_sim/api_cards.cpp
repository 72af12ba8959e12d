// Cards after they were sent: by a callback's token, and as card entities.
#include <utility>

#include "tests/feishu_sim/answers.hpp"
#include "tests/feishu_sim/api.hpp"

namespace kb::feishu_sim {

Answer Api::delayed_card_update(Call const& call) {
  constexpr int kUses = 2;
  auto const token = world_.callback_tokens.find(text_or(call.body, "token"));
  if (token == world_.callback_tokens.end()) return refused(world_, {10002, "token is invalid or expired"});
  auto& [message_id, uses] = token->second;
  if (uses >= kUses) return refused(world_, {10002, "token has been used too many times"});
  if (auto no = apply_card(message_id, part(call.body, "card"), "callback token")) return refused(world_, *no);
  ++uses;
  Answer answer;
  answer.json = {{"code", 0}, {"msg", "ok"}};
  return answer;
}

Answer Api::cardkit_create(Call const& call) {
  std::string card_id;
  if (auto no = cards_.create(call.body, card_id)) return refused(world_, *no);
  return done({{"card_id", card_id}});
}

Answer Api::cardkit_update(Call const& call) {
  auto const no = cards_.replace(call.param("card_id"), call.body);
  return no ? refused(world_, *no) : done();
}

Answer Api::cardkit_settings(Call const& call) {
  auto const no = cards_.set(call.param("card_id"), call.body);
  return no ? refused(world_, *no) : done();
}

Answer Api::cardkit_content(Call const& call) {
  auto const no = cards_.stream(call.param("card_id"), call.param("element_id"), call.body);
  return no ? refused(world_, *no) : done();
}

}  // namespace kb::feishu_sim
