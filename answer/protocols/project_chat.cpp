#include "answer/protocols/project_chat.hpp"

#include <algorithm>
#include <array>

#include "answer/protocols/budget.hpp"
#include "answer/protocols/graph.hpp"
#include "answer/protocols/project_query.hpp"
#include "answer/protocols/query_words.hpp"
#include "kbrepo/index/terms.hpp"

namespace kb::protocols {
namespace {

using PagePtr = std::shared_ptr<kbrepo::Page const>;

constexpr std::size_t kMaxGraph = 16 * 1024 * 1024;
constexpr std::size_t kMostNeighbours = 4;
constexpr std::size_t kLongestQuestion = 400;
constexpr std::string_view kThis = "this project";

/// A project knowledge base in kb-engineer's layout.
struct Project {
  std::size_t book = 0;
  std::string name;
  std::string folder;  ///< "projects/shop/", or "" when the repository is one project's
};

/// Beside its hub it has at least one of these.
bool is_laid_out(kbrepo::Snapshot const& book, scope::ReadGrant const& grant, std::string const& folder) {
  if (book.find(grant, folder + "README.md") == nullptr) return false;
  for (char const* const part : {"modules", "services", ".meta"}) {
    if (book.has_folder(grant, folder + part)) return true;
  }
  return book.find(grant, folder + "architecture.md") != nullptr ||
         book.find(grant, folder + "dependencies.md") != nullptr;
}

std::vector<Project> projects_of(kbrepo::Shelf const& shelf) {
  std::vector<Project> out;
  for (std::size_t i = 0; i < shelf.books.size(); ++i) {
    kbrepo::Snapshot const& book = *shelf.books[i];
    std::string last;
    for (kbrepo::PageInfo const& page : book.pages(shelf.grant)) {
      std::string_view const name = page.path.starts_with("projects/") ? kbrepo::project_of(page.path) : "";
      if (name.empty() || name == last) continue;
      last = name;
      std::string const folder = "projects/" + last + "/";
      if (is_laid_out(book, shelf.grant, folder)) out.push_back({i, last, folder});
    }
    bool const alone = book.settings().kind == config::RepoKind::project_docs && is_laid_out(book, shelf.grant, "");
    if (alone) out.push_back({i, book.repo().repo, ""});
  }
  return out;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// The words of a question, each behind a blank, with every way to say "this project" in one form.
std::string plain(std::string_view question, std::string const& name) {
  std::string out = " ";
  std::size_t end = 0;
  bool cjk = false;
  for (Token const& token : tokens_of(question)) {
    bool const apart = !(token.cjk && cjk && token.begin == end);
    if (apart && out.back() != ' ') out += ' ';
    out += kbrepo::index::fold(question.substr(token.begin, token.end - token.begin));
    end = token.end;
    cjk = token.cjk;
  }
  out += ' ';
  if (!name.empty()) {
    std::string spaced = " ";
    for (Token const& token : tokens_of(name)) {
      spaced += kbrepo::index::fold(std::string_view(name).substr(token.begin, token.end - token.begin)) + ' ';
    }
    replace_all(out, spaced, " this project ");
  }
  for (std::string_view const other : {" the project ", " our project "}) replace_all(out, other, " this project ");
  for (std::string_view const other : {"这个项目", "本项目", "该项目"}) replace_all(out, other, " this project ");
  replace_all(out, "this project 项目", "this project ");
  replace_all(out, " project this project ", " this project ");
  replace_all(out, " this project project ", " this project ");
  while (out.find("  ") != out.npos) replace_all(out, "  ", " ");
  return out;
}

struct Phrase {
  std::string_view before, after;  ///< around a target; without one `before` is the whole question
  bool has_target;
  int level;
  std::string_view query_type;
  std::string_view shows;  ///< what an overview is asked for
};
// The whole of the question, but for "of/in this project" and "please": a longer one asks for more than an overview.
constexpr std::array kPhrases{
    Phrase{"what is this project", "", false, 0, "overview", "hub"},
    Phrase{"this project 是什么", "", false, 0, "overview", "hub"},
    Phrase{"what does this project do", "", false, 1, "overview", "hub"},
    Phrase{"this project 是做什么的", "", false, 1, "overview", "hub"},
    Phrase{"this project 做什么", "", false, 1, "overview", "hub"},
    Phrase{"what modules exist", "", false, 1, "overview", "modules"},
    Phrase{"which modules exist", "", false, 1, "overview", "modules"},
    Phrase{"what modules are there", "", false, 1, "overview", "modules"},
    Phrase{"which modules are there", "", false, 1, "overview", "modules"},
    Phrase{"what modules does this project have", "", false, 1, "overview", "modules"},
    Phrase{"which modules does this project have", "", false, 1, "overview", "modules"},
    Phrase{"有哪些模块", "", false, 1, "overview", "modules"},
    Phrase{"how does module", "work", true, 2, "module", ""},
    Phrase{"how does the", "module work", true, 2, "module", ""},
    Phrase{"模块", "怎么工作", true, 2, "module", ""},
    Phrase{"模块", "如何工作", true, 2, "module", ""},
    Phrase{"模块", "是怎么工作的", true, 2, "module", ""},
    Phrase{"what depends on module", "", true, 3, "relationship", ""},
    Phrase{"what depends on the", "module", true, 3, "relationship", ""},
    Phrase{"what depends on", "", true, 3, "relationship", ""},
    Phrase{"哪些模块依赖", "", true, 3, "relationship", ""},
    Phrase{"什么依赖", "", true, 3, "relationship", ""},
    Phrase{"show me the architecture", "", false, 2, "overview", "architecture"},
    Phrase{"what is the architecture", "", false, 2, "overview", "architecture"},
    Phrase{"describe the architecture", "", false, 2, "overview", "architecture"},
    Phrase{"架构是什么样的", "", false, 2, "overview", "architecture"},
    Phrase{"架构是什么", "", false, 2, "overview", "architecture"},
    Phrase{"介绍一下架构", "", false, 2, "overview", "architecture"},
    Phrase{"what external deps does this project use", "", false, 1, "dependency", ""},
    Phrase{"what external deps does this use", "", false, 1, "dependency", ""},
    Phrase{"what external dependencies does this project use", "", false, 1, "dependency", ""},
    Phrase{"what external dependencies does this project have", "", false, 1, "dependency", ""},
    Phrase{"有哪些外部依赖", "", false, 1, "dependency", ""},
    Phrase{"依赖哪些外部库", "", false, 1, "dependency", ""},
};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

struct Asked {
  Phrase const* phrase = nullptr;
  std::string target;
};

std::optional<Asked> asked_of(std::string text) {
  constexpr std::array<std::string_view, 6> kAround{" of this project ", " in this project ", " please ", " 请 ",
                                                    " can you ",         " this project 的"};
  for (std::string_view const part : kAround) replace_all(text, part, " ");
  std::string_view whole = trimmed(text);
  for (Phrase const& phrase : kPhrases) {
    std::string_view one = whole;
    bool const about = phrase.before.find(kThis) != phrase.before.npos;
    if (!about && one.starts_with(kThis)) one = trimmed(one.substr(kThis.size()));
    if (!one.starts_with(phrase.before)) continue;
    std::string_view rest = trimmed(one.substr(phrase.before.size()));
    if (!phrase.has_target) {
      if (rest.empty()) return Asked{&phrase, {}};
      continue;
    }
    if (!rest.ends_with(phrase.after)) continue;
    rest = trimmed(rest.substr(0, rest.size() - phrase.after.size()));
    if (!rest.empty() && rest.find(' ') == rest.npos && rest.size() <= 100) return Asked{&phrase, std::string(rest)};
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(kbrepo::Shelf const& shelf, Project const& project) : shelf_(shelf), project_(project) {}

  /// False: the files that the route needs are not there.
  bool follow(Asked const& asked, answer::GivenReading& out) {
    std::size_t const tokens = tokens_of_level(asked.phrase->level);
    std::string_view const type = asked.phrase->query_type;
    if (type == "module") return quote(page_named("modules/", asked.target), tokens, out);
    if (type == "dependency") return quote("dependencies.md", tokens, out);
    if (type == "relationship") return neighbours(asked.target, tokens, out);
    if (asked.phrase->shows == "modules") return quote("modules/_index.md", tokens, out);
    if (asked.phrase->shows == "hub") return quote("README.md", tokens, out);
    bool const hub = quote("README.md", tokens_of_level(0), out);  // S0-63
    return quote("architecture.md", tokens, out) && hub;
  }

 private:
  [[nodiscard]] kbrepo::Snapshot const& book() const { return *shelf_.books[project_.book]; }

  /// The page whose name is `folded` when folded.
  std::string page_named(std::string const& folder, std::string const& folded) const {
    for (kbrepo::PageInfo const& page : book().pages(shelf_.grant)) {
      if (!page.path.starts_with(project_.folder + folder) || !page.path.ends_with(".md")) continue;
      std::string const name = page.path.substr(project_.folder.size() + folder.size());
      if (plain(name.substr(0, name.size() - 3), {}) == " " + folded + " ") return folder + name;
    }
    return {};
  }

  /// Whole blocks from the beginning, as many as the tokens hold, at least one.
  bool quote(std::string const& path, std::size_t tokens, answer::GivenReading& out) {
    if (path.empty()) return false;
    auto const page = book().read(shelf_.grant, project_.folder + path);
    if (!page || (*page)->blocks.empty()) return false;
    std::uint32_t last = 0;
    std::size_t used = tokens_in((*page)->bytes((*page)->blocks[0]));
    while (last + 1 < (*page)->blocks.size()) {
      used += tokens_in((*page)->bytes((*page)->blocks[last + 1]));
      if (used > tokens) break;
      ++last;
    }
    out.quotes.push_back({{project_.book, project_.folder + path}, 0, last});
    return true;
  }

  /// graph.json says which pages speak of it; quoted is where they do.
  bool neighbours(std::string const& target, std::size_t tokens, answer::GivenReading& out) {
    std::string const path = project_.folder + "graph.json";
    Result<std::string> const json = book().file(shelf_.grant, path, kMaxGraph);
    std::optional<Graph> const graph = json ? parse_graph(*json) : std::nullopt;
    GraphNode const* const node = graph ? graph->find(target) : nullptr;
    if (node == nullptr) return false;
    out.guides.push_back({book().repo(), path});
    std::size_t used = 0;
    for (GraphEdge const& edge : graph->edges) {
      if (edge.target != node->id || out.quotes.size() >= kMostNeighbours) continue;
      GraphNode const* const from = graph->find(edge.source);
      auto const page = from == nullptr || from->kb_doc.empty()
                            ? Result<PagePtr>(Error(Errc::not_found, ""))
                            : book().read(shelf_.grant, project_.folder + from->kb_doc);
      if (!page) continue;
      for (std::uint32_t i = 0; i < (*page)->blocks.size(); ++i) {
        std::string_view const text = (*page)->bytes((*page)->blocks[i]);
        std::string const words = plain(text, {});
        bool const speaks = words.find(' ' + target + ' ') != words.npos;
        if (!speaks || used + tokens_in(text) > tokens) continue;
        used += tokens_in(text);
        out.quotes.push_back({{project_.book, project_.folder + from->kb_doc}, i, i});
        break;
      }
    }
    return !out.quotes.empty();
  }

  kbrepo::Shelf const& shelf_;
  Project const& project_;
};

/// Before the shelf is looked through.
bool may_be_one(std::string_view question) {
  constexpr std::array<std::string_view, 9> kWords{"external",     "module", "模块",   "project", "项目",
                                                   "architecture", "架构",   "depend", "依赖"};
  std::string const folded = kbrepo::index::fold(question);
  bool const what = folded.starts_with("what is ") || folded.starts_with("what does ");
  return what || std::any_of(kWords.begin(), kWords.end(),
                             [&](std::string_view word) { return folded.find(word) != folded.npos; });
}

}  // namespace

std::optional<answer::GivenReading> project_reading(std::string_view question, kbrepo::Shelf const& shelf) {
  if (question.size() > kLongestQuestion || !may_be_one(question)) return std::nullopt;
  std::vector<Project> const projects = projects_of(shelf);
  for (Project const& project : projects) {
    std::string const text = plain(question, project.name);
    bool const named = text != plain(question, {});
    if (!named && projects.size() > 1) continue;
    std::optional<Asked> const asked = asked_of(text);
    if (!asked) continue;
    answer::GivenReading out;
    out.route = std::string(asked->phrase->query_type) + " " + std::to_string(asked->phrase->level);
    if (Reader(shelf, project).follow(*asked, out)) return out;
  }
  return std::nullopt;
}

}  // namespace kb::protocols
