/// A model that says one sentence: what a gateway answers with when its kbgate plugin is off, instead of a guess. The
/// form is OpenAI's chat completions, plain and streamed.
#pragma once

#include <string>
#include <string_view>

#include "adapters/aio/http.hpp"
#include "config/clock.hpp"

namespace kb::daemon {

/// The answer to POST /v1/chat/completions. Whatever is asked, `sentence` is said. 400 when the body is no JSON object.
[[nodiscard]] aio::HttpResponse say_sentence(std::string_view body, std::string_view sentence, TimePoint now);
/// GET /v1/models: the one model there is.
[[nodiscard]] aio::HttpResponse list_models(TimePoint now);

}  // namespace kb::daemon
