#include "tests/support/captured_log.hpp"

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

#include "logging/service_log.hpp"

namespace kb::test {

CapturedLog::CapturedLog() : file_(dir_.path() / "stderr"), kept_(::dup(STDERR_FILENO)) {
  log::flush();
  int const to = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (to < 0 || ::dup2(to, STDERR_FILENO) < 0) throw std::runtime_error("standard error cannot be captured");
  ::close(to);
  log::set_level(log::Level::debug);
}

CapturedLog::~CapturedLog() {
  log::flush();
  ::dup2(kept_, STDERR_FILENO);
  ::close(kept_);
  log::set_level(log::Level::warn);
}

std::string CapturedLog::text() const {
  log::flush();
  std::ifstream in(file_);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> CapturedLog::lines() const {
  std::istringstream in(text());
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string CapturedLog::news() {
  log::flush();
  std::error_code failed;
  std::size_t const size = std::filesystem::file_size(file_, failed);
  if (failed || size <= read_) return {};
  std::string const all = text();
  std::string out = all.substr(read_);
  read_ = all.size();
  return out;
}

}  // namespace kb::test
