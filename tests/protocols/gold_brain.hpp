/// Gold questions over a real brain (N-45): which of the themes that answer them brain_query cites.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "answer/protocols/brain.hpp"
#include "tests/support/temp_repo.hpp"

namespace kb::test {

struct GoldScore {
  std::size_t wanted = 0, found = 0, cited = 0, gaps = 0;
  std::vector<std::string> missed;  ///< question and path
  std::vector<double> micros;       ///< one a question
};

/// `folder` holds gold.jsonl, one object a line {question, scope, gold: [paths]}, and the brain below brain/.
inline GoldScore ask_gold_questions(std::filesystem::path const& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> pages;
  for (fs::directory_entry const& entry : fs::recursive_directory_iterator(folder / "brain")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    pages[fs::relative(entry.path(), folder).string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  TempRepo repo;
  repo.commit(pages);
  config::RepoSettings settings;
  settings.id = RepoId("gold", "brain");
  settings.git = repo.path();
  auto const snapshot = kbrepo::Snapshot::build(settings, *kbrepo::CommitId::parse(repo.head()), nullptr, {});
  if (!snapshot) throw std::runtime_error(snapshot.error().what);
  std::vector<protocols::Book> const books{{*snapshot, scope::operator_grant(settings.id, scope::Label::team)}};

  GoldScore out;
  std::ifstream in(folder / "gold.jsonl");
  for (std::string line; std::getline(in, line);) {
    auto const gold = nlohmann::json::parse(line);
    protocols::BrainQuery query;
    query.questions = {gold.at("question").get<std::string>()};
    query.scope = gold.at("scope").get<std::string>();
    auto const start = std::chrono::steady_clock::now();
    protocols::BrainAnswer const answer = protocols::query_brain(books, query).answers.at(0);
    out.micros.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    out.cited += answer.sources.size();
    out.gaps += answer.gap ? 1 : 0;
    for (auto const& wanted : gold.at("gold")) {
      std::string const path = wanted.get<std::string>();
      bool const there = std::find(answer.sources.begin(), answer.sources.end(), path) != answer.sources.end();
      ++out.wanted;
      out.found += there ? 1 : 0;
      if (!there) out.missed.push_back(answer.question + " (" + path + ")");
    }
  }
  return out;
}

}  // namespace kb::test
