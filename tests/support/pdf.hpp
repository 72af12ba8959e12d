/// Small PDFs of plain text, written by hand as the format has it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace kb::test {

/// One page for each text, its lines at '\n' in Helvetica; ASCII without parentheses and backslashes.
inline std::string make_pdf(std::vector<std::string> const& pages, std::string const& title = {}) {
  std::vector<std::string> objects;  // numbered from 1
  std::string kids;
  for (std::size_t i = 0; i < pages.size(); ++i) kids += std::to_string(4 + 2 * i) + " 0 R ";
  objects.push_back("<< /Type /Catalog /Pages 2 0 R >>");
  objects.push_back("<< /Type /Pages /Kids [" + kids + "] /Count " + std::to_string(pages.size()) + " >>");
  objects.push_back("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (std::size_t i = 0; i < pages.size(); ++i) {
    std::string stream = "BT /F1 12 Tf 14 TL 72 720 Td\n";
    for (std::size_t at = 0; at <= pages[i].size();) {
      std::size_t const end = std::min(pages[i].find('\n', at), pages[i].size());
      stream += "(" + pages[i].substr(at, end - at) + ") Tj T*\n";
      at = end + 1;
    }
    stream += "ET";
    objects.push_back(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
        "/Contents " +
        std::to_string(5 + 2 * i) + " 0 R >>");
    objects.push_back("<< /Length " + std::to_string(stream.size()) + " >>\nstream\n" + stream + "\nendstream");
  }
  objects.push_back("<< /Title (" + title + ") >>");
  std::string out = "%PDF-1.4\n";
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    places.push_back(out.size());
    out += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  std::size_t const table = out.size();
  out += "xref\n0 " + std::to_string(objects.size() + 1) + "\n0000000000 65535 f \n";
  for (std::size_t const place : places) {
    std::string const digits = std::to_string(place);
    out += std::string(10 - digits.size(), '0') + digits + " 00000 n \n";
  }
  return out + "trailer\n<< /Size " + std::to_string(objects.size() + 1) + " /Root 1 0 R /Info " +
         std::to_string(objects.size()) + " 0 R >>\nstartxref\n" + std::to_string(table) + "\n%%EOF\n";
}

}  // namespace kb::test
