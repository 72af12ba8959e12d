/// The seam to a language model: text in, text out. What it says is never trusted.
#pragma once

#include <string>

#include "adapters/aio/task.hpp"
#include "config/result.hpp"

namespace kb::model {

struct Request {
  std::string system;
  std::string user;
};

class ModelClient {
 public:
  virtual ~ModelClient() = default;
  /// The completion's text. unavailable: down, late, or not to be had after all tries; exhausted: a budget is spent or
  /// the reply is too large; denied: the key is refused; corrupt: no completion. Bounded by the client's own limits.
  /// Loop thread only.
  [[nodiscard]] virtual aio::Task<Result<std::string>> complete(Request request) = 0;
};

}  // namespace kb::model
