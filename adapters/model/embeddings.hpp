/// OpenAI-compatible embeddings over HTTP(S): POST /v1/embeddings of OpenAI, vLLM, Ollama, llama.cpp, TEI and their
/// like.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/model/embedding_client.hpp"
#include "config/clock.hpp"
#include "config/settings.hpp"

namespace kb::model {

/// Of a body with status 200: `texts` vectors, put in order by their `index`. corrupt: says what does not fit.
[[nodiscard]] Result<Embedded> read_embeddings(std::string_view body, std::size_t texts);
[[nodiscard]] std::string embeddings_body(std::string const& model, std::span<std::string const> texts);

class OpenAiEmbeddings final : public EmbeddingClient {
 public:
  /// Reads the key file and the authorities. invalid_input names what is wrong with them.
  [[nodiscard]] static Result<std::unique_ptr<OpenAiEmbeddings>> make(aio::Executor ex,
                                                                      config::EmbeddingSettings settings,
                                                                      Clock const& clock);
  ~OpenAiEmbeddings() override;

  [[nodiscard]] aio::Task<Result<Embedded>> embed(std::vector<std::string> texts,
                                                  std::chrono::milliseconds limit) override;

 private:
  struct State;
  explicit OpenAiEmbeddings(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kb::model
