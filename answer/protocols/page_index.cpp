#include "answer/protocols/page_index.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kb::protocols {
namespace {

using Json = nlohmann::ordered_json;

bool read_range(Json const& json, char const* number, std::uint32_t& n, std::uint32_t& start, std::uint32_t& end) {
  auto const unsigned_at = [&json](char const* name, std::uint32_t& out) {
    auto const at = json.find(name);
    bool const good = at != json.end() && at->is_number_unsigned() && at->get<std::uint64_t>() <= 0xFFFFFFFFu;
    if (good) out = at->get<std::uint32_t>();
    return good;
  };
  return json.is_object() && unsigned_at(number, n) && unsigned_at("start", start) && unsigned_at("end", end) &&
         start <= end;
}

}  // namespace

std::optional<std::string> PageIndex::locate(std::uint32_t offset) const {
  for (Sheet const& sheet : pages) {
    if (offset < sheet.start || offset >= sheet.end) continue;
    std::string out = "page " + std::to_string(sheet.page);
    for (Paragraph const& paragraph : sheet.paragraphs) {
      if (offset >= paragraph.start && offset < paragraph.end) return out + " ¶" + std::to_string(paragraph.n);
    }
    return out;
  }
  return std::nullopt;
}

std::optional<PageIndex> parse_page_index(std::string_view json) {
  Json const root = Json::parse(json, nullptr, false);
  if (!root.is_object() || !root.contains("pages") || !root["pages"].is_array()) return std::nullopt;
  auto const text = [&root](char const* name) {
    auto const at = root.find(name);
    return at != root.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  PageIndex out;
  out.doc = text("doc");
  out.blob = text("blob");
  for (Json const& page : root["pages"]) {
    PageIndex::Sheet sheet;
    if (!read_range(page, "page", sheet.page, sheet.start, sheet.end)) return std::nullopt;
    for (Json const& item : page.value("paragraphs", Json::array())) {
      PageIndex::Paragraph paragraph;
      if (!read_range(item, "n", paragraph.n, paragraph.start, paragraph.end)) return std::nullopt;
      sheet.paragraphs.push_back(paragraph);
    }
    out.pages.push_back(std::move(sheet));
  }
  return out;
}

std::string to_json(PageIndex const& index) {
  Json pages = Json::array();
  for (PageIndex::Sheet const& sheet : index.pages) {
    Json paragraphs = Json::array();
    for (auto const& p : sheet.paragraphs) paragraphs.push_back({{"n", p.n}, {"start", p.start}, {"end", p.end}});
    pages.push_back(
        {{"page", sheet.page}, {"start", sheet.start}, {"end", sheet.end}, {"paragraphs", std::move(paragraphs)}});
  }
  return Json{{"doc", index.doc}, {"blob", index.blob}, {"pages", std::move(pages)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

PageIndex page_index_of(kbrepo::Page const& page) {
  PageIndex out;
  out.doc = page.path;
  out.blob = page.blob.hex();
  for (std::size_t from = 0; from <= page.text.size();) {
    std::size_t const to = std::min(page.text.find('\f', from), page.text.size());
    PageIndex::Sheet sheet;
    sheet.page = static_cast<std::uint32_t>(out.pages.size() + 1);
    sheet.start = static_cast<std::uint32_t>(from);
    sheet.end = static_cast<std::uint32_t>(to);
    out.pages.push_back(std::move(sheet));
    from = to + 1;
  }
  kbrepo::Block const* before = nullptr;  // items of one list and rows of one table are one paragraph
  for (kbrepo::Block const& block : page.blocks) {
    bool const goes_on = before != nullptr && before->section == block.section && before->paragraph == block.paragraph;
    for (PageIndex::Sheet& sheet : out.pages) {
      std::size_t const end = std::min<std::size_t>(block.end, sheet.end);
      // A paragraph that a form feed divides has a part on each page.
      std::size_t const begin = page.text.find_first_not_of("\f\r\n", std::max<std::size_t>(block.begin, sheet.start));
      if (begin >= end) continue;
      if (goes_on && !sheet.paragraphs.empty()) {
        sheet.paragraphs.back().end = static_cast<std::uint32_t>(end);
      } else {
        sheet.paragraphs.push_back({static_cast<std::uint32_t>(sheet.paragraphs.size() + 1),
                                    static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
      }
    }
    before = &block;
  }
  return out;
}

std::string page_index_path(std::string_view path) { return std::string(path) + ".pageindex.json"; }

}  // namespace kb::protocols
