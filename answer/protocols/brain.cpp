#include "answer/protocols/brain.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "answer/protocols/query_words.hpp"
#include "answer/quotes.hpp"
#include "kbrepo/index/function_words.hpp"
#include "kbrepo/index/terms.hpp"
#include "kbrepo/lines.hpp"

namespace kb::protocols {
namespace {

using PagePtr = std::shared_ptr<kbrepo::Page const>;
using Texts = std::vector<std::string>;

constexpr std::size_t kMaxThemes = 5;
constexpr std::size_t kFallbackThemes = 3;
constexpr double kOnTopic = .5;  // share of the question's words that a page holds

struct RoleDefault {
  std::string_view role, scope;
};
// S3-11…14.
constexpr std::array kRoles{RoleDefault{"architect", "cycles,project"},
                            RoleDefault{"pm", "cycles,project"},
                            RoleDefault{"reflector", "all"},
                            RoleDefault{"dev-loop", "project"},
                            RoleDefault{"reviewer", "project"},
                            RoleDefault{"forge-dev", "forge-dev,cycles"}};

struct CategoryIndex {
  std::string_view brain, category, file;
};
// S3-29, S3-30: the index of each category; navigation, never a source, but for Brain 1's (S3-39, C-1).
constexpr std::array kIndexes{
    CategoryIndex{"forge-dev", "decision", "decisions.md"}, CategoryIndex{"forge-dev", "reference", "reference.md"},
    CategoryIndex{"cycles", "pattern", "patterns.md"},      CategoryIndex{"cycles", "antipattern", "antipatterns.md"},
    CategoryIndex{"cycles", "operation", "operations.md"},  CategoryIndex{"cycles", "decision", "decisions.md"}};
constexpr std::array<std::string_view, 5> kCategories{"pattern", "antipattern", "decision", "operation", "reference"};

Texts split(std::string_view text, char between) {
  Texts out;
  for (std::size_t from = 0; from <= text.size();) {
    std::size_t const to = std::min(text.find(between, from), text.size());
    std::string_view part = text.substr(from, to - from);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) out.emplace_back(part);
    from = to + 1;
  }
  return out;
}

/// What a question is about: words as the index knows them, CJK in pairs.
Texts topic_of(std::string_view question) {
  Texts out;
  std::string before;
  std::size_t end = 0;
  std::size_t function_until = 0;
  for (Token const& token : tokens_of(question)) {
    if (!token.cjk) {
      std::string const folded = kbrepo::index::fold(question.substr(token.begin, token.end - token.begin));
      if (!kbrepo::index::is_english_function_word(folded)) out.push_back(token.text);
      before.clear();
      continue;
    }
    std::size_t const size = kbrepo::index::chinese_function_word_at(kbrepo::index::fold(question.substr(token.begin)));
    function_until = std::max(function_until, token.begin + size);
    bool const function = token.begin < function_until;
    if (!before.empty() && !function && token.begin == end) out.push_back(before + token.text);
    before = function ? std::string() : token.text;
    end = token.end;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Words of a text in the same form: CJK pairs cross no other text.
std::vector<std::string> words_of(std::string_view text) {
  Texts out;
  Token const* before = nullptr;
  std::vector<Token> const tokens = tokens_of(text);
  for (Token const& token : tokens) {
    if (!token.cjk) out.push_back(token.text);
    if (token.cjk && before != nullptr && before->cjk && before->end == token.begin)
      out.push_back(before->text + token.text);
    before = &token;
  }
  std::sort(out.begin(), out.end());
  return out;
}

double share_in(Texts const& topic, Texts const& words) {
  if (topic.empty()) return 0;
  std::size_t found = 0;
  for (std::string const& word : topic) found += std::binary_search(words.begin(), words.end(), word) ? 1 : 0;
  return static_cast<double>(found) / static_cast<double>(topic.size());
}

std::string spaced(std::string_view slug) {
  std::string out(slug);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '-' || c == '_' || c == '/' || c == '.'; }, ' ');
  return out;
}

/// One brain in one repository.
struct Brain {
  std::string_view kind;  ///< forge-dev | cycles | project
  Book const* book = nullptr;
  std::string folder;  ///< in the repository, with a slash at its end
  std::string cited;   ///< as citations name it: brain/projects/<name>/ whatever the layout (C-15)
};

struct Theme {
  Brain const* brain = nullptr;
  std::string slug;
  std::string path;      ///< in the repository
  std::string one_line;  ///< of an index
  std::string title;
  double match = 0;
  [[nodiscard]] std::string cited() const { return brain->cited + "themes/" + slug + ".md"; }
};

std::string_view head_of(kbrepo::Page const& page) {
  std::string_view const text = page.text;
  kbrepo::LineReader lines(text);
  for (std::uint32_t i = 0; i < page.front.lines; ++i) (void)lines.next();
  return text.substr(0, lines.position());
}

std::string category_of(kbrepo::Page const& page) {
  std::string_view const head = head_of(page);
  auto const at = head.find("category:");
  if (at == head.npos) return {};
  std::string_view value = head.substr(at + 9, head.find('\n', at) - at - 9);
  Texts const words = split(value, ' ');
  return words.empty() ? std::string() : words.front();
}

bool is_link_line(std::string_view text) { return text.find("](") != text.npos || text.find("[[") != text.npos; }

/// From the table of pages: none is opened.
std::vector<Theme> themes_of(Brain const& brain) {
  std::vector<Theme> out;
  std::string const folder = brain.folder + "themes/";
  for (kbrepo::PageInfo const& info : brain.book->snapshot->pages(brain.book->grant)) {
    if (!info.path.starts_with(folder) || !info.path.ends_with(".md")) continue;
    Theme theme;
    theme.brain = &brain;
    theme.slug = info.path.substr(folder.size(), info.path.size() - folder.size() - 3);
    if (theme.slug.find('/') != theme.slug.npos) continue;
    theme.path = info.path;
    theme.title = info.title;
    out.push_back(std::move(theme));
  }
  return out;
}

bool leads_to(std::string const& link, Theme const& theme) {
  std::string const file = theme.slug + ".md";
  return link == theme.slug || link == file || link.ends_with("/" + theme.slug) || link.ends_with("/" + file);
}

class Lookup {
 public:
  /// `outside`: themes of brains that the scope leaves out.
  Lookup(std::vector<Brain> const& brains, std::vector<Theme> outside, BrainQuery const& query,
         std::vector<std::string>& warnings)
      : brains_(brains), outside_(std::move(outside)), query_(query), warnings_(warnings) {}

  BrainAnswer answer(std::string const& question) {
    out_ = {};
    out_.question = question;
    topic_ = topic_of(question);
    std::vector<Theme> themes = listed();
    std::stable_sort(themes.begin(), themes.end(), [](Theme const& a, Theme const& b) { return a.match > b.match; });
    std::size_t const matching = static_cast<std::size_t>(
        std::count_if(themes.begin(), themes.end(), [](Theme const& t) { return t.match > 0; }));
    std::vector<Theme> const chosen =
        matching > 0
            ? std::vector<Theme>(themes.begin(), themes.begin() + static_cast<long>(std::min(matching, kMaxThemes)))
            : by_text(themes);
    for (Theme const& theme : chosen) take(theme, themes);
    if (out_.sources.empty()) take_facts();
    conclude();
    return std::move(out_);
  }

 private:
  PagePtr page(Brain const& brain, std::string const& path) {
    Result<PagePtr> const found = brain.book->snapshot->read(brain.book->grant, path);
    if (!found) {
      if (found.error().code != Errc::not_found) warnings_.push_back(path + " cannot be read: " + found.error().what);
      return nullptr;
    }
    out_.read.push_back(brain.cited + path.substr(brain.folder.size()));
    return *found;
  }

  /// Indexes first: every theme in scope, with its line (S3-29…31).
  std::vector<Theme> listed() {
    std::vector<Theme> out;
    for (Brain const& brain : brains_) {
      std::map<std::string, std::string> lines;
      for (CategoryIndex const& index : kIndexes) {
        bool const wanted = index.brain == brain.kind && (query_.category.empty() || query_.category == index.category);
        if (wanted) read_index(brain, brain.folder + std::string(index.file), lines);
      }
      if (brain.kind == "project") profile_of(brain);
      for (Theme& theme : themes_of(brain)) {
        theme.one_line = lines[theme.slug];
        theme.match = share_in(topic_, words_of(spaced(theme.slug) + " " + theme.title + " " + theme.one_line));
        out.push_back(std::move(theme));
      }
    }
    return out;
  }

  void read_index(Brain const& brain, std::string const& path, std::map<std::string, std::string>& lines) {
    PagePtr const index = page(brain, path);
    if (!index) return;
    std::string_view const text = index->text;
    kbrepo::LineReader reader(text);
    while (auto const line = reader.next()) {
      std::string_view const one = line->of(text);
      auto const at = one.find("themes/");
      auto const end = at == one.npos ? at : one.find(".md", at);
      if (end == one.npos) continue;
      lines[std::string(one.substr(at + 7, end - at - 7))] = std::string(one);
    }
    facts_.emplace_back(&brain, index);
  }

  void profile_of(Brain const& brain) {
    PagePtr const profile = page(brain, brain.folder + "profile.md");
    if (profile) facts_.emplace_back(&brain, profile);
  }

  /// No slug and no line fits: what the text of the themes says, at most three of them.
  std::vector<Theme> by_text(std::vector<Theme> const& themes) const {
    std::vector<Theme> out;
    for (Brain const& brain : brains_) {
      auto const pages = brain.book->snapshot->pages(brain.book->grant);
      auto const theme_of = [&](std::uint32_t doc) {
        return std::find_if(themes.begin(), themes.end(),
                            [&](Theme const& theme) { return theme.brain == &brain && theme.path == pages[doc].path; });
      };
      kbrepo::index::SearchOptions options;
      options.limit = kFallbackThemes;
      options.prior = [&](std::uint32_t doc) { return theme_of(doc) == themes.end() ? 0.0f : 1.0f; };
      std::string const question = out_.question;
      for (auto const& hit :
           brain.book->snapshot->index(brain.book->grant).search(kbrepo::index::query_terms(question), options)) {
        auto const theme = theme_of(hit.doc);
        bool const known = theme == themes.end() ||
                           std::any_of(out.begin(), out.end(), [&](Theme const& t) { return t.path == theme->path; });
        if (!known && out.size() < kFallbackThemes) out.push_back(*theme);
      }
    }
    return out;
  }

  void take(Theme const& theme, std::vector<Theme> const& all) {
    PagePtr const doc = page(*theme.brain, theme.path);
    if (!doc) return;
    std::string const category = category_of(*doc);
    if (!query_.category.empty() && category != query_.category) return;
    if (share_in(topic_, words_of(doc->title + " " + spaced(theme.slug) + " " + doc->text)) < kOnTopic) return;
    cite(theme.cited(), *doc);
    ++on_topic_;
    point_outside(*doc);
    if (category != "pattern" || !query_.category.empty()) return;
    // S3-42: a pattern is not told without its corrective antipattern.
    for (std::string const& link : doc->links) {
      for (Theme const& other : all) {
        if (!leads_to(link, other) || other.brain->kind != theme.brain->kind) continue;
        PagePtr const corrective = page(*other.brain, other.path);
        if (corrective && category_of(*corrective) == "antipattern") cite(other.cited(), *corrective);
      }
    }
  }

  void point_outside(kbrepo::Page const& doc) {
    for (std::string const& link : doc.links) {
      for (Theme const& other : outside_) {
        std::string const cited = other.cited();
        bool const known = std::find(out_.see_also.begin(), out_.see_also.end(), cited) != out_.see_also.end();
        if (!known && leads_to(link, other)) out_.see_also.push_back(cited);
      }
    }
  }

  /// The theme's best sentence, in its own words.
  void cite(std::string const& source, kbrepo::Page const& doc) {
    if (std::find(out_.sources.begin(), out_.sources.end(), source) != out_.sources.end()) return;
    std::string best;
    double most = -1;
    for (kbrepo::Block const& block : doc.blocks) {
      std::string const heading = kbrepo::index::fold(doc.sections[block.section].heading);
      bool const body = (block.kind == kbrepo::BlockKind::paragraph || block.kind == kbrepo::BlockKind::list_item) &&
                        heading != "sources" && heading != "see also";
      if (!body) continue;
      for (std::string_view const sentence : answer::sentences_of(doc.bytes(block))) {
        double const share = share_in(topic_, words_of(sentence));
        if (share <= most) continue;
        most = share;
        best = std::string(sentence);
      }
    }
    std::replace(best.begin(), best.end(), '\n', ' ');
    out_.sources.push_back(source);
    if (!best.empty()) out_.answer.append(out_.answer.empty() ? "" : " ").append(best);
  }

  /// C-1: the text of a profile, and of Brain 1's own files, may be cited; a line that only leads to a theme never.
  void take_facts() {
    for (auto const& [brain, doc] : facts_) {
      std::string const name = doc->path.substr(brain->folder.size());
      bool const citable = (brain->kind == "project" && name == "profile.md") || brain->kind == "forge-dev";
      if (!citable || !query_.category.empty()) continue;
      for (kbrepo::Block const& block : doc->blocks) {
        std::string_view const text = doc->bytes(block);
        if (is_link_line(text) || share_in(topic_, words_of(text)) < kOnTopic) continue;
        std::string one(text.substr(text.find_first_not_of("-*+ ")));
        std::replace(one.begin(), one.end(), '\n', ' ');
        out_.sources.push_back(brain->cited + name);
        out_.answer.append(out_.answer.empty() ? "" : " ").append(one);
        ++on_topic_;
        break;
      }
    }
  }

  void conclude() {
    facts_.clear();
    out_.confidence = on_topic_ >= 2 ? "high" : on_topic_ == 1 ? "medium" : "low";
    on_topic_ = 0;
    if (out_.sources.empty()) out_.answer = "No theme in scope answers this.";
    out_.gap = out_.confidence == "low" || names_absence(out_.answer);
  }

  std::vector<Brain> const& brains_;
  std::vector<Theme> outside_;
  BrainQuery const& query_;
  std::vector<std::string>& warnings_;
  std::vector<std::pair<Brain const*, PagePtr>> facts_;
  Texts topic_;
  std::size_t on_topic_ = 0;
  BrainAnswer out_;
};

/// The brains of one kind over all books.
void add_brains(std::span<Book const> books, std::string_view kind, std::string const& project,
                std::vector<Brain>& out) {
  for (Book const& book : books) {
    auto const has = [&](std::string const& folder) { return book.snapshot->has_folder(book.grant, folder); };
    if (kind != "project") {
      std::string const folder = "brain/" + std::string(kind);
      if (has(folder)) out.push_back({kind, &book, folder + "/", folder + "/"});
      continue;
    }
    std::vector<std::string> names;
    if (!project.empty()) {
      names.push_back(project);
    } else {
      for (kbrepo::PageInfo const& info : book.snapshot->pages(book.grant)) {
        if (!info.path.starts_with("brain/projects/")) continue;
        std::string name = info.path.substr(15, info.path.find('/', 15) - 15);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
      }
    }
    for (std::string const& name : names) {
      std::string const folder = "brain/projects/" + name;
      if (has(folder)) {
        out.push_back({kind, &book, folder + "/", folder + "/"});
      } else if (book.snapshot->repo().repo == name && has("brain/themes")) {
        out.push_back({kind, &book, "brain/", folder + "/"});
      }
    }
  }
}

}  // namespace

BrainReply query_brain(std::span<Book const> books, BrainQuery const& query) {
  BrainReply reply;
  auto const fault = [&](std::string why) {
    reply.error = std::move(why);
    return reply;
  };
  if (query.questions.empty()) return fault("question is required");
  bool const known_category =
      query.category.empty() || std::find(kCategories.begin(), kCategories.end(), query.category) != kCategories.end();
  if (!known_category) {
    return fault("category is pattern, antipattern, decision, operation or reference, not \"" + query.category + "\"");
  }
  std::string scope = query.scope;
  if (scope.empty() && !query.role.empty()) {
    auto const role = std::find_if(kRoles.begin(), kRoles.end(), [&](auto const& r) { return r.role == query.role; });
    if (role == kRoles.end()) return fault("role \"" + query.role + "\" has no default scope; supply one");
    scope = role->scope;
  }
  if (scope.empty()) {
    scope = "all";
    reply.warnings.emplace_back(kNoScope);
  }
  std::vector<Brain> brains;
  bool const all = scope == "all";
  for (std::string const& one : all ? Texts{"forge-dev", "cycles", "project"} : split(scope, ',')) {
    if (one != "forge-dev" && one != "cycles" && one != "project") {
      return fault("scope is forge-dev, cycles, project or all, not \"" + one + "\"");
    }
    bool const odd =
        query.project.find_first_of("/\\") != std::string::npos || query.project.find("..") != std::string::npos;
    if (one == "project" && ((query.project.empty() && !all) || odd))
      return fault("project is required when scope has project");
    std::string_view const kind = one == "forge-dev" ? "forge-dev" : one == "cycles" ? "cycles" : "project";
    add_brains(books, kind, query.project, brains);
  }
  std::vector<Brain> everywhere;
  for (std::string_view const kind : {"forge-dev", "cycles", "project"}) add_brains(books, kind, "", everywhere);
  std::vector<Theme> outside;
  for (Brain const& brain : everywhere) {
    bool const in_scope = std::any_of(brains.begin(), brains.end(), [&brain](Brain const& one) {
      return one.book == brain.book && one.folder == brain.folder;
    });
    if (in_scope) continue;
    for (Theme& theme : themes_of(brain)) outside.push_back(std::move(theme));
  }
  Lookup lookup(brains, std::move(outside), query, reply.warnings);
  for (std::string const& question : query.questions) reply.answers.push_back(lookup.answer(question));
  return reply;
}

bool names_absence(std::string_view text) {
  // N-38.
  constexpr std::array<std::string_view, 16> kPhrases{
      "no documentation", "not documented", "undocumented", "no record",  "doesn't have", "does not have",
      "no theme",         "not covered",    "unknown",      "no mention", "没有记录",     "未记录",
      "没有文档",         "没有提到",       "未提及",       "没有相关"};
  std::string const folded = kbrepo::index::fold(text);
  return std::any_of(kPhrases.begin(), kPhrases.end(),
                     [&](std::string_view phrase) { return folded.find(kbrepo::index::fold(phrase)) != folded.npos; });
}

}  // namespace kb::protocols
