#include "answer/model_draft.hpp"

#include <algorithm>
#include <utility>

#include "answer/extractive.hpp"
#include "answer/secrets.hpp"

namespace kb::answer {
namespace {

constexpr std::size_t kMostSaid = 6;

bool is_never_shown(std::string_view text) { return holds_invite_code(text) || holds_secret(text); }

}  // namespace

ModelDraft::ModelDraft(std::string question, Lang lang, std::vector<FormsPtr> pages,
                       std::vector<PromptPassage> passages)
    : question_(std::move(question)), lang_(lang), pages_(std::move(pages)), passages_(std::move(passages)) {
  if (passages_.empty()) return;
  check_ = std::make_unique<ClaimCheck>(pages_);
  prompt_ = make_prompt(question_, lang_, passages_, {});
}

void ModelDraft::take(std::string_view completion) {
  if (!prompt_) return;
  std::optional<std::vector<Claim>> const claims = read_completion(completion, passages_);
  std::vector<Refused> refused;
  if (claims) {
    for (Claim const& claim : *claims) judge(claim, refused);
  } else {
    refused.push_back({"", "the reply was no JSON object with sentences"});
    notes_.push_back({"", "unreadable", "none", "dropped", refused.back().reason, {}});
  }
  bool const again = !refused.empty() && !asked_again_;
  asked_again_ = true;
  prompt_.reset();
  if (again) prompt_ = make_prompt(question_, lang_, passages_, refused);
}

void ModelDraft::judge(Claim const& claim, std::vector<Refused>& refused) {
  ClaimVerdict verdict = check_->check(claim);
  bool const secret = is_secret(claim, verdict);
  bool const usable = (verdict.proven() || verdict.repaired()) && !secret;
  auto const same = [&](Said const& said) {
    return said.carriers == verdict.carriers && (said.text == claim.text || verdict.repaired() || said.text.empty());
  };
  bool const known = usable && std::any_of(said_.begin(), said_.end(), same);
  std::string_view const fate = !usable ? "dropped" : known ? "said before" : verdict.proven() ? "said" : "repaired";
  std::string const text = secret ? std::string() : claim.text;
  std::string const reason = secret ? "it holds a secret" : verdict.proven() ? std::string() : reason_of(verdict);
  notes_.push_back({text, std::string(to_string(verdict.verdict)), std::string(to_string(verdict.guard)),
                    std::string(fate), reason, secret ? std::vector<NotedQuote>() : quotes_of(claim, verdict)});
  if (!usable) refused.push_back({text, reason});
  if (!usable || known || said_.size() == kMostSaid) return;
  bool const own_words = verdict.proven();
  said_.push_back(
      {own_words ? claim.text : std::string(), verdict.verdict == Verdict::verbatim, std::move(verdict.carriers)});
}

std::vector<NotedQuote> ModelDraft::quotes_of(Claim const& claim, ClaimVerdict const& verdict) const {
  std::vector<NotedQuote> out;
  if (verdict.proven() || verdict.repaired()) {
    for (Carrier const& c : verdict.carriers) {
      std::string_view const text = pages_[c.page]->page().text;
      out.push_back({c.page, {}, pages_[c.page]->page().path, std::string(text.substr(c.begin, c.end - c.begin))});
    }
    return out;
  }
  for (ClaimedQuote const& quote : claim.quotes) {
    if (quote.page) out.push_back({*quote.page, {}, pages_[*quote.page]->page().path, plain_line(quote.text)});
  }
  return out;
}

bool ModelDraft::is_secret(Claim const& claim, ClaimVerdict const& verdict) const {
  return is_never_shown(claim.text) ||
         std::any_of(verdict.carriers.begin(), verdict.carriers.end(), [&](Carrier const& c) {
           return is_never_shown(std::string_view(pages_[c.page]->page().text).substr(c.begin, c.end - c.begin));
         });
}

std::string text_for_model(kbrepo::Page const& page, kbrepo::Passage const& passage) {
  std::string out = page.heading_path(passage.section);
  std::string_view const text = page.text;
  std::uint32_t context = kbrepo::kNone;
  for (std::uint32_t b = passage.first_block; b <= passage.last_block; ++b) {
    kbrepo::Block const& block = page.blocks[b];
    std::uint32_t const begin = std::max(block.begin, passage.begin);
    std::uint32_t const end = std::min(block.end, passage.end);
    if (begin >= end) continue;
    if (block.kind == kbrepo::BlockKind::table_row && block.context_begin != kbrepo::kNone &&
        block.context_begin != context) {
      context = block.context_begin;
      std::string_view const header = text.substr(context, block.context_end - context);
      if (!is_never_shown(header)) out.append(out.empty() ? "" : "\n").append(header);
    }
    std::string_view const bytes = text.substr(begin, end - begin);
    if (!is_never_shown(bytes)) out.append(out.empty() ? "" : "\n").append(bytes);
  }
  return out;
}

}  // namespace kb::answer
