/// .meta/manifest.json (ACCEPTANCE 1.1): which documents were made from which sources; both shapes in the field (N-6).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kb::protocols {

struct ManifestSource {
  std::string path, sha256;
  std::vector<std::string> contributed_to;
};

/// The map `files` (and `manifests`) of versions 1 and 2, or the list `sources[]`. Nothing when it is neither.
[[nodiscard]] std::optional<std::vector<ManifestSource>> parse_manifest(std::string_view json);

/// SHA-256 of a source file now, in hex; nothing when it is gone.
using HashOf = std::function<std::optional<std::string>(std::string const& path)>;
/// Documents of every source that changed or is gone, without repeats, in the manifest's order.
[[nodiscard]] std::vector<std::string> stale_documents(std::vector<ManifestSource> const& sources,
                                                       HashOf const& hash_of);

}  // namespace kb::protocols
