// kbgate-pdf: a PDF on standard input, its text on standard output: title, then each page behind a form feed. The only
// place that knows poppler, in a process with limits, so that no file can harm the one that serves.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <poppler/cpp/poppler-document.h>
#include <poppler/cpp/poppler-global.h>
#include <poppler/cpp/poppler-page.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "kbrepo/pdf_exit.hpp"

namespace {

using kb::kbrepo::PdfExit;

constexpr rlim_t kMemory = rlim_t{1} << 30;
constexpr rlim_t kCpuSeconds = 20;
constexpr int kMostPages = 5000;
constexpr std::size_t kMostText = std::size_t{8} << 20;

void limit(__rlimit_resource what, rlim_t most) {
  rlimit const both{most, most};
  ::setrlimit(what, &both);
}

/// Nothing of it may look like our own marks.
std::string cleaned(poppler::ustring const& text) {
  poppler::byte_array const utf8 = text.to_utf8();
  std::string out(utf8.begin(), utf8.end());
  for (char& c : out) {
    bool const control = static_cast<unsigned char>(c) < ' ' && c != '\n';
    if (control) c = ' ';
  }
  return out;
}

int ended(PdfExit why) { return static_cast<int>(why); }

int run() {
  std::string const raw{std::istreambuf_iterator<char>(std::cin), {}};
  poppler::set_debug_error_function([](std::string const&, void*) {}, nullptr);
  std::unique_ptr<poppler::document> const document(
      poppler::document::load_from_raw_data(raw.data(), static_cast<int>(raw.size())));
  if (!document) return ended(PdfExit::damaged);
  if (document->is_locked()) return ended(PdfExit::locked);
  if (document->pages() > kMostPages) return ended(PdfExit::too_large);
  std::string out = cleaned(document->get_title());
  for (int i = 0; i < document->pages(); ++i) {
    std::unique_ptr<poppler::page> const page(document->create_page(i));
    out += '\f';
    if (page) out += cleaned(page->text());
    if (out.size() > kMostText) return ended(PdfExit::too_large);
  }
  std::cout << out << std::flush;
  return std::cout ? ended(PdfExit::done) : ended(PdfExit::damaged);
}

}  // namespace

int main() {
  limit(RLIMIT_AS, kMemory);
  limit(RLIMIT_CPU, kCpuSeconds);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  try {
    return run();
  } catch (std::exception const&) {
    return ended(PdfExit::damaged);
  }
}
