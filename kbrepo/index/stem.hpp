/// English stems by Snowball, remembered per thread.
#pragma once

#include <string_view>

namespace kb::kbrepo::index {

/// The stem of a lower-case ASCII word. The view holds until the next call on this thread.
[[nodiscard]] std::string_view stem(std::string_view word);

}  // namespace kb::kbrepo::index
