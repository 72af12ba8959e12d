#include "adapters/feishu/backoff.hpp"

#include <algorithm>

namespace kb::feishu {

Backoff::Backoff(Pause first, std::uint64_t seed)
    : first_(first), random_(seed != 0 ? static_cast<std::minstd_rand::result_type>(seed) : std::random_device()()) {}

Backoff::Pause Backoff::next(Pause longest) {
  grown_ = std::min(grown_ == Pause::zero() ? first_ : 2 * grown_, longest);
  return between(grown_ / 2, grown_);
}

Backoff::Pause Backoff::between(Pause least, Pause most) {
  return Pause(std::uniform_int_distribution<Pause::rep>(least.count(), most.count())(random_));
}

}  // namespace kb::feishu
