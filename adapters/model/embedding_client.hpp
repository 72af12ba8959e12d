/// The seam to an embedding model: texts in, vectors out.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "adapters/aio/task.hpp"
#include "config/result.hpp"

namespace kb::model {

struct Embedded {
  std::size_t dimension = 0;
  std::vector<float> values;  ///< texts × dimension, in the order of the texts; each of length 1
};

class EmbeddingClient {
 public:
  virtual ~EmbeddingClient() = default;
  /// One call for all texts: the caller keeps to what the server takes at once. `limit` bounds it with its repeats.
  /// unavailable: down, late, or left alone after it failed; exhausted: the reply is too large; denied: the key is
  /// refused; corrupt: no vectors, too few, or of different lengths. Loop thread only.
  [[nodiscard]] virtual aio::Task<Result<Embedded>> embed(std::vector<std::string> texts,
                                                          std::chrono::milliseconds limit) = 0;
};

}  // namespace kb::model
