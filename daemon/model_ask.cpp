#include "daemon/model_ask.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "adapters/model/openai.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {

namespace asio = boost::asio;

namespace {

/// Carries prompts to the model and completions back until it has been heard or its time is over.
aio::Task<> consult(aio::Pool& cpu, model::ModelClient& model, std::string query_id, answer::Inquiry& inquiry) {
  auto const end = std::chrono::steady_clock::now() + model.question_limit();
  std::optional<answer::Prompt> prompt = inquiry.prompt();
  while (prompt) {
    model::Request wanted(std::move(prompt->system), std::move(prompt->user));
    wanted.enough = answer::CompletionEnd();
    wanted.end = end;
    Result<std::string> reply = co_await model.complete(std::move(wanted));
    prompt.reset();
    if (!reply) {
      log::write(log::Level::warn, "model.failed", {{"query_id", query_id}, {"reason", reply.error().what}});
      inquiry.give_up(reply.error().what);
      break;
    }
    auto take = [&] {
      inquiry.take(*reply);
      prompt = inquiry.prompt();
    };
    co_await cpu.run(take);
  }
}

/// Turns a loop of its own until the task has ended. Connections that are kept for a next call end with it.
void run_now(asio::io_context& io, aio::Task<> task) {
  std::exception_ptr fault;
  asio::co_spawn(io, std::move(task), [&](std::exception_ptr e) {
    fault = e;
    io.stop();
  });
  io.run();
  if (fault) std::rethrow_exception(fault);
}

aio::Task<> keep_answer(aio::Task<answer::Answer> asking, answer::Answer& into) { into = co_await std::move(asking); }

}  // namespace

aio::Task<answer::Answer> ask_in_steps(aio::Pool& cpu, model::ModelClient* model, std::string query_id,
                                       scope::ScopeRequest request, World world,
                                       std::vector<answer::EarlierTurn> earlier) {
  answer::Answer answer;
  std::optional<Asking> asking;
  bool wants_model = false;
  auto prepare = [&] {
    asking.emplace(query_id, request, world, steady_stopwatch(), earlier, model != nullptr);
    wants_model = asking->inquiry() != nullptr && asking->inquiry()->prompt();
    if (!wants_model) answer = asking->conclude();
  };
  co_await cpu.run(prepare);
  if (!wants_model) co_return answer;
  co_await consult(cpu, *model, query_id, *asking->inquiry());
  auto conclude = [&] { answer = asking->conclude(); };
  co_await cpu.run(conclude);
  co_return answer;
}

std::unique_ptr<model::ModelClient> make_model(aio::Executor ex, config::AnswerSettings const& settings,
                                               Clock const& clock) {
  if (!settings.model) return nullptr;
  Result<std::unique_ptr<model::OpenAiClient>> client =
      model::OpenAiClient::make(std::move(ex), *settings.model, clock);
  if (client) return std::move(*client);
  log::write(log::Level::error, "model.unusable", {{"reason", client.error().what}});
  return nullptr;
}

answer::Answer ask_now(std::string const& query_id, scope::ScopeRequest const& request, World const& world,
                       Clock const& clock) {
  config::AnswerSettings const& settings = world.books->settings.answer;
  if (!settings.model) return ask(query_id, request, world, steady_stopwatch());
  asio::io_context io(1);
  aio::Pool cpu(1);
  std::unique_ptr<model::ModelClient> const model = make_model(io.get_executor(), settings, clock);
  answer::Answer answer;
  run_now(io, keep_answer(ask_in_steps(cpu, model.get(), query_id, request, world, {}), answer));
  return answer;
}

void consult_now(std::string const& query_id, answer::Inquiry& inquiry, config::AnswerSettings const& settings,
                 Clock const& clock) {
  asio::io_context io(1);
  aio::Pool cpu(1);
  std::unique_ptr<model::ModelClient> const model = make_model(io.get_executor(), settings, clock);
  if (model) run_now(io, consult(cpu, *model, query_id, inquiry));
}

}  // namespace kb::daemon
