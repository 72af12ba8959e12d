/// Small knowledge bases as books for the query protocols.
#pragma once

#include <deque>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "answer/protocols/book.hpp"
#include "tests/support/temp_repo.hpp"

namespace kb::test {

/// Repositories made in the test, and the newest commit of each as a book.
class Books {
 public:
  /// Makes the repository on the first call, else commits on top; nothing as content deletes.
  protocols::Book const& add(RepoId const& id, std::map<std::string, std::string> const& pages,
                             std::vector<std::string> const& include = {}) {
    Shelf& shelf = shelves_[id];
    shelf.repo.commit(pages);
    config::RepoSettings settings;
    settings.id = id;
    settings.git = shelf.repo.path();
    settings.include = include;
    settings.web_url = "https://git.example/{owner}/{repo}/{commit}/{path}#L{start}-L{end}";
    auto const commit = kbrepo::CommitId::parse(shelf.repo.head());
    auto built = kbrepo::Snapshot::build(settings, *commit, nullptr, {});
    if (!built) FAIL(built.error().what);
    protocols::Book book{*built, scope::operator_grant(id, scope::Label::team)};
    for (protocols::Book& known : books_) {
      if (known.snapshot->repo() == id) return known = std::move(book);
    }
    books_.push_back(std::move(book));
    return books_.back();
  }
  protocols::Book const& add(std::map<std::string, std::string> const& pages) { return add({"acme", "kb"}, pages); }

  [[nodiscard]] std::vector<protocols::Book> const& all() const { return books_; }
  [[nodiscard]] TempRepo& repo(RepoId const& id) { return shelves_.at(id).repo; }
  /// A page's text as the newest commit has it.
  [[nodiscard]] std::string text(RepoId const& id, std::string const& path) const {
    for (protocols::Book const& book : books_) {
      if (book.snapshot->repo() != id) continue;
      auto const page = book.snapshot->read(book.grant, path);
      return page ? (*page)->text : std::string();
    }
    return {};
  }

 private:
  struct Shelf {
    TempRepo repo;
  };
  std::map<RepoId, Shelf> shelves_;
  std::vector<protocols::Book> books_;
};

}  // namespace kb::test
