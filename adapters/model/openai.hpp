/// OpenAI-compatible chat completions over HTTP(S): OpenAI, DeepSeek, Qwen, vLLM, Ollama, llama.cpp and their like.
#pragma once

#include <memory>
#include <string>

#include "adapters/aio/http_client.hpp"
#include "adapters/model/model_client.hpp"
#include "config/clock.hpp"
#include "config/settings.hpp"

namespace kb::model {

/// The request's body. `plain`: neither streamed nor with response_format, for servers that do not know these.
[[nodiscard]] std::string request_body(config::ModelSettings const& settings, Request const& request, bool plain);

class OpenAiClient final : public ModelClient {
 public:
  /// Reads the key file, the authorities and the proxy's address. invalid_input names what is wrong with them.
  [[nodiscard]] static Result<std::unique_ptr<OpenAiClient>> make(aio::Executor ex, config::ModelSettings settings,
                                                                  Clock const& clock);
  ~OpenAiClient() override;

  [[nodiscard]] std::chrono::milliseconds question_limit() const override;
  [[nodiscard]] aio::Task<Result<std::string>> complete(Request request) override;

 private:
  struct State;
  explicit OpenAiClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kb::model
