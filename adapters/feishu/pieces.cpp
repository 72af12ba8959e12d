#include "adapters/feishu/pieces.hpp"

#include <algorithm>
#include <string_view>

#include "adapters/feishu/escape.hpp"

namespace kb::feishu {
namespace {

std::size_t const kLineFeed = sent_size("\n");

std::string whole(Piece const& piece) { return piece.open + piece.text + piece.close; }

std::size_t cost(Piece const& piece) {
  return sent_size(piece.open) + sent_size(piece.text) + sent_size(piece.close) + kLineFeed;
}

/// Bytes of the longest front of `text` that costs at most `room`; at least one character.
std::size_t front_within(std::string_view text, std::size_t room) noexcept {
  std::size_t taken = 0;
  std::size_t used = 0;
  while (taken < text.size()) {
    std::size_t const unit = unit_length(text.substr(taken));
    used += sent_size(text.substr(taken, unit));
    if (used > room && taken > 0) break;
    taken += unit;
  }
  return taken;
}

/// A rest begins a line, which it did not before: it must not begin a list or a heading.
void guard_start(std::string& text) {
  constexpr std::string_view kRisky = "#-+= \t0123456789";
  if (!text.empty() && kRisky.find(text.front()) != kRisky.npos) text.insert(0, kZeroWidth);
}

class Packer {
 public:
  explicit Packer(Room room) : room_(room) {}

  std::vector<Paragraphs> take() && {
    flush();
    return std::move(out_);
  }

  void add(std::vector<Piece>::const_iterator first, std::vector<Piece>::const_iterator last) {
    std::size_t total = room_.paragraph;
    for (auto piece = first; piece != last; ++piece) total += cost(*piece);
    if (used_ + total > room_.bytes && total <= room_.bytes) flush();
    open_ = false;
    for (auto piece = first; piece != last; ++piece) add(*piece);
  }

 private:
  void add(Piece const& piece) {
    std::size_t const size = cost(piece) + (open_ ? 0 : room_.paragraph);
    if (used_ + size > room_.bytes) {
      flush();
      if (cost(piece) + room_.paragraph > room_.bytes) return add_cut(piece);
    }
    put(whole(piece), cost(piece));
  }

  void add_cut(Piece piece) {
    std::size_t const around = room_.paragraph + kLineFeed + sent_size(piece.close) +
                               std::max(sent_size(piece.open), sent_size(piece.reopen)) + sent_size(kZeroWidth);
    std::size_t const room = room_.bytes > around ? room_.bytes - around : 1;
    while (sent_size(piece.text) > room) {
      std::size_t end = front_within(piece.text, room);
      std::size_t next = end;
      auto const line = piece.code ? piece.text.rfind('\n', end) : std::string::npos;
      if (line != std::string::npos && line > 0) {
        end = line;
        next = line + 1;
      }
      put(piece.open + piece.text.substr(0, end) + piece.close, 0);
      flush();
      piece.text.erase(0, next);
      if (!piece.code) guard_start(piece.text);
      piece.open = piece.reopen;
    }
    if (!piece.text.empty()) put(whole(piece), cost(piece));
  }

  void put(std::string text, std::size_t size) {
    if (open_) {
      part_.back() += '\n' + text;
    } else {
      part_.push_back(std::move(text));
      used_ += room_.paragraph;
    }
    used_ += size;
    open_ = true;
  }

  void flush() {
    if (!part_.empty()) out_.push_back(std::move(part_));
    part_.clear();
    used_ = 0;
    open_ = false;
  }

  Room room_;
  std::vector<Paragraphs> out_;
  Paragraphs part_;
  std::size_t used_ = 0;
  bool open_ = false;  ///< the last paragraph takes more lines
};

}  // namespace

std::vector<Paragraphs> pack(std::vector<Piece> const& pieces, Room room) {
  Packer packer(room);
  for (auto first = pieces.begin(); first != pieces.end();) {
    auto const last = std::find_if(first + 1, pieces.end(), [](Piece const& piece) { return piece.paragraph; });
    packer.add(first, last);
    first = last;
  }
  return std::move(packer).take();
}

std::string joined(Paragraphs const& paragraphs) {
  std::string out;
  for (std::string const& paragraph : paragraphs) out.append(out.empty() ? "" : "\n\n").append(paragraph);
  return out;
}

}  // namespace kb::feishu
