/// The objects of kb_list and kb_read (INTERFACES §2). For .cpp files of this room only.
#pragma once

#include "daemon/json_out.hpp"
#include "kbrepo/snapshot.hpp"

namespace kb::daemon {

/// all, or one of the catalogue's lists.
[[nodiscard]] bool is_list_kind(std::string_view kind) noexcept;
[[nodiscard]] Json list_json(kbrepo::Snapshot const& snapshot, scope::ReadGrant const& grant, std::string_view kind);
[[nodiscard]] Json page_json(kbrepo::Snapshot const& snapshot, kbrepo::Page const& page);

}  // namespace kb::daemon
