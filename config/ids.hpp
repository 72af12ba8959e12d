/// Names of people, chats, teams and repositories as types of their own, so that one cannot stand for another.
#pragma once

#include <compare>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

namespace kb {

/// A string that names one kind of thing. Compared byte by byte.
template <class Tag>
class Name {
 public:
  Name() = default;
  explicit Name(std::string value) : value_(std::move(value)) {}

  [[nodiscard]] std::string const& str() const noexcept { return value_; }
  [[nodiscard]] bool empty() const noexcept { return value_.empty(); }
  friend auto operator<=>(Name const&, Name const&) = default;
  friend std::ostream& operator<<(std::ostream& out, Name const& name) { return out << name.value_; }

 private:
  std::string value_;
};

using UserId = Name<struct UserTag>;  ///< a sender's open_id
using ChatId = Name<struct ChatTag>;  ///< a group's chat_id; empty in a private chat
using TeamId = Name<struct TeamTag>;

/// A repository by its hosting name, `owner/repo`.
struct RepoId {
  std::string owner;
  std::string repo;

  RepoId() = default;
  RepoId(std::string o, std::string r) : owner(std::move(o)), repo(std::move(r)) {}
  [[nodiscard]] std::string str() const { return owner + "/" + repo; }
  [[nodiscard]] bool empty() const noexcept { return owner.empty() && repo.empty(); }
  friend auto operator<=>(RepoId const&, RepoId const&) = default;
  friend std::ostream& operator<<(std::ostream& out, RepoId const& id) { return out << id.owner << '/' << id.repo; }
};

/// Language of a question, and so of the words around its answer.
enum class Lang { zh, en };

}  // namespace kb

template <class Tag>
struct std::hash<kb::Name<Tag>> {
  std::size_t operator()(kb::Name<Tag> const& name) const noexcept { return std::hash<std::string>{}(name.str()); }
};

template <>
struct std::hash<kb::RepoId> {
  std::size_t operator()(kb::RepoId const& id) const noexcept {
    return std::hash<std::string>{}(id.owner) * 31 + std::hash<std::string>{}(id.repo);
  }
};
