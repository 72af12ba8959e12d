#include "adapters/feishu/render.hpp"

#include <nlohmann/json.hpp>

#include "adapters/feishu/escape.hpp"
#include "adapters/feishu/forms.hpp"

namespace kb::feishu {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json toast(std::string_view type, std::string_view text) { return {{"type", type}, {"content", text}}; }

}  // namespace

std::string_view to_string(Form form) noexcept {
  switch (form) {
    case Form::card:
      return "card";
    case Form::post:
      return "post";
    case Form::text:
      return "text";
  }
  return "text";
}

std::vector<Part> render(Form form, adapters::Reply const& reply, Votes const& votes) {
  std::string_view type = "interactive";
  std::vector<std::string> contents;
  if (form == Form::text) {
    type = "text";
    contents = text_contents(clean_text(reply.text));
  } else {
    ReplyView const view = view_of(reply, votes);
    if (form == Form::post) type = "post";
    contents = form == Form::post ? post_contents(view) : card_contents(view);
  }
  std::vector<Part> out;
  for (std::string& content : contents) out.push_back({.msg_type = std::string(type), .content = std::move(content)});
  return out;
}

std::string vote_answer(adapters::Reply const& reply, Votes const& votes) {
  ReplyView const view = view_of(reply, votes);
  Json out;
  out["toast"] = toast("success", recorded_text(view.lang, votes.mine));
  // The buttons stand on the last card, so that is the one that was clicked.
  out["card"] = {{"type", "raw"}, {"data", Json::parse(card_contents(view).back())}};
  return dump(out);
}

std::string toast_answer(std::string_view type, std::string_view text) {
  Json out;
  out["toast"] = toast(type, text);
  return dump(out);
}

std::string greeting_text() {
  return "大家好，我只根据团队知识库回答问题，并给出来源；知识库里没有的，我会直说。\n"
         "使用前请团队管理员在本群 @我 发送：/bind 团队名\n"
         "之后 @我 提问即可；/help 查看说明。";
}

}  // namespace kb::feishu
