// check_config and version.
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"
#include "daemon/version.hpp"

namespace kb::daemon {
namespace {

Json faults_json(std::vector<config::Fault> const& faults) {
  Json out = Json::array();
  for (config::Fault const& f : faults) {
    Json row{{"file", f.file}, {"line", f.line}, {"message", f.message}};
    if (f.column > 0) row["column"] = f.column;
    row["hint"] = f.hint;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

int check_config_verb(std::string const& config, Io io) {
  Result<std::filesystem::path> const file = config::find_settings_file(config);
  if (!file) {
    Json const fault{{"file", config}, {"line", 0}, {"message", file.error().what}, {"hint", "pass --config PATH"}};
    print(io.out, {{"success", false}, {"errors", Json::array({fault})}, {"warnings", Json::array()}});
    return kConfiguration;
  }
  config::Loaded<config::Books> const loaded = config::load_books(*file);
  print(io.out, {{"success", loaded.value.has_value()},
                 {"file", file->string()},
                 {"errors", faults_json(loaded.errors)},
                 {"warnings", faults_json(loaded.warnings)}});
  return loaded.value ? kDone : kConfiguration;
}

int version_verb(Io io) {
  print(io.out, {{"version", kVersion}, {"commit", kBuildCommit}, {"build", kBuildType}});
  return kDone;
}

}  // namespace kb::daemon
