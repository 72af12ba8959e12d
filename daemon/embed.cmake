# Writes OUT: every file of WEB as a constant of the program. index.html is served at "/".
set(TYPE_html "text/html; charset=utf-8")
set(TYPE_js "text/javascript; charset=utf-8")
set(TYPE_css "text/css; charset=utf-8")
set(TYPE_svg "image/svg+xml")

file(GLOB files ${WEB}/*)
list(SORT files)
set(arrays "")
set(rows "")
set(n 0)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE ".*\\." "" extension ${name})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char kFile${n}[] = {${bytes}0};\n")
  if(name STREQUAL "index.html")
    set(path "/")
  else()
    set(path "/${name}")
  endif()
  string(APPEND rows "    {\"${path}\", \"${TYPE_${extension}}\", {reinterpret_cast<char const*>(kFile${n}), sizeof kFile${n} - 1}},\n")
  math(EXPR n "${n}+1")
endforeach()
file(WRITE ${OUT} "#include \"daemon/web_page.hpp\"

namespace kb::daemon {
namespace {

${arrays}
}  // namespace

WebFile const* find_web_file(std::string_view path) noexcept {
  static WebFile const files[] = {
${rows}  };
  for (WebFile const& file : files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace kb::daemon
")
