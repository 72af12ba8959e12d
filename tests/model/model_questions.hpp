/// Questions about the pages of a knowledge base, asked with every kind of model over HTTP; what would be sent is read
/// by a reader that shares no code with the checks.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "daemon/model_ask.hpp"
#include "kbrepo/snapshot.hpp"
#include "tests/answer/independent_reader.hpp"
#include "tests/model/bad_model.hpp"

namespace kb::test {

struct KindName {
  ModelKind kind;
  std::string_view name;
};
inline constexpr std::array kAllKinds{KindName{ModelKind::good, "good"},
                                      KindName{ModelKind::fenced, "fenced"},
                                      KindName{ModelKind::thinking, "thinking"},
                                      KindName{ModelKind::reasoning, "reasoning"},
                                      KindName{ModelKind::no_format, "no response_format"},
                                      KindName{ModelKind::no_stream, "no stream"},
                                      KindName{ModelKind::ungrounded, "ungrounded"},
                                      KindName{ModelKind::half_grounded, "half grounded"},
                                      KindName{ModelKind::negating, "negating"},
                                      KindName{ModelKind::stitching, "stitching"},
                                      KindName{ModelKind::misattributing, "misattributing"},
                                      KindName{ModelKind::joining, "joining"},
                                      KindName{ModelKind::malformed, "malformed"},
                                      KindName{ModelKind::role_confused, "role confused"},
                                      KindName{ModelKind::cut, "cut"},
                                      KindName{ModelKind::failing, "failing"},
                                      KindName{ModelKind::endless, "endless"},
                                      KindName{ModelKind::slow, "slow"},
                                      KindName{ModelKind::too_many, "429"},
                                      KindName{ModelKind::broken, "500"},
                                      KindName{ModelKind::empty, "empty"}};

class ModelQuestions {
 public:
  /// What came of the questions to one kind.
  struct Tally {
    std::size_t asked = 0;
    std::size_t calls = 0;                 ///< that reached the model
    std::size_t by_model = 0;              ///< answered with its sentences
    std::size_t extractive = 0;            ///< answered without
    std::size_t insufficient = 0;          ///< and no answer
    std::size_t dropped = 0;               ///< sentences of the model that were not sent
    std::vector<std::string> unsupported;  ///< lines that were to be sent, with their question
  };

  ModelQuestions(kbrepo::SnapshotPtr book, std::uint64_t seed) : book_(std::move(book)), random_(seed) {
    config::User user;
    user.id = UserId("ou_asker");
    user.teams = {TeamId("team")};
    config::Team team;
    team.id = TeamId("team");
    team.kb = book_->repo();
    team.members = {user.id};
    books_.directory.users[user.id] = user;
    books_.directory.teams[team.id] = team;
    snapshots_ = std::make_shared<kbrepo::Snapshots const>(kbrepo::Snapshots{{book_->repo(), book_}});
    for (kbrepo::PageInfo const& info : book_->pages(grant_)) {
      auto page = book_->read(grant_, info.path);
      if (page && (*page)->kind == kbrepo::PageKind::evidence && !(*page)->blocks.empty())
        pages_.push_back(std::move(*page));
    }
  }

  /// Asks `count` questions of one kind of model.
  Tally ask(ModelKind kind, std::size_t count) {
    ModelServer server(kind);
    config::Books books = books_;
    books.settings.answer.model = settings_for(server, kind);
    daemon::World const world{
        .books = std::make_shared<config::Books const>(std::move(books)), .snapshots = snapshots_, .forms = forms_};
    SystemClock const clock;
    Tally tally;
    for (std::size_t i = 0; i < count; ++i) {
      scope::ScopeRequest request;
      request.sender = UserId("ou_asker");
      request.forced = scope::Scope::team;
      request.question = question();
      read(daemon::ask_now("q", request, world, clock), tally);
    }
    tally.calls = static_cast<std::size_t>(server.calls());
    return tally;
  }

 private:
  static config::ModelSettings settings_for(ModelServer const& server, ModelKind kind) {
    config::ModelSettings out;
    out.base_url = server.url();
    out.name = "test";
    out.call_limit = std::chrono::milliseconds(kind == ModelKind::slow ? 100 : 20'000);
    out.retries = kind == ModelKind::no_format ? 1 : 0;
    return out;
  }

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  /// The words of a block or heading of some page, asked about.
  std::string question() {
    kbrepo::Page const& page = *pages_[below(pages_.size())];
    kbrepo::Block const& block = page.blocks[below(page.blocks.size())];
    std::string words = without_targets(page.bytes(block));
    std::size_t const most = 12 + below(60);
    std::size_t end = std::min(words.size(), most);
    while (end < words.size() && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80) ++end;
    words.resize(end);
    for (char& c : words) c = c == '\n' || c == '|' || c == '`' || c == '*' || c == '#' ? ' ' : c;
    bool const latin =
        letters_and_digits(words).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string::npos;
    std::string const about =
        page.sections[block.section].heading.empty() ? page.title : page.sections[block.section].heading;
    switch (below(4)) {
      case 0:
        return latin ? "What is " + about + "?" : about + " 是什么？";
      case 1:
        return latin ? "What about " + words + "?" : words + "，是这样吗？";
      case 2:
        return latin ? page.title + ": " + words + "?" : page.title + "：" + words + "？";
      default:
        return words;
    }
  }

  void read(answer::Answer const& answer, Tally& tally) const {
    ++tally.asked;
    bool const answered = answer.outcome == answer::Outcome::answered;
    tally.by_model += answered && answer.drafter == "model" ? 1u : 0u;
    tally.extractive += answered && answer.drafter != "model" ? 1u : 0u;
    tally.insufficient += answered ? 0u : 1u;
    for (answer::ClaimNote const& note : answer.claims) tally.dropped += note.fate == "dropped" ? 1u : 0u;
    std::vector<std::string> texts;
    for (answer::Source const& source : answer.sources) {
      auto const page = book_->read(grant_, source.path);
      if (page) texts.push_back((*page)->text);
    }
    for (std::string const& line : unsupported_lines(answer.text, texts))
      tally.unsupported.push_back(answer.question + "\n    " + line);
  }

  kbrepo::SnapshotPtr book_;
  scope::ReadGrant grant_ = scope::operator_grant(book_->repo(), scope::Label::team);
  std::mt19937_64 random_;
  config::Books books_;
  std::shared_ptr<kbrepo::Snapshots const> snapshots_;
  std::shared_ptr<answer::KeptForms> forms_ = std::make_shared<answer::KeptForms>();
  std::vector<std::shared_ptr<kbrepo::Page const>> pages_;
};

}  // namespace kb::test
