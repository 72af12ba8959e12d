#include "kbrepo/snapshot_build.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <unordered_map>

#include "kbrepo/pdf_text.hpp"

namespace kb::kbrepo {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{8} << 20;  ///< of page text that stand in memory for one segment

std::string title_field(Page const& page) {
  std::string out = page.title;
  for (std::string const& alias : page.front.aliases) out.append(" ").append(alias);
  std::string words = page.path;
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c == '/' || c == '-' || c == '_'; }, ' ');
  return out + " " + words.substr(0, words.rfind('.'));
}

std::string note_on(Page const& page) {
  std::string note;
  bool const pdf = is_pdf(page.path);
  if (!page.front.fault.empty()) note = (pdf ? "not read: " : "front matter does not parse: ") + page.front.fault;
  if (pdf && page.front.fault.empty() && page.blocks.empty()) note = "it holds no text, only pictures";
  bool const plain = page.encoding == Encoding::utf8 || page.encoding == Encoding::utf8_bom;
  if (!plain) note.append(note.empty() ? "" : "; ").append("decoded from ").append(to_string(page.encoding));
  return note;
}

PageInfo info_of(Page const& page) {
  return {page.path,          page.blob,       page.kind,        page.role,     page.title,
          page.front.aliases, page.front.date, page.front.stale, page.encoding, page.front.scope};
}

class Analysis {
 public:
  Analysis(Known known, PageStore& store, SnapshotOptions const& options)
      : known_(known.table), store_(store), options_(options) {
    out_.segments = std::move(known.segments);
    if (known_ == nullptr) return;
    for (std::size_t i = 0; i < known_->pages.size(); ++i) places_.emplace(known_->pages[i].path, i);
    for (SkippedFile const& file : known_->skipped) skipped_.emplace(file.path, &file);
  }

  Result<Analysed> run(std::span<TreeFile const> files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (options_.stop.stop_requested()) return Error(Errc::cancelled, "reading pages: stopped");
      if (take_known(files[i])) continue;
      auto const taken = take_new(files[i]);
      if (!taken) return at("reading " + files[i].path, taken.error());
      if (batch_bytes_ >= kBatchBytes) {
        flush();
        report(static_cast<double>(i) / static_cast<double>(files.size()));
      }
    }
    flush();
    for (PageInfo const& page : out_.table.pages) out_.live.push_back(index::doc_key(page.blob, page.path));
    return std::move(out_);
  }

 private:
  bool take_known(TreeFile const& file) {
    if (known_ == nullptr) return false;
    if (auto const at = skipped_.find(file.path); at != skipped_.end() && at->second->blob == file.blob) {
      bool const still = at->second->bytes == 0 || at->second->bytes > options_.max_page_bytes;
      if (still) out_.table.skipped.push_back(*at->second);
      return still;
    }
    auto const place = places_.find(file.path);
    if (place == places_.end() || known_->pages[place->second].blob != file.blob) return false;
    out_.table.pages.push_back(known_->pages[place->second]);
    out_.table.facts.push_back(known_->facts[place->second]);
    return true;
  }

  Result<void> take_new(TreeFile const& file) {
    auto const raw = store_.blob(file.blob, options_.max_page_bytes);
    if (!raw && raw.error().code == Errc::exhausted) return skip(file, store_.size(file.blob));
    if (!raw) return raw.error();
    if (!is_pdf(file.path) && !decode(*raw)) return skip(file, 0);
    auto page = std::make_unique<Page>(parse_page(file.path, file.blob, *raw));
    out_.table.pages.push_back(info_of(*page));
    out_.table.facts.push_back({static_cast<std::uint32_t>(page->passages.size()),
                                static_cast<std::uint32_t>(page->text.size()), note_on(*page)});
    batch_bytes_ += page->text.size();
    ++out_.analysed;
    batch_.push_back(std::move(page));
    return {};
  }

  Result<void> skip(TreeFile const& file, std::uint64_t bytes) {
    out_.table.skipped.push_back({file.path, file.blob, bytes});
    return {};
  }

  /// Makes a segment of the pages at hand and lets their texts go.
  void flush() {
    if (batch_.empty()) return;
    std::vector<index::DocumentText> documents;
    documents.reserve(batch_.size());
    headings_.clear();
    for (auto const& page : batch_) documents.push_back(document_of(*page));
    out_.segments.push_back(index::build_segment(documents));
    batch_.clear();
    batch_bytes_ = 0;
  }

  index::DocumentText document_of(Page const& page) {
    index::DocumentText document{index::doc_key(page.blob, page.path), {}, {}};
    document.title = title_field(page);
    for (Passage const& passage : page.passages) {
      std::string const& heading = headings_.emplace_back(page.heading_path(passage.section));
      document.passages.push_back({heading, page.bytes(passage), passage.line_begin, passage.line_end});
    }
    return document;
  }

  void report(double done) const {
    if (options_.progress) options_.progress("reading pages", done);
  }

  PageTable const* known_;
  PageStore& store_;
  SnapshotOptions const& options_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::unordered_map<std::string_view, SkippedFile const*> skipped_;
  std::vector<std::unique_ptr<Page>> batch_;
  std::size_t batch_bytes_ = 0;
  std::deque<std::string> headings_;  ///< of the batch; documents hold views of them
  Analysed out_;
};

}  // namespace

Result<Analysed> analyse(std::span<TreeFile const> files, Known known, PageStore& store,
                         SnapshotOptions const& options) {
  return Analysis(std::move(known), store, options).run(files);
}

}  // namespace kb::kbrepo
