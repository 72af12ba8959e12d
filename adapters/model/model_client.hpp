/// The seam to a language model: text in, text out. What it says is never trusted.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "adapters/aio/task.hpp"
#include "config/result.hpp"

namespace kb::model {

struct Request {
  Request(std::string system_text, std::string user_text)
      : system(std::move(system_text)), user(std::move(user_text)) {}

  std::string system;
  std::string user;
  /// Whether what has come so far needs nothing behind it: the rest is not waited for. Empty: all of it is read.
  std::function<bool(std::string_view)> enough;
  /// Nothing of it goes on beyond this: the question's end, the same for all its requests.
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
};

class ModelClient {
 public:
  virtual ~ModelClient() = default;
  /// How long all requests of one question may take together.
  [[nodiscard]] virtual std::chrono::milliseconds question_limit() const = 0;
  /// The completion's text; of one that broke off what had come. unavailable: down, late, or not to be had after all
  /// tries; exhausted: a budget is spent or the reply is too large; denied: the key is refused; corrupt: no completion.
  /// Bounded by the client's own limits and the request's end. Loop thread only.
  [[nodiscard]] virtual aio::Task<Result<std::string>> complete(Request request) = 0;
};

}  // namespace kb::model
