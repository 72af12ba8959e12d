#include "kbrepo/index/terms.hpp"

#include <array>

#include "kbrepo/index/fold.hpp"
#include "kbrepo/index/scan.hpp"

namespace kb::kbrepo::index {

void terms_of(std::string_view text, std::vector<Term>& out) {
  TermBuffer buffer;
  scan_terms(text, buffer);
  out.reserve(out.size() + buffer.pieces.size());
  for (auto const& piece : buffer.pieces) {
    out.push_back({std::string(buffer.term(piece)), piece.kind, piece.begin, piece.end, piece.position});
  }
}

std::string fold(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::array<char, 4> bytes;
  for (std::size_t at = 0; at < text.size();) {
    Decoded const decoded = decode(text, at);
    Folded const folded = fold_point(decoded.point);
    for (std::uint32_t i = 0; i < folded.size; ++i) out.append(bytes.data(), encode(folded[i], bytes.data()));
    at += decoded.size;
  }
  return out;
}

}  // namespace kb::kbrepo::index
