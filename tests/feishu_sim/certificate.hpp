/// The certificate of `kbgate sim feishu --tls`.
#pragma once

#include <filesystem>

#include "config/result.hpp"

namespace kb::feishu_sim {

/// Makes a self-signed certificate for localhost and 127.0.0.1, good for a month: PEM, trusted by whoever trusts
/// `chain`. unavailable: a file cannot be written.
[[nodiscard]] Result<void> write_certificate(std::filesystem::path const& chain, std::filesystem::path const& key);

}  // namespace kb::feishu_sim
