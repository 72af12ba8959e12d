#include <cerrno>
#include <cstring>
#include <fstream>

#include "kbrepo/index/cache_file.hpp"
#include "kbrepo/index/index_state.hpp"

namespace kb::kbrepo::index {
namespace {

/// File: Preface, then per segment a Frame and its image. The magic changes with every change of any form inside,
/// the terms' included: an index of other terms than the questions' finds nothing.
struct Preface {
  char magic[16];
  std::uint64_t segments;
  std::uint64_t hash;  ///< of the two above
};
constexpr char kMagic[16] = "kbgate index 4\n";

struct Frame {
  std::uint64_t bytes;
  std::uint64_t hash;  ///< of the image, seeded with its place in the file
};

Preface make_preface(std::uint64_t segments) noexcept {
  Preface out{};
  std::memcpy(out.magic, kMagic, sizeof kMagic);
  out.segments = segments;
  out.hash = hash_bytes({out.magic, sizeof out.magic}, segments);
  return out;
}

template <class T>
void write_raw(std::ostream& out, T const& value) {
  out.write(reinterpret_cast<char const*>(&value), sizeof value);
}
template <class T>
bool read_raw(std::istream& in, T& value) {
  return static_cast<bool>(in.read(reinterpret_cast<char*>(&value), sizeof value));
}

Error corrupt(std::filesystem::path const& file, std::string_view what) {
  return Error(Errc::corrupt, file.string() + ": " + std::string(what));
}

void write_all(std::ostream& out, std::vector<SegmentPtr> const& segments) {
  write_raw(out, make_preface(segments.size()));
  std::uint64_t place = 0;
  for (SegmentPtr const& segment : segments) {
    std::string_view const image = segment->image().bytes();
    write_raw(out, Frame{image.size(), hash_bytes(image, ++place)});
    out.write(image.data(), static_cast<std::streamsize>(image.size()));
  }
}

}  // namespace

Result<void> Index::save(std::filesystem::path const& file) const {
  return replace_cache(file, [this](std::ostream& out) { write_all(out, state_->live.segments); });
}

Result<std::vector<SegmentPtr>> Index::load(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error(Errc::not_found, file.string() + ": " + std::strerror(errno));
  std::error_code failed;
  std::uint64_t const size = std::filesystem::file_size(file, failed);
  Preface preface{};
  if (failed || !read_raw(in, preface)) return corrupt(file, "cut short");
  Preface const expected = make_preface(preface.segments);
  if (std::memcmp(&preface, &expected, sizeof preface) != 0) return corrupt(file, "not an index of this version");
  std::vector<SegmentPtr> segments;
  std::uint64_t left = size - sizeof preface;
  for (std::uint64_t place = 1; place <= preface.segments; ++place) {
    Frame frame{};
    if (!read_raw(in, frame)) return corrupt(file, "cut short");
    left -= sizeof frame;
    if (frame.bytes > left) return corrupt(file, "cut short");
    left -= frame.bytes;
    std::string image(frame.bytes, '\0');
    in.read(image.data(), static_cast<std::streamsize>(image.size()));
    if (!in) return corrupt(file, "cut short");
    if (hash_bytes(image, place) != frame.hash) return corrupt(file, "a segment fails its checksum");
    auto read = SegmentImage::wrap(std::move(image));
    if (!read) return corrupt(file, "a segment's parts do not add up");
    segments.push_back(std::make_shared<Segment const>(std::move(read)));
  }
  if (left != 0) return corrupt(file, "more than its segments");
  return segments;
}

}  // namespace kb::kbrepo::index
