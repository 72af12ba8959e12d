/// One question with a model between its two halves: prepared on the cpu pool, asked over the network on the loop,
/// concluded on the pool again. A model that is down, late or bad costs its own sentences, never the answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/aio/pool.hpp"
#include "adapters/model/model_client.hpp"
#include "config/settings.hpp"
#include "daemon/ask.hpp"

namespace kb::daemon {

/// Without a model this is ask() on the pool, in one job.
[[nodiscard]] aio::Task<answer::Answer> ask_in_steps(aio::Pool& cpu, model::ModelClient* model, std::string query_id,
                                                     scope::ScopeRequest request, World world,
                                                     std::vector<answer::EarlierTurn> earlier);

/// The client that the settings name; null when answers are extractive, and when it cannot be made, which is logged.
[[nodiscard]] std::unique_ptr<model::ModelClient> make_model(aio::Executor ex, config::AnswerSettings const& settings,
                                                             Clock const& clock);

/// For verbs: ask_in_steps() on a loop of its own, with what the settings name.
[[nodiscard]] answer::Answer ask_now(std::string const& query_id, scope::ScopeRequest const& request,
                                     World const& world, Clock const& clock);
/// The same between the two halves of an inquiry that is already prepared.
void consult_now(std::string const& query_id, answer::Inquiry& inquiry, config::AnswerSettings const& settings,
                 Clock const& clock);

}  // namespace kb::daemon
