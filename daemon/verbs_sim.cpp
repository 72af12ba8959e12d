// sim: the simulators, for trying an adapter without the platform.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <filesystem>
#include <memory>
#include <utility>

#include "adapters/aio/task_group.hpp"
#include "adapters/aio/tls.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"
#include "logging/service_log.hpp"
#include "tests/feishu_sim/certificate.hpp"
#include "tests/feishu_sim/simulator.hpp"

namespace kb::daemon {
namespace {

/// A certificate made for this run, in `ca_file` for its clients. The key's file is gone when this returns.
Result<std::shared_ptr<aio::TlsContext>> make_tls(std::filesystem::path const& ca_file) {
  std::filesystem::path key = ca_file;
  key += ".key";
  Result<void> const written = feishu_sim::write_certificate(ca_file, key);
  if (!written) return written.error();
  auto context = aio::TlsContext::server(ca_file, key);
  std::error_code ignored;
  std::filesystem::remove(key, ignored);
  return context;
}

}  // namespace

int sim_feishu_verb(SimFeishuOptions const& options, Io io) {
  feishu_sim::SimulatorOptions settings;
  if (!options.app_id.empty()) settings.app_id = options.app_id;
  if (!options.app_secret.empty()) settings.app_secret = options.app_secret;
  settings.events_dir = options.events;
  settings.rate_limits = !options.no_rate_limits;
  settings.verbose = options.verbose;
  if (options.verbose) log::set_level(log::Level::info);

  boost::asio::io_context context(1);
  feishu_sim::Simulator simulator(context.get_executor(), settings);
  if (options.tls) {
    if (options.ca_out.empty()) return fail(io, "bad_request", "--tls needs --ca_out", kUsage);
    Result<std::shared_ptr<aio::TlsContext>> tls = make_tls(options.ca_out);
    if (!tls) return fail(io, tls.error());
    simulator.use_tls(std::move(*tls));
  }
  Result<std::uint16_t> const port = simulator.listen("127.0.0.1", options.port);
  if (!port) return fail(io, port.error());
  boost::asio::signal_set signals(context, SIGTERM, SIGINT);
  signals.async_wait([&](boost::system::error_code, int) { simulator.stop(); });
  aio::TaskGroup tasks(context.get_executor(), aio::log_faults());
  tasks.spawn("simulator", simulator.run());
  Json ready{{"ready", true},
             {"base", simulator.base()},
             {"port", *port},
             {"app_id", settings.app_id},
             {"app_secret", settings.app_secret},
             {"bot_open_id", settings.bot_open_id}};
  if (options.tls) ready["ca"] = options.ca_out;
  print(io.out, ready);
  context.run();
  return kDone;
}

}  // namespace kb::daemon
