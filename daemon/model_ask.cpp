#include "daemon/model_ask.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "adapters/model/openai.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {

namespace asio = boost::asio;

aio::Task<answer::Answer> ask_in_steps(aio::Pool& cpu, model::ModelClient* model, std::string query_id,
                                       scope::ScopeRequest request, World world,
                                       std::vector<answer::EarlierTurn> earlier) {
  answer::Answer answer;
  std::optional<Asking> asking;
  std::optional<answer::Prompt> prompt;
  auto prepare = [&] {
    asking.emplace(query_id, request, world, steady_stopwatch(), earlier, model != nullptr);
    prompt = asking->prompt();
    if (!prompt) answer = asking->conclude();
  };
  co_await cpu.run(prepare);
  if (!prompt) co_return answer;
  while (prompt) {
    model::Request wanted{std::move(prompt->system), std::move(prompt->user)};
    Result<std::string> reply = co_await model->complete(std::move(wanted));
    prompt.reset();
    if (!reply) {
      log::write(log::Level::warn, "model.failed", {{"query_id", query_id}, {"reason", reply.error().what}});
      asking->give_up(reply.error().what);
      break;
    }
    auto take = [&] {
      asking->take(*reply);
      prompt = asking->prompt();
    };
    co_await cpu.run(take);
  }
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
  std::exception_ptr fault;
  asio::co_spawn(io, ask_in_steps(cpu, model.get(), query_id, request, world, {}),
                 [&](std::exception_ptr e, answer::Answer out) {
                   fault = e;
                   answer = std::move(out);
                   io.stop();  // connections kept for a next call
                 });
  io.run();
  if (fault) std::rethrow_exception(fault);
  return answer;
}

}  // namespace kb::daemon
