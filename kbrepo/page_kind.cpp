#include <algorithm>
#include <array>

#include "kbrepo/ascii.hpp"
#include "kbrepo/page.hpp"

namespace kb::kbrepo {
namespace {

/// Which paths a rule speaks of.
enum class Where : std::uint8_t {
  anywhere,  ///< a file of that name in any folder
  root,      ///< a file of that name at the root
  below,     ///< everything below a folder of that name at the root
};

struct KindRule {
  std::string_view name;  ///< compared without ASCII case
  Where where;
  PageKind kind;
};

/// The first rule that fits decides; projects/<id>/index.md and hidden folders come before it (C-34).
constexpr std::array kKinds{
    KindRule{"log.md", Where::root, PageKind::log},                // a log.md in a folder may be about logarithms
    KindRule{"TEAM_INFO.md", Where::anywhere, PageKind::control},  // holds the invite code
    KindRule{"AGENTS.md", Where::anywhere, PageKind::control},
    KindRule{"CLAUDE.md", Where::anywhere, PageKind::control},
    KindRule{"GEMINI.md", Where::anywhere, PageKind::control},
    KindRule{"linked_team_items.json", Where::anywhere, PageKind::control},
    KindRule{"identity", Where::below, PageKind::control},
    KindRule{"catalog.json", Where::root, PageKind::navigation},
    KindRule{"index.md", Where::anywhere, PageKind::navigation},
    KindRule{"_index.md", Where::anywhere, PageKind::navigation},
    KindRule{"README.md", Where::anywhere, PageKind::navigation},
    KindRule{"SUMMARY.md", Where::anywhere, PageKind::navigation},
    KindRule{"_sidebar.md", Where::anywhere, PageKind::navigation},
    KindRule{"Home.md", Where::anywhere, PageKind::navigation},
};

struct RoleRule {
  std::string_view folder;
  PageRole role;
};
constexpr std::array kRoles{
    RoleRule{"projects", PageRole::project},       // S1-25, S1-28
    RoleRule{"people", PageRole::person},          // S1-26
    RoleRule{"concepts", PageRole::concept_page},  // S1-29
    RoleRule{"resources", PageRole::resource},     // S1-30
    RoleRule{"summaries", PageRole::material},     // S1-31
};
/// Folders that only wrap the layout (brain/projects/…).
constexpr std::array<std::string_view, 5> kWrappers{"brain", "kb", "wiki", "docs", "content"};

/// The first segment and the rest behind its slash; no slash: an empty first segment.
struct Split {
  std::string_view folder, rest;
};
Split split(std::string_view path) noexcept {
  std::size_t const slash = path.find('/');
  if (slash == std::string_view::npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

Split layout(std::string_view path) noexcept {
  Split const first = split(path);
  bool const wrapped = std::find(kWrappers.begin(), kWrappers.end(), first.folder) != kWrappers.end();
  return wrapped ? split(first.rest) : first;
}

bool hidden(std::string_view path) noexcept {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

bool fits(KindRule const& rule, std::string_view path) noexcept {
  switch (rule.where) {
    case Where::anywhere:
      return equal_ascii(path.substr(path.rfind('/') + 1), rule.name);
    case Where::root:
      return equal_ascii(path, rule.name);
    case Where::below:
      return equal_ascii(split(path).folder, rule.name);
  }
  return false;
}

}  // namespace

PageKind kind_of(std::string_view path) noexcept {
  if (hidden(path)) return PageKind::control;
  std::string_view const project = project_of(path);
  if (!project.empty() && ends_with_ascii(path, "/index.md") && split(layout(path).rest).rest == "index.md") {
    return PageKind::evidence;  // an aggregate page that the project's facts are appended to
  }
  auto const rule = std::find_if(kKinds.begin(), kKinds.end(), [path](auto const& r) { return fits(r, path); });
  return rule == kKinds.end() ? PageKind::evidence : rule->kind;
}

PageRole role_of(std::string_view path) noexcept {
  std::string_view const folder = layout(path).folder;
  auto const rule = std::find_if(kRoles.begin(), kRoles.end(), [folder](auto const& r) { return r.folder == folder; });
  return rule == kRoles.end() ? PageRole::other : rule->role;
}

std::string_view project_of(std::string_view path) noexcept {
  Split const at = layout(path);
  return at.folder == "projects" ? split(at.rest).folder : std::string_view();
}

}  // namespace kb::kbrepo
