#include "config/secret_file.hpp"

#include <algorithm>
#include <cstdlib>

#include "config/atomic_file.hpp"

namespace kb::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCredentials = "$CREDENTIALS_DIRECTORY/";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMaxSecretBytes = 4096;

}  // namespace

fs::path secret_file(Fields& fields, std::string_view key, fs::path const& base, FaultSink& sink) {
  std::string const text = fields.text(key);
  if (!text.starts_with(kCredentials)) return text.empty() ? fs::path() : (base / text).lexically_normal();
  char const* const directory = std::getenv("CREDENTIALS_DIRECTORY");
  if (directory != nullptr) return fs::path(directory) / text.substr(kCredentials.size());
  sink.error(fields.place(key), fields.path(key) + " names $CREDENTIALS_DIRECTORY, which is not set",
             "start under systemd with LoadCredential=, or name a file");
  return text;
}

Result<std::string> read_secret(fs::path const& path, std::string_view key) {
  Result<std::string> text = read_file(path, kMaxSecretBytes);
  if (!text) return at(key, text.error());
  text->erase(text->find_last_not_of(kBlanks) + 1);
  text->erase(0, text->find_first_not_of(kBlanks));
  auto const visible = [](char c) { return c > ' ' && c < 0x7F; };
  bool const one_line = !text->empty() && std::all_of(text->begin(), text->end(), visible);
  if (one_line) return text;
  return Error(Errc::invalid_input, std::string(key) + ": " + path.string() +
                                        (text->empty() ? " is empty" : " holds more than one word") +
                                        "; put the secret in it, and nothing else");
}

}  // namespace kb::config
