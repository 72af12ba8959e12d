#include "tests/feishu_sim/content.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

namespace kb::feishu_sim {
namespace {

bool web_link(std::string_view url) { return url.starts_with("http://") || url.starts_with("https://"); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::string_view const line = text.substr(0, text.find('\n'));
    lines.push_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

std::string_view trimmed(std::string_view line) {
  auto const from = line.find_first_not_of(" \t\r");
  if (from == line.npos) return {};
  return line.substr(from, line.find_last_not_of(" \t\r") - from + 1);
}

/// "| --- | :-: |": the line under a table's head.
bool rule_of_table(std::string_view line) {
  return line.find('|') != line.npos && line.find("--") != line.npos && line.find_first_not_of("|:- \t\r") == line.npos;
}

std::optional<Refusal> check_paragraph(Json const& paragraph) {
  if (!paragraph.is_array()) return bad_parameter("invalid post paragraph");
  for (Json const& element : paragraph) {
    std::string const tag = text_or(element, "tag");
    if (tag.empty()) return bad_parameter("invalid post element");
    if (tag == "a" && !web_link(text_or(element, "href"))) return bad_parameter("invalid href");
    if (tag == "md" && paragraph.size() != 1) return bad_parameter("md must be alone in its paragraph");
  }
  return std::nullopt;
}

bool good_element_id(std::string const& id) {
  auto const letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto const good = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !id.empty() && id.size() <= 20 && letter(id.front()) && std::all_of(id.begin(), id.end(), good);
}

// What schema 2.0 no longer knows, and members of the top that it never had.
std::optional<Refusal> check_v2_top(Json const& card) {
  static constexpr std::array<std::string_view, 6> kKnown{"schema", "config", "card_link",
                                                          "header", "body",   "i18n_body"};
  for (auto const& [name, value] : card.items()) {
    if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) {
      return bad_card(200861, "cards of schema V2 no longer support this capability", "unsupported member " + name);
    }
  }
  Json const multi = at_path(card, "config.update_multi");
  if (multi == false) return bad_card(200860, "cards of schema V2 only support update_multi=true", "update_multi");
  if (!at_path(card, "body.elements").is_array()) return bad_card(200621, "parse card json err", "body.elements");
  return std::nullopt;
}

std::optional<Refusal> check_button(Json const& button) {
  Json const behaviors = at_path(button, "behaviors");
  if (button.contains("behaviors") && !behaviors.is_array()) {
    return bad_card(200621, "parse card json err", "behaviors");
  }
  for (Json const& behavior : behaviors) {
    std::string const type = text_or(behavior, "type");
    if (type == "open_url" && !web_link(text_or(behavior, "default_url"))) {
      return bad_card(200621, "parse card json err", "default_url");
    }
    if (type == "callback" && !behavior.contains("value")) return bad_card(200621, "parse card json err", "value");
  }
  return std::nullopt;
}

struct Census {
  bool v2 = false;
  std::size_t tables = 0, elements = 0;
  std::set<std::string> ids;
  std::optional<Refusal> fault;

  bool operator()(Json const& node) {
    std::string const tag = text_or(node, "tag");
    if (!tag.empty()) ++elements;
    if (v2 && (tag == "action" || tag == "note")) {
      fault = bad_card(200861, "cards of schema V2 no longer support this capability", "unsupported tag " + tag);
    }
    if (v2 && tag == "button") {
      if (auto no = check_button(node)) fault = no;
    }
    if (Json const id = at_path(node, "element_id"); v2 && id.is_string()) {
      if (!good_element_id(id.get<std::string>()))
        fault = bad_card(200621, "invalid element_id", id.get<std::string>());
      if (!ids.insert(id.get<std::string>()).second) {
        fault = bad_card(kDoubleId, "Duplicate element_id in card component", id.get<std::string>());
      }
    }
    if (tag == "table") ++tables;
    if (tag == "markdown") tables += count_tables(text_or(node, "content"));
    return !fault;
  }
};

}  // namespace

Refusal bad_parameter(std::string const& what) {
  return {230001, "Your request contains an invalid request parameter, ext=" + what + "."};
}

Refusal bad_field(std::string const& field, std::string const& why) {
  Json error{{"field_violations", {{{"field", field}, {"description", why}}}}};
  return {99992402, "field validation failed", std::move(error)};
}

Refusal bad_card(int inner, std::string const& what, std::string const& value) {
  Refusal refusal{230099, "Failed to create card content, ext=ErrCode: " + std::to_string(inner) + "; ErrMsg: " + what +
                              "; ErrorValue: " + value + "; "};
  refusal.inner = inner;
  return refusal;
}

std::size_t count_tables(std::string_view markdown) {
  std::size_t tables = 0;
  bool in_code = false;
  std::string_view before;
  for (std::string_view const raw : lines_of(markdown)) {
    std::string_view const line = trimmed(raw);
    if (line.starts_with("```") || line.starts_with("~~~")) in_code = !in_code;
    if (!in_code && rule_of_table(line) && before.find('|') != before.npos) ++tables;
    before = line;
  }
  return tables;
}

std::optional<Refusal> check_post(Json const& post) {
  std::size_t locales = 0;
  if (!post.is_object()) return bad_parameter("invalid post content");
  for (auto const& [name, locale] : post.items()) {
    Json const content = at_path(locale, "content");
    if (!content.is_array()) continue;
    ++locales;
    for (Json const& paragraph : content) {
      if (auto no = check_paragraph(paragraph)) return no;
    }
  }
  if (locales == 0) return bad_parameter("invalid post content");
  return std::nullopt;
}

std::optional<Refusal> check_card(Json const& card, CardLimits limits) {
  if (!card.is_object()) return bad_card(200621, "parse card json err", "");
  Census census;
  census.v2 = text_or(card, "schema") == "2.0";
  if (census.v2) {
    if (auto no = check_v2_top(card)) return no;
  } else if (!at_path(card, "elements").is_array() && !at_path(card, "i18n_elements").is_object()) {
    return bad_card(200621, "parse card json err", "elements");
  }
  Json elements = census.v2 ? at_path(card, "body.elements") : at_path(card, "elements");
  each_object(elements, [&census](Json& node) { return census(node); });
  if (census.fault) return census.fault;
  if (census.tables > limits.tables) return bad_card(11310, "card table number over limit", "table");
  if (census.v2 && census.elements > limits.elements) return bad_card(11310, "element exceeds the limit", "element");
  return std::nullopt;
}

bool shared_card(Json const& card) {
  std::string const type = text_or(card, "type");
  return text_or(card, "schema") == "2.0" || at_path(card, "config.update_multi") == true || type == "card" ||
         type == "template";
}

}  // namespace kb::feishu_sim
