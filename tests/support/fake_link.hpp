#pragma once

#include <deque>
#include <string>
#include <vector>

#include "adapters/aio/link.hpp"
#include "adapters/aio/signal.hpp"

namespace kb::test {

/// A peer in memory. The test scripts what it says and sees what it got; no sockets, no time.
class FakeLink final : public aio::Link {
 public:
  explicit FakeLink(aio::Executor ex);

  void peer_says(std::string message);  ///< what read() returns next
  void peer_leaves();                   ///< read() ends after what was said
  void peer_reads_again();              ///< after peer_reads was false
  bool peer_answers_close = true;       ///< false: close() hangs until abort()
  bool peer_reads = true;               ///< false: write() hangs until abort()
  std::vector<std::string> got;         ///< what was written to the peer
  bool closed = false, aborted = false;
  unsigned short close_code = 1000;
  std::size_t unread() const noexcept { return inbox_.size(); }

  aio::Task<Result<std::string>> read() override;
  [[nodiscard]] bool got_binary() const noexcept override { return false; }
  void send_binary(bool) override {}
  aio::Task<Result<void>> write(std::string message) override;
  aio::Task<> close() override;
  void set_close(unsigned short code, std::string reason) override;
  void abort() noexcept override;

 private:
  aio::Signal changed_;
  std::deque<std::string> inbox_;
  bool gone_ = false;
};

}  // namespace kb::test
