#include "kbrepo/encoding.hpp"

#include <algorithm>
#include <memory>
#include <unicode/ucnv.h>
#include <unicode/utf8.h>

namespace kb::kbrepo {
namespace {

struct CloseConverter {
  void operator()(UConverter* converter) const noexcept { ucnv_close(converter); }
};

/// What the bytes are when read as UTF-8.
struct Utf8Count {
  std::size_t wide = 0;    ///< well-formed sequences of two bytes and more
  std::size_t broken = 0;  ///< bytes or sequences that are not well formed
};

Utf8Count count_utf8(std::string_view raw) noexcept {
  Utf8Count count;
  auto const* bytes = reinterpret_cast<std::uint8_t const*>(raw.data());
  auto const size = static_cast<std::int64_t>(raw.size());
  for (std::int64_t i = 0; i < size;) {
    if (bytes[i] < 0x80) {
      ++i;
      continue;
    }
    UChar32 c = 0;
    U8_NEXT(bytes, i, size, c);
    ++(c < 0 ? count.broken : count.wide);
  }
  return count;
}

/// Copies well-formed sequences and puts U+FFFD for the rest.
std::string repaired_utf8(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  auto const* bytes = reinterpret_cast<std::uint8_t const*>(raw.data());
  auto const size = static_cast<std::int64_t>(raw.size());
  for (std::int64_t i = 0; i < size;) {
    std::int64_t const from = i;
    UChar32 c = 0;
    U8_NEXT(bytes, i, size, c);
    if (c < 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += raw.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(i - from));
    }
  }
  return out;
}

/// Whole conversion to UTF-8, U+FFFD for what does not map; nothing when ICU lacks the converter.
std::optional<std::string> convert(char const* name, std::string_view raw) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<UConverter, CloseConverter> const from(ucnv_open(name, &status));
  std::unique_ptr<UConverter, CloseConverter> const to(ucnv_open("UTF-8", &status));
  if (U_FAILURE(status)) return std::nullopt;
  std::string out;
  out.resize(raw.size() * 3 + 16);  // GB18030 and UTF-16: two bytes become three; Latin-1: one becomes two or three
  char* target = out.data();
  char const* source = raw.data();
  ucnv_convertEx(to.get(), from.get(), &target, out.data() + out.size(), &source, raw.data() + raw.size(), nullptr,
                 nullptr, nullptr, nullptr, true, true, &status);
  if (U_FAILURE(status)) return std::nullopt;
  out.resize(static_cast<std::size_t>(target - out.data()));
  return out;
}

bool is_control(char c) noexcept {
  auto const b = static_cast<unsigned char>(c);
  bool const spacing = b >= 0x08 && b <= 0x0D;  // backspace, tab, line ends, form feed
  return (b < 0x20 && !spacing && b != 0x1B) || b == 0x7F;
}

bool mostly_control(std::string_view raw) noexcept {
  auto const controls = static_cast<std::size_t>(std::count_if(raw.begin(), raw.end(), is_control));
  return controls * 10 > raw.size() * 3;
}

/// GB18030 is a superset of nearly everything, so being convertible says little. Real Chinese text consists of GB2312
/// pairs (both bytes 0xA1 and above); Latin-1 words give pairs whose second byte is an ASCII letter, or no pair at all.
bool looks_gb18030(std::string_view raw) noexcept {
  std::size_t common = 0;
  std::size_t rare = 0;
  for (std::size_t i = 0; i < raw.size();) {
    auto const lead = static_cast<unsigned char>(raw[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    if (lead == 0x80 || lead == 0xFF || i + 1 == raw.size()) return false;
    auto const trail = static_cast<unsigned char>(raw[i + 1]);
    if (trail >= 0x30 && trail <= 0x39) {  // four bytes
      if (i + 3 >= raw.size()) return false;
      auto const third = static_cast<unsigned char>(raw[i + 2]);
      auto const fourth = static_cast<unsigned char>(raw[i + 3]);
      if (third < 0x81 || third == 0xFF || fourth < 0x30 || fourth > 0x39) return false;
      ++rare;
      i += 4;
      continue;
    }
    if (trail < 0x40 || trail == 0x7F || trail == 0xFF) return false;
    bool const gb2312 = trail >= 0xA1 && ((lead >= 0xA1 && lead <= 0xA9) || (lead >= 0xB0 && lead <= 0xF7));
    ++(gb2312 ? common : rare);
    i += 2;
  }
  return common * 10 >= (common + rare) * 7;
}

std::optional<Decoded> decode_utf16(std::string_view raw) {
  auto text = convert("UTF-16", raw);  // takes the byte order from the mark and drops it
  if (!text || text->find('\0') != std::string::npos || mostly_control(*text)) return std::nullopt;
  return Decoded{std::move(*text), Encoding::utf16};
}

}  // namespace

std::string_view to_string(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::utf8:
      return "UTF-8";
    case Encoding::utf8_bom:
      return "UTF-8 with BOM";
    case Encoding::utf16:
      return "UTF-16";
    case Encoding::gb18030:
      return "GB18030";
    case Encoding::latin1:
      return "Latin-1";
  }
  return "";
}

std::optional<Decoded> decode(std::string_view raw) {
  if (raw.starts_with("\xFF\xFE") || raw.starts_with("\xFE\xFF")) return decode_utf16(raw);
  if (raw.find('\0') != std::string_view::npos || mostly_control(raw)) return std::nullopt;
  if (raw.starts_with("\xEF\xBB\xBF")) return Decoded{repaired_utf8(raw.substr(3)), Encoding::utf8_bom};
  Utf8Count const count = count_utf8(raw);
  if (count.broken == 0) return Decoded{std::string(raw), Encoding::utf8};
  // A page cut inside a character, or with a stray byte, is still UTF-8.
  if (count.wide >= 10 * count.broken) return Decoded{repaired_utf8(raw), Encoding::utf8};
  if (looks_gb18030(raw)) {
    if (auto text = convert("gb18030", raw)) return Decoded{std::move(*text), Encoding::gb18030};
  }
  // windows-1252 is what files called Latin-1 really are: it fills the C1 range with quotes and dashes.
  if (auto text = convert("windows-1252", raw)) return Decoded{std::move(*text), Encoding::latin1};
  return std::nullopt;
}

}  // namespace kb::kbrepo
