/// How many false claims the claim check lets through, how many faithful ones it stops, and what it costs.
/// grounding_bench [--false N] [--faithful N] [--show N] BUNDLE...
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/answer/corruptions.hpp"

namespace {

using namespace kb;
namespace fs = std::filesystem;

std::vector<kbrepo::Page> pages_of(fs::path const& bundle, fs::path const& into) {
  std::vector<kbrepo::Page> out;
  std::string const command = "git clone -q '" + bundle.string() + "' '" + into.string() + "'";
  if (std::system(command.c_str()) != 0) return out;
  std::vector<fs::path> files;
  for (auto const& entry : fs::recursive_directory_iterator(into)) {
    if (entry.is_regular_file() && entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (fs::path const& path : files) {
    std::ifstream file(path, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    out.push_back(kbrepo::parse_page(path.lexically_relative(into).generic_string(), {}, text));
  }
  return out;
}

/// A folder of this run alone.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("grounding_bench." + std::to_string(std::random_device()()));
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

struct Row {
  std::size_t made = 0, refused = 0, repaired = 0, passed = 0;
};

void print(std::string_view kind, Row const& row) {
  std::printf("| %-17s | %7zu | %7zu | %8zu | %6zu | %7.3f %% |\n", std::string(kind).c_str(), row.made, row.refused,
              row.repaired, row.passed,
              100.0 * static_cast<double>(row.made - row.passed) / static_cast<double>(row.made));
}

void show(test::ClaimSource::Sample const& sample, std::string_view what, answer::ClaimVerdict const& verdict) {
  std::printf("--- %s: %s, %s\n    page: %s\n    said: %s\n", std::string(what).c_str(),
              std::string(to_string(verdict.verdict)).c_str(), std::string(to_string(verdict.guard)).c_str(),
              sample.pages[0]->path.c_str(), sample.sentence.c_str());
  for (std::string const& quote : sample.quotes) std::printf("    quote: %s\n", quote.c_str());
}

Row tally(Row row, answer::ClaimVerdict const& verdict) {
  ++row.made;
  if (verdict.proven()) {
    ++row.passed;
  } else if (verdict.repaired()) {
    ++row.repaired;
  } else {
    ++row.refused;
  }
  return row;
}

/// A check against the pages, with the forms kept from earlier ones.
answer::ClaimCheck check_of(answer::KeptForms& kept, std::vector<kbrepo::Page const*> const& pages) {
  std::vector<answer::FormsPtr> forms;
  for (kbrepo::Page const* const page : pages)
    forms.push_back(kept.of(std::shared_ptr<kbrepo::Page const>(std::shared_ptr<void>(), page)));
  return answer::ClaimCheck(std::move(forms));
}

constexpr std::size_t kEverything = std::size_t{2} << 30;

/// Of this thread: others on the machine do not count.
double cpu_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// Twelve quotes against five pages. The forms of the pages are made while the model is asked and kept for the next
/// question; they are told apart.
void measure(std::string_view name, test::ClaimSource& source) {
  std::vector<double> took, forms;
  answer::KeptForms kept;
  for (int round = 0; round < 2000; ++round) {
    std::vector<answer::Claim> claims;
    std::vector<kbrepo::Page const*> pages;
    while (claims.size() < 12) {
      auto const sample = source.below(3) == 0
                              ? test::Corruptor(source).corrupted(source.below(test::Corruptor::kKinds.size()))
                              : source.copied();
      if (!sample) continue;
      std::size_t page = 0;
      while (page < pages.size() && pages[page] != sample->pages[0]) ++page;
      if (page == pages.size() && pages.size() == 5) page = source.below(5);
      if (page == pages.size()) pages.push_back(sample->pages[0]);
      answer::Claim claim = test::claim_of(*sample);
      claim.quotes.resize(1);
      claim.quotes[0].page = page;
      claims.push_back(std::move(claim));
    }
    double const begin = cpu_milliseconds();
    answer::ClaimCheck check = check_of(kept, pages);
    double const start = cpu_milliseconds();
    forms.push_back(start - begin);
    std::size_t proven = 0;
    for (answer::Claim const& claim : claims) proven += check.check(claim).proven() ? 1u : 0u;
    took.push_back(cpu_milliseconds() - start);
    if (proven > claims.size()) return;
  }
  std::sort(took.begin(), took.end());
  std::sort(forms.begin(), forms.end());
  std::printf("%s: forms of 5 pages: p50 %.3f ms, p99 %.3f ms; ", std::string(name).c_str(), forms[forms.size() / 2],
              forms[forms.size() * 99 / 100]);
  std::printf("12 quotes x 5 pages: p50 %.3f ms, p99 %.3f ms, worst %.3f ms\n", took[took.size() / 2],
              took[took.size() * 99 / 100], took.back());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t false_claims = 100'000, faithful_claims = 20'000, shown = 0, false_shown = 0;
  std::vector<fs::path> bundles;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    auto const number = [&] { return i + 1 < argc ? std::strtoul(argv[++i], nullptr, 10) : 0; };
    if (word == "--false") {
      false_claims = number();
    } else if (word == "--faithful") {
      faithful_claims = number();
    } else if (word == "--show") {
      shown = false_shown = number();
    } else {
      bundles.emplace_back(word);
    }
  }
  if (bundles.empty()) {
    std::fprintf(stderr, "usage: grounding_bench [--false N] [--faithful N] [--show N] BUNDLE...\n");
    return 2;
  }
  Folder const dir;
  std::vector<std::vector<kbrepo::Page>> books;
  std::vector<test::ClaimSource> sources;
  for (fs::path const& bundle : bundles) {
    books.push_back(pages_of(bundle, dir.path / bundle.stem()));
    std::printf("%s: %zu pages\n", bundle.stem().c_str(), books.back().size());
  }
  for (auto const& pages : books) {
    sources.emplace_back(pages, 20260312 + sources.size());
    if (sources.back().empty()) return 1;
  }

  constexpr auto kForms = test::ClaimSource::kForms;
  constexpr auto kKinds = test::Corruptor::kKinds;
  std::deque<answer::KeptForms> kept;
  for (std::size_t i = 0; i < sources.size(); ++i) kept.emplace_back(kEverything);
  std::vector<Row> forms(kForms.size()), kinds(kKinds.size());
  for (std::size_t i = 0; i < faithful_claims; ++i) {
    auto const sample = sources[i % sources.size()].faithful(i / sources.size() % kForms.size());
    answer::ClaimVerdict const verdict = check_of(kept[i % sources.size()], sample.pages).check(test::claim_of(sample));
    Row& row = forms[i / sources.size() % kForms.size()];
    row = tally(row, verdict);
    if (!verdict.proven() && shown > 0) {
      --shown;
      show(sample, kForms[i / sources.size() % kForms.size()], verdict);
    }
  }
  for (std::size_t i = 0, made = 0; made < false_claims; ++i) {
    std::size_t const kind = i / sources.size() % kKinds.size();
    auto const sample = test::Corruptor(sources[i % sources.size()]).corrupted(kind);
    if (!sample) continue;
    ++made;
    answer::ClaimVerdict const verdict =
        check_of(kept[i % sources.size()], sample->pages).check(test::claim_of(*sample));
    kinds[kind] = tally(kinds[kind], verdict);
    if (verdict.proven() && false_shown > 0) {
      --false_shown;
      show(*sample, kKinds[kind], verdict);
    }
  }
  std::printf("| faithful          |    made | refused | repaired | passed |  stopped  |\n|---|---|---|---|---|---|\n");
  Row all;
  auto const add = [&all](Row const& row) {
    all.made += row.made;
    all.refused += row.refused;
    all.repaired += row.repaired;
    all.passed += row.passed;
  };
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    print(kForms[i], forms[i]);
    add(forms[i]);
  }
  print("all", all);
  std::printf("| false             |    made | refused | repaired | passed |  stopped  |\n|---|---|---|---|---|---|\n");
  all = {};
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    print(kKinds[i], kinds[i]);
    add(kinds[i]);
  }
  print("all", all);
  for (std::size_t i = 0; i < sources.size(); ++i) measure(bundles[i].stem().string(), sources[i]);
  return 0;
}
