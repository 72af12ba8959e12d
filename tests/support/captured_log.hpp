/// The service log of this process as text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_repo.hpp"

namespace kb::test {

/// Standard error goes to a file for as long as this lives, with every level in it; at the end the level is again what
/// it is in every test.
class CapturedLog {
 public:
  CapturedLog();
  ~CapturedLog();
  CapturedLog(CapturedLog const&) = delete;
  CapturedLog& operator=(CapturedLog const&) = delete;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<std::string> lines() const;
  /// What came since this was last asked.
  [[nodiscard]] std::string news();

 private:
  TempDir dir_;
  std::filesystem::path file_;
  int kept_;
  std::size_t read_ = 0;
};

}  // namespace kb::test
