// Whether anything is sent that no page says, whatever kind of model is asked: questions about the pages of knowledge
// bases, over HTTP.
// model_bench [--questions N] [--kind NAME] [--show N] BUNDLE...
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "logging/service_log.hpp"
#include "tests/model/model_questions.hpp"

namespace {

using namespace kb;
namespace fs = std::filesystem;

/// A folder of this run alone.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("model_bench." + std::to_string(std::random_device()()));
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

kbrepo::SnapshotPtr open_book(fs::path const& bundle, fs::path const& into) {
  std::string const command = "git clone -q --bare '" + bundle.string() + "' '" + into.string() + "'";
  if (std::system(command.c_str()) != 0) return nullptr;
  config::Settings settings;
  settings.state_dir = into.string() + ".state";
  config::RepoSettings repo;
  repo.id = {"bench", bundle.stem().string()};
  repo.git = into;
  Result<kbrepo::SnapshotPtr> snapshot = kbrepo::open_snapshot(settings, repo);
  return snapshot ? *snapshot : nullptr;
}

void add(test::ModelQuestions::Tally& to, test::ModelQuestions::Tally const& more) {
  to.asked += more.asked;
  to.calls += more.calls;
  to.by_model += more.by_model;
  to.extractive += more.extractive;
  to.insufficient += more.insufficient;
  to.dropped += more.dropped;
  to.unsupported.insert(to.unsupported.end(), more.unsupported.begin(), more.unsupported.end());
}

void print(std::string_view name, test::ModelQuestions::Tally const& t) {
  std::printf("| %-18s | %6zu | %6zu | %6zu | %6zu | %6zu | %6zu | %3zu |\n", std::string(name).c_str(), t.asked,
              t.calls, t.by_model, t.extractive, t.insufficient, t.dropped, t.unsupported.size());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t questions = 10'000, shown = 0;
  std::string only;  // this kind alone
  std::vector<fs::path> bundles;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    auto const number = [&] { return i + 1 < argc ? std::strtoul(argv[++i], nullptr, 10) : 0; };
    if (word == "--questions") {
      questions = number();
    } else if (word == "--kind") {
      only = i + 1 < argc ? argv[++i] : "";
    } else if (word == "--show") {
      shown = number();
    } else {
      bundles.emplace_back(word);
    }
  }
  if (bundles.empty()) {
    std::fputs("usage: model_bench [--questions N] [--kind NAME] [--show N] BUNDLE...\n", stderr);
    return 2;
  }
  log::set_level(log::Level::error);
  Folder const dir;
  std::vector<test::ModelQuestions> askers;
  for (fs::path const& bundle : bundles) {
    kbrepo::SnapshotPtr book = open_book(bundle, dir.path / bundle.stem());
    if (!book) return 1;
    askers.emplace_back(std::move(book), 20260312 + askers.size());
  }
  std::printf(
      "| model | questions | calls | its words | extractive | none | dropped | unsupported |\n"
      "|---|---|---|---|---|---|---|---|\n");
  test::ModelQuestions::Tally all;
  std::size_t const parts = (only.empty() ? test::kAllKinds.size() : 1) * askers.size();
  for (std::size_t k = 0; k < test::kAllKinds.size(); ++k) {
    if (!only.empty() && only != test::kAllKinds[k].name) continue;
    test::ModelQuestions::Tally of_kind;
    for (std::size_t b = 0; b < askers.size(); ++b) {
      std::size_t const part = (only.empty() ? k : 0) * askers.size() + b;
      std::size_t const count = questions * (part + 1) / parts - questions * part / parts;
      add(of_kind, askers[b].ask(test::kAllKinds[k].kind, count));
    }
    print(test::kAllKinds[k].name, of_kind);
    add(all, of_kind);
  }
  print("all", all);
  for (std::size_t i = 0; i < shown && i < all.unsupported.size(); ++i)
    std::printf("--- %s\n", all.unsupported[i].c_str());
  return all.unsupported.empty() ? 0 : 1;
}
