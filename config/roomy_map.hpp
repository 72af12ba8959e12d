/// A hash table that is so roomy that a look-up takes the same time however much else is in it: no level of a tree and
/// hardly ever a neighbour to pass, so that times tell nothing of what the caller may not see. Entries stand in the
/// table itself: a look-up touches none but its own, where std::unordered_map reads the node before it, whosever that
/// is. References into it end with the next insertion of a new key.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

namespace kb::config {

template <class Key, class Value>
class RoomyMap : public boost::unordered_flat_map<Key, Value, std::hash<Key>> {
  using Table = boost::unordered_flat_map<Key, Value, std::hash<Key>>;

 public:
  RoomyMap() = default;
  RoomyMap(std::initializer_list<std::pair<Key const, Value>> entries) {
    for (auto const& entry : entries) this->emplace(entry.first, entry.second);
  }

  Value& operator[](Key const& key) {
    make_room();
    return Table::operator[](key);
  }
  template <class... Args>
  auto emplace(Args&&... args) {
    make_room();
    return Table::emplace(std::forward<Args>(args)...);
  }

  /// Its values in the order of their keys, for what is printed; while the map is unchanged.
  [[nodiscard]] std::vector<Value const*> in_order() const {
    std::vector<std::pair<Key const*, Value const*>> all;
    for (auto const& [key, value] : *this) all.emplace_back(&key, &value);
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return *a.first < *b.first; });
    std::vector<Value const*> out;
    for (auto const& [key, value] : all) out.push_back(value);
    return out;
  }

 private:
  void make_room() {
    if (4 * (this->size() + 1) > this->bucket_count()) this->reserve(4 * (this->size() + 1));
  }
};

}  // namespace kb::config
