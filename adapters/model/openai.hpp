/// OpenAI-compatible chat completions over HTTP(S): OpenAI, DeepSeek, Qwen, vLLM, Ollama, llama.cpp and their like.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/aio/http_client.hpp"
#include "adapters/model/model_client.hpp"
#include "config/clock.hpp"
#include "config/settings.hpp"

namespace kb::model {

/// What one reply of the server holds.
struct Completion {
  std::string text;
  std::uint64_t tokens = 0;  ///< as counted by the server, prompt included; 0: it does not say
};
/// Of a body with status 200. Reasoning stays out; where a server puts everything into it, it is the text. corrupt: no
/// message in it.
[[nodiscard]] Result<Completion> read_reply(std::string_view body);
/// The request's body. `plain`: without response_format, for servers that do not know it.
[[nodiscard]] std::string request_body(config::ModelSettings const& settings, Request const& request, bool plain);

class OpenAiClient final : public ModelClient {
 public:
  /// Reads the key file and the authorities. invalid_input names what is wrong with them.
  [[nodiscard]] static Result<std::unique_ptr<OpenAiClient>> make(aio::Executor ex, config::ModelSettings settings,
                                                                  Clock const& clock);
  ~OpenAiClient() override;

  [[nodiscard]] aio::Task<Result<std::string>> complete(Request request) override;

 private:
  struct State;
  explicit OpenAiClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kb::model
