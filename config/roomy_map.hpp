/// A hash table that is so roomy that a look-up takes the same time however much else is in it: no level of a tree and
/// hardly ever a neighbour to pass, so that times tell nothing of what the caller may not see.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kb::config {

template <class Key, class Value>
class RoomyMap : public std::unordered_map<Key, Value> {
 public:
  RoomyMap() { this->max_load_factor(.25f); }
  RoomyMap(std::initializer_list<std::pair<Key const, Value>> entries) : RoomyMap() { this->insert(entries); }

  /// Its values in the order of their keys, for what is printed; while the map is unchanged.
  [[nodiscard]] std::vector<Value const*> in_order() const {
    std::vector<std::pair<Key const*, Value const*>> all;
    for (auto const& [key, value] : *this) all.emplace_back(&key, &value);
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return *a.first < *b.first; });
    std::vector<Value const*> out;
    for (auto const& [key, value] : all) out.push_back(value);
    return out;
  }
};

}  // namespace kb::config
