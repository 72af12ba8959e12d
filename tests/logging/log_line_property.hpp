/// What log_line() promises, for any bytes at all. Empty: kept; else what broke.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logging/record.hpp"

namespace kb::test {

/// A field with its escapes undone; nothing when it has one that log_line() never writes.
inline std::optional<std::string> unescaped(std::string_view field) {
  std::string out;
  while (!field.empty()) {
    if (field[0] != '\\') {
      out += field[0];
      field.remove_prefix(1);
      continue;
    }
    if (field.size() < 2) return std::nullopt;
    char const c = field[1];
    field.remove_prefix(2);
    if (std::ispunct(static_cast<unsigned char>(c)) != 0) {
      out += c;
    } else if (c == 'n' || c == 'r' || c == 't') {
      out += c == 'n' ? '\n' : c == 'r' ? '\r' : '\t';
    } else if (c == 'u' && field.size() >= 4) {
      auto const code = static_cast<unsigned>(std::stoul(std::string(field.substr(0, 4)), nullptr, 16));
      field.remove_prefix(4);
      if (code < 0x80) {
        out += static_cast<char>(code);
      } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
      } else {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
      }
    } else {
      return std::nullopt;
    }
  }
  return out;
}

/// Parts between `separator`, which counts only where it is not escaped.
inline std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text.substr(at).starts_with(separator)) {
      parts.push_back(text.substr(start, at - start));
      at += separator.size() - 1;
      start = at + 1;
    }
  }
  parts.push_back(text.substr(start));
  return parts;
}

/// The fields of `record` must be valid UTF-8.
inline std::string broken_log_line(logging::QueryRecord const& record) {
  std::string const line = logging::log_line(record);
  for (char const c : line) {
    if (static_cast<unsigned char>(c) < 0x20) return "a control character";
  }
  auto const parts = parts_of(line, " | ");
  std::size_t const expected = record.hits.empty() ? 3 : 4;
  if (parts.size() != expected) return std::to_string(parts.size()) + " parts";
  if (unescaped(parts[2]) != record.question) return "another question";
  auto const head = parts_of(parts[1], " ");
  if (head.size() != 2 || !head[0].starts_with("user=") || !head[1].starts_with("scope=")) return "no user or scope";
  if (unescaped(head[0].substr(5)) != record.open_id) return "another user";
  if (unescaped(head[1].substr(6)) != record.scope) return "another scope";
  if (record.hits.empty()) return {};
  if (!parts[3].starts_with("hits=")) return "no hits";
  auto const hits = parts_of(parts[3].substr(5), ", ");
  if (hits.size() != record.hits.size()) return std::to_string(hits.size()) + " hits";
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (unescaped(hits[i]) != record.hits[i]) return "another hit";
  }
  return {};
}

}  // namespace kb::test
