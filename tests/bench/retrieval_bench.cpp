/// Quality and speed of the index over the retrieval samples: retrieval_bench DIR [--pages] [--scale N] [--runs N].
/// DIR holds <set>/corpus.jsonl.gz and <set>/queries.jsonl.gz. --pages takes neighbouring pieces of one title as one
/// document; --scale measures time and size only, over N passages made of all sets, again and again.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/resource.h>
#include <unordered_map>
#include <vector>

#include "kbrepo/index/index.hpp"

namespace {

using namespace kb::kbrepo::index;
using nlohmann::json;
namespace fs = std::filesystem;

struct Piece {
  std::string id, title, heading, heading_hard, text;
};
struct Question {
  std::string text;
  std::map<std::string, int> relevant;
};
struct Set {
  std::string name;
  std::vector<Piece> pieces;
  std::vector<Question> questions;
};

struct Quality {
  double ndcg = 0, recall = 0, mrr = 0;
  std::size_t questions = 0;
};

struct Corpus {
  std::vector<DocumentText> documents;
  std::vector<DocKey> live;
  std::vector<std::vector<std::string>> ids;  ///< of each document's passages
  std::size_t passages = 0, bytes = 0;
};

std::vector<json> read_lines(fs::path const& file) {
  std::string const command = "gzip -dc '" + file.string() + "'";
  std::unique_ptr<FILE, int (*)(FILE*)> const pipe(popen(command.c_str(), "r"), pclose);
  std::string all;
  std::vector<char> buffer(1 << 16);
  while (std::size_t const n = fread(buffer.data(), 1, buffer.size(), pipe.get())) all.append(buffer.data(), n);
  std::vector<json> out;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t const end = std::min(all.find('\n', at), all.size());
    if (end > at)
      out.push_back(
          json::parse(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(end)));
    at = end + 1;
  }
  return out;
}

Set read_set(fs::path const& folder) {
  Set out;
  out.name = folder.filename().string();
  for (json const& line : read_lines(folder / "corpus.jsonl.gz")) {
    std::string const heading = line.value("heading", "");
    out.pieces.push_back(
        {line.at("id"), line.value("title", ""), heading, line.value("heading_hard", heading), line.at("text")});
  }
  for (json const& line : read_lines(folder / "queries.jsonl.gz")) {
    Question question{line.at("text"), line.at("rel").get<std::map<std::string, int>>()};
    if (!question.relevant.empty()) out.questions.push_back(std::move(question));
  }
  return out;
}

/// `round` sets copies of one corpus apart.
void add_pieces(Set const& set, bool hard, bool pages, std::size_t round, Corpus& out) {
  std::string const* title = nullptr;
  for (Piece const& piece : set.pieces) {
    std::string const& heading = hard ? piece.heading_hard : piece.heading;
    bool const goes_on = pages && title != nullptr && !piece.title.empty() && *title == piece.title;
    if (!goes_on) {
      std::string const path = set.name + "/" + piece.id + "#" + std::to_string(round);
      out.documents.push_back({doc_key({}, path), piece.title, {}});
      out.live.push_back(out.documents.back().key);
      out.ids.emplace_back();
    }
    title = &piece.title;
    auto const line = static_cast<std::uint32_t>(out.documents.back().passages.size() * 10 + 1);
    out.documents.back().passages.push_back({heading, piece.text, line, line + 9});
    out.ids.back().push_back(piece.id);
    ++out.passages;
    out.bytes += piece.text.size() + heading.size() + piece.title.size();
  }
}

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double resident_mb() {
  std::ifstream in("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  in >> total >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(q * static_cast<double>(values.size())))];
}

void judge(Question const& question, std::vector<std::string> const& found, Quality& sum) {
  double gain = 0;
  double first = 0;
  std::size_t in_five = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 10); ++i) {
    auto const grade = question.relevant.find(found[i]);
    if (grade == question.relevant.end()) continue;
    gain += grade->second / std::log2(static_cast<double>(i) + 2);
    if (first == 0) first = 1 / (static_cast<double>(i) + 1);
    if (i < 5) ++in_five;
  }
  std::vector<int> grades;
  for (auto const& [id, grade] : question.relevant) grades.push_back(grade);
  std::sort(grades.rbegin(), grades.rend());
  double ideal = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(grades.size(), 10); ++i) {
    ideal += grades[i] / std::log2(static_cast<double>(i) + 2);
  }
  sum.ndcg += gain / ideal;
  sum.recall += static_cast<double>(in_five) / static_cast<double>(grades.size());
  sum.mrr += first;
  ++sum.questions;
}

struct Timed {
  std::vector<double> search_us, terms_us;
};

void ask(Index const& index, Corpus const& corpus, std::vector<Question> const& questions, int runs, Quality& quality,
         Timed& timed) {
  for (int run = 0; run < runs; ++run) {
    for (Question const& question : questions) {
      double const start = cpu_seconds();
      auto const terms = query_terms(question.text);
      double const ready = cpu_seconds();
      auto const found = index.search(terms, {});
      timed.search_us.push_back((cpu_seconds() - ready) * 1e6);
      timed.terms_us.push_back((ready - start) * 1e6);
      if (run > 0) continue;
      std::vector<std::string> ids;
      for (ScoredPassage const& hit : found) ids.push_back(corpus.ids[hit.doc][hit.passage]);
      judge(question, ids, quality);
    }
  }
}

struct Built {
  Index index;
  double seconds = 0;
};

Built build(Corpus const& corpus) {
  double const start = cpu_seconds();
  SegmentPtr const segment = build_segment(corpus.documents);
  auto index = Index::assemble({segment}, corpus.live);
  return {std::move(*index), cpu_seconds() - start};
}

void measure_set(Set const& set, bool hard, bool pages, int runs) {
  Corpus corpus;
  add_pieces(set, hard, pages, 0, corpus);
  Built const built = build(corpus);
  Quality quality;
  Timed timed;
  ask(built.index, corpus, set.questions, runs, quality, timed);
  auto const n = static_cast<double>(quality.questions);
  auto const mb = static_cast<double>(corpus.bytes) / 1e6;
  std::printf("%-14s %6zu  %.4f %.4f %.4f  %7.1f %7.1f  %6.1f  %6.1f  %5.2f\n", (set.name + (hard ? "*" : "")).c_str(),
              corpus.passages, quality.ndcg / n, quality.recall / n, quality.mrr / n, quantile(timed.search_us, 0.5),
              quantile(timed.search_us, 0.99), quantile(timed.terms_us, 0.5), mb / built.seconds,
              static_cast<double>(built.index.stats().bytes) / static_cast<double>(corpus.bytes));
}

/// A change of about a hundred passages: analysed, and the index put together again.
double measure_update(Corpus const& corpus, Index const& index) {
  std::vector<DocumentText> changed;
  std::vector<DocKey> live = corpus.live;
  std::size_t passages = 0;
  for (std::size_t d = 7; d < corpus.documents.size() && passages < 100; d += 97) {
    changed.push_back(corpus.documents[d]);
    changed.back().key.path_hash += 1;
    live[d] = changed.back().key;
    passages += changed.back().passages.size();
  }
  double const start = cpu_seconds();
  std::vector<SegmentPtr> segments(index.segments().begin(), index.segments().end());
  segments.push_back(build_segment(changed));
  auto const after = Index::assemble(std::move(segments), live);
  double const took = cpu_seconds() - start;
  return after ? took * 1e3 : -1;
}

void measure_scale(std::vector<Set> const& sets, std::size_t passages, int runs) {
  Corpus corpus;
  for (std::size_t round = 0; corpus.passages < passages; ++round) {
    for (Set const& set : sets) {
      if (corpus.passages < passages) add_pieces(set, false, true, round, corpus);
    }
  }
  double const before = resident_mb();
  Built const built = build(corpus);
  double const after = resident_mb();
  std::vector<Question> questions;
  for (Set const& set : sets) {
    for (std::size_t i = 0; i < set.questions.size(); i += std::max<std::size_t>(1, set.questions.size() / 60)) {
      questions.push_back(set.questions[i]);
    }
  }
  Quality quality;
  Timed timed;
  ask(built.index, corpus, questions, runs, quality, timed);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto const mb = static_cast<double>(corpus.bytes) / 1e6;
  std::printf("%zu passages, %zu documents, %.1f MB text\n", corpus.passages, corpus.documents.size(), mb);
  std::printf("  build %.1f MB/s, index %.1f MB (%.2f of text), resident +%.0f MB, peak %.0f MB\n", mb / built.seconds,
              static_cast<double>(built.index.stats().bytes) / 1e6,
              static_cast<double>(built.index.stats().bytes) / static_cast<double>(corpus.bytes), after - before,
              static_cast<double>(usage.ru_maxrss) / 1e3);
  std::printf("  search p50 %.0f us, p90 %.0f, p99 %.0f; terms p50 %.1f us\n", quantile(timed.search_us, 0.5),
              quantile(timed.search_us, 0.9), quantile(timed.search_us, 0.99), quantile(timed.terms_us, 0.5));
  std::printf("  update of 100 passages %.1f ms\n", measure_update(corpus, built.index));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: retrieval_bench DIR [--pages] [--scale PASSAGES] [--runs N]\n");
    return 2;
  }
  bool pages = false;
  std::size_t scale = 0;
  int runs = 3;
  for (int i = 2; i < argc; ++i) {
    std::string const option = argv[i];
    if (option == "--pages") pages = true;
    if (option == "--scale" && i + 1 < argc) scale = std::stoul(argv[++i]);
    if (option == "--runs" && i + 1 < argc) runs = std::stoi(argv[++i]);
  }
  std::vector<fs::path> folders;
  for (auto const& entry : fs::directory_iterator(argv[1])) {
    if (fs::exists(entry.path() / "corpus.jsonl.gz")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<Set> sets;
  for (fs::path const& folder : folders) sets.push_back(read_set(folder));
  if (scale > 0) {
    measure_scale(sets, scale, runs);
    return 0;
  }
  std::printf("%-14s %6s  %6s %6s %6s  %7s %7s  %6s  %6s  %5s\n", "set", "pieces", "nDCG", "R@5", "MRR", "p50 us",
              "p99 us", "terms", "MB/s", "size");
  for (Set const& set : sets) {
    measure_set(set, false, pages, runs);
    bool const has_hard = std::any_of(set.pieces.begin(), set.pieces.end(),
                                      [](Piece const& piece) { return piece.heading != piece.heading_hard; });
    if (has_hard) measure_set(set, true, pages, runs);
  }
}
