#include "daemon/metrics.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kb::daemon {
namespace {

constexpr std::array<std::string_view, 8> kOutcomes{"answered",   "insufficient", "no_answer", "scope_refused",
                                                    "handed_off", "busy",         "error",     "withdrawn"};

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  // The shortest form that reads the same: 0.1, not 0.10000000000000001.
  for (int digits = 1; digits < 17; ++digits) {
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
    if (std::stod(shorter) == value) return shorter;
  }
  return text;
}

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out.append("# HELP kbgate_").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE kbgate_").append(name).append(" ").append(type).append("\n");
}

void line(std::string& out, std::string_view name, std::string const& labels, std::string const& value) {
  out.append("kbgate_").append(name);
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(value).append("\n");
}

}  // namespace

void Metrics::count_reply(std::string_view outcome) {
  bool const known = std::find(kOutcomes.begin(), kOutcomes.end(), outcome) != kOutcomes.end();
  ++replies_[std::string(known ? outcome : "other")];
}

void Metrics::count_request(std::string_view route, unsigned status, std::chrono::microseconds took) {
  ++requests_[{std::string(route), status}];
  Durations& durations = durations_[std::string(route)];
  double const seconds = std::chrono::duration<double>(took).count();
  auto const bucket = std::lower_bound(kBuckets.begin(), kBuckets.end(), seconds);
  ++durations.counts[static_cast<std::size_t>(bucket - kBuckets.begin())];
  durations.sum += seconds;
}

std::string Metrics::text(std::vector<Gauge> const& gauges) const {
  std::string out;
  head(out, "replies_total", "counter", "Replies that became durable, by outcome.");
  for (std::string_view const outcome : kOutcomes) {
    auto const at = replies_.find(outcome);
    line(out, "replies_total", "outcome=\"" + std::string(outcome) + "\"",
         std::to_string(at == replies_.end() ? 0 : at->second));
  }
  if (auto const other = replies_.find("other"); other != replies_.end()) {
    line(out, "replies_total", "outcome=\"other\"", std::to_string(other->second));
  }
  head(out, "http_requests_total", "counter", "Requests to the HTTP API and MCP, by route and status.");
  for (auto const& [key, count] : requests_) {
    line(out, "http_requests_total", "route=\"" + key.first + "\",status=\"" + std::to_string(key.second) + "\"",
         std::to_string(count));
  }
  head(out, "http_request_duration_seconds", "histogram", "Time to answer a request of the HTTP API and MCP.");
  for (auto const& [route, durations] : durations_) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < durations.counts.size(); ++i) {
      below += durations.counts[i];
      std::string const bound = i < kBuckets.size() ? number(kBuckets[i]) : "+Inf";
      line(out, "http_request_duration_seconds_bucket", "route=\"" + route + "\",le=\"" + bound + "\"",
           std::to_string(below));
    }
    line(out, "http_request_duration_seconds_sum", "route=\"" + route + "\"", number(durations.sum));
    line(out, "http_request_duration_seconds_count", "route=\"" + route + "\"", std::to_string(below));
  }
  for (Gauge const& gauge : gauges) {
    bool const counts_up = gauge.name.ends_with("_total");
    head(out, gauge.name, counts_up ? "counter" : "gauge", gauge.help);
    line(out, gauge.name, "", number(gauge.value));
  }
  return out;
}

std::vector<Gauge> process_gauges() {
  std::vector<Gauge> out;
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  if (statm >> pages >> resident) {
    out.push_back({"process_resident_memory_bytes", "Resident memory of the daemon.",
                   resident * static_cast<double>(::sysconf(_SC_PAGESIZE))});
  }
  std::error_code failed;
  std::filesystem::directory_iterator const files("/proc/self/fd", failed);
  if (!failed) {
    out.push_back({"process_open_files", "Open file descriptors of the daemon.",
                   static_cast<double>(std::distance(begin(files), end(files)))});
  }
  return out;
}

}  // namespace kb::daemon
