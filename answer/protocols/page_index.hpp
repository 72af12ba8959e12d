/// PageIndex (S4-9, S4-22, S4-60): where the pages and paragraphs of a document lie, by byte offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbrepo/page.hpp"

namespace kb::protocols {

struct PageIndex {
  struct Paragraph {
    std::uint32_t n = 0, start = 0, end = 0;
  };
  struct Sheet {
    std::uint32_t page = 0, start = 0, end = 0;
    std::vector<Paragraph> paragraphs;
  };
  std::string doc;
  std::string blob;  ///< 40 hex: the version it speaks of
  std::vector<Sheet> pages;

  /// `page 3 ¶2` of a byte; nothing when no page holds it.
  [[nodiscard]] std::optional<std::string> locate(std::uint32_t offset) const;
};

/// `{doc, blob, pages: [{page, start, end, paragraphs: [{n, start, end}]}]}`; nothing when it is none.
[[nodiscard]] std::optional<PageIndex> parse_page_index(std::string_view json);
[[nodiscard]] std::string to_json(PageIndex const& index);
/// Of a text whose pages a form feed separates; one page without any.
[[nodiscard]] PageIndex page_index_of(kbrepo::Page const& page);

/// Where the PageIndex of a document stands in its repository.
[[nodiscard]] std::string page_index_path(std::string_view path);

}  // namespace kb::protocols
