// A model that knows the answers: of each question of a set it quotes the lines that hold the gold strings, and says
// nothing of the others. Prints its address and serves until its input ends.
// gold_model QUESTIONS.jsonl
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>

#include "tests/answer/independent_reader.hpp"
#include "tests/model/bad_model.hpp"

namespace {

using Json = kb::test::ModelServer::Json;
using Groups = std::vector<std::vector<std::string>>;  ///< one string of every group belongs to the answer

std::map<std::string, Groups> read_questions(char const* path) {
  std::map<std::string, Groups> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    Json const json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.value("answerable", false)) continue;
    out[kb::test::letters_and_digits(json.value("question", ""))] = json.value("answer_contains", Groups());
  }
  return out;
}

bool holds(std::string const& line, std::vector<std::string> const& group) {
  std::string const said = kb::test::letters_and_digits(line);
  return std::any_of(group.begin(), group.end(), [&](std::string const& gold) {
    return said.find(kb::test::letters_and_digits(gold)) != std::string::npos;
  });
}

std::string without_bullet(std::string const& line) {
  auto const begin = line.find_first_not_of(" \t");
  bool const bullet = begin != line.npos && begin + 1 < line.size() && line[begin + 1] == ' ' &&
                      std::string_view("-*+").find(line[begin]) != std::string_view::npos;
  return bullet ? line.substr(begin + 2) : line;
}

/// The first line of the passages that holds a string of the group.
Json claim_for(std::vector<std::string> const& group, Json const& passages) {
  for (Json const& passage : passages) {
    std::istringstream text(passage.value("text", ""));
    for (std::string line; std::getline(text, line);) {
      if (!holds(line, group)) continue;
      Json quote{{"id", passage.value("id", "")}, {"quote", line}};
      return {{"text", without_bullet(line)}, {"quotes", Json::array({quote})}};
    }
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: gold_model QUESTIONS.jsonl\n", stderr);
    return 2;
  }
  std::map<std::string, Groups> const known = read_questions(argv[1]);
  auto const speaks = [&known](Json const& user) {
    Json out{{"sentences", Json::array()}};
    auto const gold = known.find(kb::test::letters_and_digits(user.value("question", "")));
    if (gold == known.end()) return out.dump();
    for (std::vector<std::string> const& group : gold->second) {
      Json claim = claim_for(group, user["passages"]);
      if (!claim.is_null()) out["sentences"].push_back(std::move(claim));
    }
    return out.dump();
  };
  kb::test::ModelServer const server(kb::test::ModelKind::good, speaks);
  std::cout << server.url() << std::endl;
  for (std::string line; std::getline(std::cin, line);) continue;
  return 0;
}
