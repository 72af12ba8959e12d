#include "adapters/feishu/ladder.hpp"

#include <algorithm>
#include <utility>

#include "adapters/feishu/digest.hpp"

namespace kb::feishu {
namespace {

constexpr std::string_view kNeutral = "neutral", kToChat = "@chat";
constexpr std::string_view kMessageId = "om_";  ///< what a reply can refer to

std::string form_word(Step const& step) { return std::string(step.neutral ? kNeutral : to_string(step.form)); }

/// The lower of two steps, in form and in way.
Step lower_of(Step a, Step const& b) {
  a.form = std::max(a.form, b.form);
  a.neutral = a.neutral || b.neutral;
  a.to_chat = a.to_chat || b.to_chat;
  return a;
}

}  // namespace

std::string to_string(Step const& step) { return form_word(step) + std::string(step.to_chat ? kToChat : ""); }

std::optional<Step> parse_step(std::string_view word) noexcept {
  Step step;
  if (word.ends_with(kToChat)) {
    step.to_chat = true;
    word.remove_suffix(kToChat.size());
  }
  if (word == kNeutral) {
    step.neutral = true;
    step.form = Form::text;
    return step;
  }
  for (Form const form : {Form::card, Form::post, Form::text}) {
    if (word != to_string(form)) continue;
    step.form = form;
    return step;
  }
  return std::nullopt;
}

std::string_view neutral_sentence() noexcept {
  return "这条回答没有通过平台的内容检查，不能在这里显示。请换个问法，或联系管理员。";
}

std::string uuid_of(std::string_view reply_key, int part, Step const& step) {
  return digest({"part of a reply", reply_key, std::to_string(part), to_string(step)});
}

Ladder::Ladder(adapters::Reply reply, std::vector<adapters::Sending> tried)
    : reply_(std::move(reply)), tried_(std::move(tried)) {
  step_.to_chat = !reply_.to.message_id.starts_with(kMessageId);
  for (adapters::Sending const& one : tried_) {
    if (std::optional<Step> const step = parse_step(one.form)) step_ = lower_of(step_, *step);
  }
}

std::vector<Part> const& Ladder::parts() const {
  auto const [at, fresh] = rendered_.try_emplace(form_word(step_));
  if (!fresh) return at->second;
  if (step_.neutral) {
    adapters::Reply sentence;
    sentence.to = reply_.to;
    sentence.key = reply_.key;
    sentence.text = std::string(neutral_sentence());
    at->second = render(Form::text, sentence);
  } else {
    at->second = render(step_.form, reply_);
  }
  return at->second;
}

/// A part that went out in a higher form does not count: forms are cut at different places, and words said twice are
/// better than words lost.
bool Ladder::out(int number) const {
  return std::any_of(tried_.begin(), tried_.end(), [&](adapters::Sending const& one) {
    if (one.part != number || one.platform_id.empty()) return false;
    std::optional<Step> const step = parse_step(one.form);
    return step && step->form == step_.form && step->neutral == step_.neutral;
  });
}

std::optional<int> Ladder::next() const {
  int const count = static_cast<int>(parts().size());
  for (int number = 0; number < count; ++number) {
    if (!out(number)) return number;
  }
  return std::nullopt;
}

std::optional<TimePoint> Ladder::doubt(int number) const {
  std::string const form = to_string(step_);
  for (adapters::Sending const& one : tried_) {
    bool const this_one = one.part == number && one.form == form;
    if (this_one && one.platform_id.empty() && !one.refused) return one.first_try;
  }
  return std::nullopt;
}

bool Ladder::untouched() const {
  return std::all_of(tried_.begin(), tried_.end(),
                     [](adapters::Sending const& one) { return one.refused && one.platform_id.empty(); });
}

Part const& Ladder::part(int number) const { return parts().at(static_cast<std::size_t>(number)); }

void Ladder::note(adapters::Sending sending) {
  auto const same = [&](adapters::Sending const& one) { return one.part == sending.part && one.form == sending.form; };
  auto const known = std::find_if(tried_.begin(), tried_.end(), same);
  if (known != tried_.end()) {
    *known = std::move(sending);
  } else {
    tried_.push_back(std::move(sending));
  }
}

bool Ladder::lower_form() {
  if (step_.neutral || step_.form == Form::text) return false;
  step_.form = step_.form == Form::card ? Form::post : Form::text;
  return true;
}

bool Ladder::leave_question() {
  if (step_.to_chat || !reply_.to.thread.empty()) return false;
  step_.to_chat = true;
  return true;
}

bool Ladder::say_neutral() {
  if (step_.neutral) return false;
  step_.neutral = true;
  step_.form = Form::text;
  return true;
}

}  // namespace kb::feishu
