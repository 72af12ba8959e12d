/// The app's tenant token, kept fresh.
#pragma once

#include <chrono>
#include <string>

#include "adapters/aio/signal.hpp"
#include "adapters/feishu/api.hpp"

namespace kb::feishu {

/// A token, or why there is none: an outcome that is not ok.
struct TokenOr {
  std::string token;
  Outcome outcome;
};

/// Loop thread only. One fetch at a time, whoever asks. Fetched 5 minutes before its end; when that fails the old one
/// serves to its end. Tokens and the secret are in no log and no error.
class Token {
 public:
  Token(aio::Executor ex, aio::HttpClient& http, App const& app, Clock const& clock);

  [[nodiscard]] aio::Task<TokenOr> get();
  /// The platform refused this one. Nothing happens when it has been replaced meanwhile.
  void drop(std::string const& token);

 private:
  aio::Task<TokenOr> fetch();
  void keep(std::string token, std::chrono::seconds life);

  aio::HttpClient& http_;
  App const& app_;
  Clock const& clock_;
  std::string token_;
  std::chrono::steady_clock::time_point fresh_until_{}, valid_until_{};
  bool fetching_ = false;
  std::uint64_t fetches_ = 0;
  TokenOr last_;  ///< of the last fetch: all who waited for it get it
  aio::Signal fetched_;
};

}  // namespace kb::feishu
