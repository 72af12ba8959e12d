#include "kbrepo/page_table.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "config/atomic_file.hpp"
#include "kbrepo/index/cache_file.hpp"

namespace kb::kbrepo {
namespace {

/// The last characters are the format: raise them when the record or what parse_page makes of a page changes.
constexpr std::string_view kMagic = "kbgate pages 002";
constexpr std::size_t kMaxFile = std::size_t{1} << 30;
constexpr std::size_t kHead = kMagic.size() + sizeof(std::uint64_t);

/// One description of the record serves both ways: Writer and Reader take the same calls.
class Writer {
 public:
  std::string out;

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void field(T const& value) { out.append(reinterpret_cast<char const*>(&value), sizeof value); }
  template <class Tag>
  void field(ObjectId<Tag> const& id) {
    out.append(reinterpret_cast<char const*>(id.bytes.data()), id.bytes.size());
  }
  void field(std::string const& text) {
    field(static_cast<std::uint32_t>(text.size()));
    out += text;
  }
  void field(TimePoint const& time) { field(static_cast<std::int64_t>(time.time_since_epoch().count())); }
  template <class T, class Each>
  void list(std::vector<T> const& values, Each const& each) {
    field(static_cast<std::uint32_t>(values.size()));
    for (T const& value : values) each(*this, value);
  }
};

class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}
  [[nodiscard]] bool good() const noexcept { return good_ && in_.empty(); }

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void field(T& value) {
    std::string_view const bytes = take(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  }
  template <class Tag>
  void field(ObjectId<Tag>& id) {
    std::string_view const bytes = take(id.bytes.size());
    if (bytes.size() == id.bytes.size()) std::memcpy(id.bytes.data(), bytes.data(), bytes.size());
  }
  void field(std::string& text) {
    std::uint32_t size = 0;
    field(size);
    text = take(size);
  }
  void field(TimePoint& time) {
    std::int64_t count = 0;
    field(count);
    time = TimePoint(TimePoint::duration(count));
  }
  template <class T, class Each>
  void list(std::vector<T>& values, Each const& each) {
    std::uint32_t size = 0;
    field(size);
    if (size > in_.size()) good_ = false;  // every element takes a byte at least
    values.clear();
    for (std::uint32_t i = 0; good_ && i < size; ++i) each(*this, values.emplace_back());
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > in_.size()) {
      good_ = false;
      return {};
    }
    std::string_view const bytes = in_.substr(0, size);
    in_.remove_prefix(size);
    return bytes;
  }

  std::string_view in_;
  bool good_ = true;
};

auto const each_field = [](auto& file, auto& value) { file.field(value); };

/// The record, in order. `Table` is PageTable or PageTable const.
template <class File, class Table>
void pass(File& file, Table& table) {
  file.field(table.commit);
  file.list(table.pages, [](auto& f, auto& page) {
    f.field(page.path);
    f.field(page.blob);
    f.field(page.kind);
    f.field(page.role);
    f.field(page.title);
    f.list(page.aliases, each_field);
    f.field(page.date);
    f.field(page.stale);
    f.field(page.encoding);
    f.field(page.scope);
  });
  file.list(table.facts, [](auto& f, auto& facts) {
    f.field(facts.passages);
    f.field(facts.text_bytes);
    f.field(facts.note);
  });
  file.list(table.skipped, [](auto& f, auto& skipped) {
    f.field(skipped.path);
    f.field(skipped.blob);
    f.field(skipped.bytes);
  });
  file.list(table.history.changes, [](auto& f, auto& change) {
    f.field(change.commit);
    f.field(change.author);
    f.field(change.time);
  });
  file.list(table.history.of, each_field);
}

bool consistent(PageTable const& table) {
  bool const sizes = table.facts.size() == table.pages.size() && table.history.of.size() == table.pages.size();
  return sizes && std::all_of(table.history.of.begin(), table.history.of.end(), [&table](std::uint32_t change) {
           return change == kNone || change < table.history.changes.size();
         });
}

}  // namespace

Result<void> PageTable::save(std::filesystem::path const& file) const {
  Writer writer;
  pass(writer, *this);
  std::uint64_t const sum = index::checksum(writer.out);
  return index::replace_cache(file, [&](std::ostream& out) {
    out << kMagic;
    out.write(reinterpret_cast<char const*>(&sum), sizeof sum);
    out << writer.out;
  });
}

Result<PageTable> PageTable::load(std::filesystem::path const& file) {
  auto const content = config::read_file(file, kMaxFile);
  if (!content) return content.error();
  std::string_view const bytes = *content;
  if (bytes.size() < kHead || !bytes.starts_with(kMagic)) {
    return Error(Errc::corrupt, file.string() + " has another format");
  }
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + kMagic.size(), sizeof sum);
  if (sum != index::checksum(bytes.substr(kHead))) return Error(Errc::corrupt, file.string() + " fails its checksum");
  PageTable table;
  Reader reader(bytes.substr(kHead));
  pass(reader, table);
  if (!reader.good() || !consistent(table)) return Error(Errc::corrupt, file.string() + " does not add up");
  return table;
}

}  // namespace kb::kbrepo
