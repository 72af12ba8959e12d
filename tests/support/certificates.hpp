/// Certificates for tests of TLS, made when they are needed.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/temp_repo.hpp"

namespace kb::test {

/// A certificate authority of its own. Its files live as long as it does.
class Authority {
 public:
  Authority();
  ~Authority();
  Authority(Authority const&) = delete;
  Authority& operator=(Authority const&) = delete;

  struct Files {
    std::filesystem::path chain, key;  ///< PEM
  };
  /// For a host's name or IP address; with a negative time it has expired.
  [[nodiscard]] Files issue(std::string const& host, std::chrono::hours valid = std::chrono::hours(1));
  /// What a client must trust, PEM.
  [[nodiscard]] std::filesystem::path file() const;

 private:
  struct State;
  TempDir directory_;
  std::unique_ptr<State> state_;
};

}  // namespace kb::test
