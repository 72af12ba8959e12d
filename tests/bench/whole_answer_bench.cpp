/// Processor time of one whole extractive answer, from question to checked text: whole_answer_bench DATA [PAGES...].
/// DATA holds kb/*.bundle and eval/questions/*.jsonl. One repository of that many pages (2000, 20000, 60000): those of
/// the bundles, then pages put together from their paragraphs. Each question is asked of a fresh snapshot first, when
/// no page has been read yet, then again and again.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "answer/respond.hpp"
#include "kbrepo/shelf.hpp"
#include "kbrepo/snapshot.hpp"
#include "tests/support/temp_repo.hpp"

namespace {

using namespace kb;
namespace fs = std::filesystem;
using Pages = std::map<std::string, std::string>;

constexpr int kRounds = 5;

struct Material {
  Pages pages;
  std::vector<std::vector<std::string>> paragraphs;  ///< of each knowledge base
  std::vector<std::string> questions;
};

std::string bytes_of(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void add_paragraphs(std::string const& text, std::vector<std::string>& out) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find("\n\n", at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 2;
  }
}

bool add_bundle(fs::path const& bundle, Material& out) {
  test::TempDir const dir;
  fs::path const work = dir.path() / "work";
  std::string const command = "git clone -q '" + bundle.string() + "' '" + work.string() + "'";
  if (std::system(command.c_str()) != 0) return false;
  std::vector<std::string>& paragraphs = out.paragraphs.emplace_back();
  for (auto const& entry : fs::recursive_directory_iterator(work)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".md") continue;
    std::string text = bytes_of(entry.path());
    add_paragraphs(text, paragraphs);
    out.pages[bundle.stem().string() + "/" + entry.path().lexically_relative(work).generic_string()] = std::move(text);
  }
  std::sort(paragraphs.begin(), paragraphs.end());  // a folder lists its files in any order
  return !paragraphs.empty();
}

Material material_of(fs::path const& data) {
  Material out;
  for (auto const& entry : fs::directory_iterator(data / "kb")) {
    if (entry.path().extension() == ".bundle" && !add_bundle(entry.path(), out)) return {};
  }
  for (auto const& entry : fs::directory_iterator(data / "eval" / "questions")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (!line.empty()) out.questions.push_back(nlohmann::json::parse(line).at("question"));
    }
  }
  return out;
}

/// `count` pages: the real ones, then as many made-up ones as it takes, each of the paragraphs of one knowledge base.
Pages make_pages(Material const& material, std::size_t count) {
  Pages out;
  for (auto const& page : material.pages) {
    if (out.size() == count) return out;
    out.insert(page);
  }
  std::mt19937 random(20261201);
  while (out.size() < count) {
    auto const& paragraphs = material.paragraphs[out.size() % material.paragraphs.size()];
    std::string text = "# Page " + std::to_string(out.size()) + "\n";
    for (std::size_t n = 2 + random() % 14; n > 0; --n) text += "\n" + paragraphs[random() % paragraphs.size()] + "\n";
    out["drawn/" + std::to_string(out.size() % 100) + "/" + std::to_string(out.size()) + ".md"] = std::move(text);
  }
  return out;
}

/// Time of this thread's processor: an answer waits for nothing, and what else the machine does is not its cost.
std::uint64_t micros() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000;
}

std::uint64_t at_share(std::vector<std::uint64_t>& values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

struct Steps {
  std::vector<std::uint64_t> total, search, read, draft, validate;

  void add(answer::Answer const& answer) {
    total.push_back(answer.took_us.total);
    search.push_back(answer.took_us.search);
    read.push_back(answer.took_us.read);
    draft.push_back(answer.took_us.draft);
    validate.push_back(answer.took_us.validate);
  }
  void print(char const* what) {
    std::printf("  %-22s p50 %5lu us, p99 %5lu us; of the median search %lu, read %lu, draft %lu, check %lu\n", what,
                at_share(total, .5), at_share(total, .99), at_share(search, .5), at_share(read, .5),
                at_share(draft, .5), at_share(validate, .5));
  }
};

int measure(Material const& material, std::size_t count) {
  test::TempRepo repo;
  std::string const head = repo.commit(make_pages(material, count));
  std::string const pack = "git -C '" + repo.path().string() + "' repack -adq --window=10";  // as a clone has it
  if (std::system(pack.c_str()) != 0) return 1;
  config::RepoSettings settings;
  settings.id = RepoId("bench", "kb");
  settings.git = repo.path();
  auto const built = kbrepo::Snapshot::build(settings, *kbrepo::CommitId::parse(head), nullptr, {});
  if (!built) {
    std::fprintf(stderr, "whole_answer_bench: %s\n", built.error().what.c_str());
    return 1;
  }
  scope::ScopeOutcome outcome;
  outcome.grant = scope::operator_grant(settings.id, scope::Label::team);
  outcome.scope = scope::Scope::team;
  outcome.team_kbs = {settings.id};
  auto const ask = [&](std::string const& question) {
    return answer::respond("01BENCH", question, outcome, kbrepo::open_shelf(*outcome.grant, {{settings.id, *built}}),
                           {}, micros);
  };
  Steps first, again;
  for (std::string const& question : material.questions) first.add(ask(question));
  for (int round = 0; round < kRounds; ++round) {
    for (std::string const& question : material.questions) again.add(ask(question));
  }
  std::printf("%zu pages, %zu passages\n", (*built)->stats().pages, (*built)->stats().passages);
  first.print("asked once each:");
  again.print("asked again:");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: whole_answer_bench DATA [PAGES...]\n");
    return 2;
  }
  Material const material = material_of(argv[1]);
  if (material.questions.empty() || material.paragraphs.empty()) {
    std::fprintf(stderr, "whole_answer_bench: no bundles or questions below %s\n", argv[1]);
    return 1;
  }
  std::vector<std::size_t> counts;
  for (int i = 2; i < argc; ++i) counts.push_back(std::stoul(argv[i]));
  if (counts.empty()) counts = {2'000, 20'000, 60'000};
  for (std::size_t const count : counts) {
    if (int const failed = measure(material, count); failed != 0) return failed;
  }
  return 0;
}
