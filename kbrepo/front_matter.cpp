#include "kbrepo/front_matter.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <stdexcept>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "kbrepo/lines.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kMaxBytes = 64 * 1024;
constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxValues = 2000;

/// In order of preference (C-33).
constexpr std::array<std::string_view, 5> kDateKeys{"updated_at", "updated", "last_updated", "generated_at", "date"};

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps the scalars directly below the top-level map, and those of lists there.
class Collector final : public YAML::EventHandler {
 public:
  std::map<std::string, std::vector<std::string>> values;

  void OnDocumentStart(YAML::Mark const& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const& /*mark*/, YAML::anchor_t /*anchor*/) override { scalar(""); }
  void OnAlias(YAML::Mark const& mark, YAML::anchor_t /*anchor*/) override {
    throw Refused("line " + std::to_string(mark.line + 2) + ": aliases (*name) are not read");
  }
  void OnScalar(YAML::Mark const& /*mark*/, std::string const& /*tag*/, YAML::anchor_t /*anchor*/,
                std::string const& value) override {
    scalar(value);
  }
  void OnSequenceStart(YAML::Mark const& mark, std::string const& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    enter(mark, false);
  }
  void OnSequenceEnd() override { leave(); }
  void OnMapStart(YAML::Mark const& mark, std::string const& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    enter(mark, true);
  }
  void OnMapEnd() override { leave(); }

 private:
  void scalar(std::string const& value) {
    if (++seen_ > kMaxValues) throw Refused("more than " + std::to_string(kMaxValues) + " values");
    if (levels_.empty()) throw Refused("not a map of keys and values");
    if (levels_.size() == 1 && expects_key_) {
      key_ = value;
    } else if (levels_.size() == 1 || (levels_.size() == 2 && !levels_.back())) {
      if (!value.empty()) values[key_].push_back(value);
    }
    if (levels_.size() == 1) expects_key_ = !expects_key_;
  }
  void enter(YAML::Mark const& mark, bool map) {
    if (levels_.size() == kMaxDepth) throw Refused("line " + std::to_string(mark.line + 2) + ": nested too deeply");
    if (levels_.empty() && !map) throw Refused("not a map of keys and values");
    levels_.push_back(map);
  }
  void leave() {
    levels_.pop_back();
    if (levels_.size() == 1) expects_key_ = !expects_key_;
  }

  std::vector<bool> levels_;  ///< true: a map
  bool expects_key_ = true;
  std::string key_;
  std::size_t seen_ = 0;
};

std::string_view trimmed_right(std::string_view line) noexcept {
  auto const last = line.find_last_not_of(" \t");
  return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

void fill(FrontMatter& front, std::map<std::string, std::vector<std::string>>& values) {
  auto const first = [&values](std::string_view key) {
    auto const at = values.find(std::string(key));
    return at == values.end() || at->second.empty() ? std::string() : at->second.front();
  };
  front.title = first("title");
  front.type = first("type");
  front.aliases = std::move(values["aliases"]);
  for (std::string& alias : values["alias"]) front.aliases.push_back(std::move(alias));
  front.tags = std::move(values["tags"]);
  front.stale = first("stale") == "true";
  front.scope = first("scope");
  for (std::string_view const key : kDateKeys) {
    front.date = first(key);
    if (!front.date.empty()) break;
  }
}

}  // namespace

FrontMatter parse_front_matter(std::string_view text) {
  FrontMatter front;
  LineReader reader(text.substr(0, kMaxBytes));
  auto const opening = reader.next();
  if (!opening) return front;
  std::string_view const fence = trimmed_right(opening->of(text));
  if (fence != "---" && fence != "+++") return front;
  std::size_t const body = reader.position();
  for (std::uint32_t lines = 2; auto const line = reader.next(); ++lines) {
    std::string_view const content = trimmed_right(line->of(text));
    if (content != fence && !(fence == "---" && content == "...")) continue;
    front.lines = lines;
    if (fence == "+++") {
      front.fault = "a TOML head (+++) is not read";
      return front;
    }
    try {
      std::istringstream stream(std::string(text.substr(body, line->begin - body)));
      YAML::Parser parser(stream);
      Collector collector;
      parser.HandleNextDocument(collector);
      fill(front, collector.values);
    } catch (YAML::ParserException const& e) {
      front.fault = "line " + std::to_string(e.mark.line + 2) + ": " + e.msg;
    } catch (std::exception const& e) {
      front.fault = e.what();
    }
    return front;
  }
  return front;
}

}  // namespace kb::kbrepo
