# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=FILE.cpp -DFILES="page.html;page.css;a.js..." -P embed.cmake: a source file with the text of the others.
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/literal.cmake)
set(code "// Made from report/page/ by report/embed.cmake.\n#include \"report/page_files.hpp\"\n\nnamespace meridian {\nnamespace {\n\n")
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  meridian_literal(${file} pieces)
  string(APPEND code "constexpr std::string_view k_${symbol} =${pieces};\n\n")
  if(name MATCHES "\\.js$")
    string(APPEND rows "    {\"${name}\", k_${symbol}},\n")
  endif()
endforeach()
string(APPEND code "constexpr PageFile kScripts[] = {\n${rows}};\n\n}  // namespace\n\n"
  "std::string_view page_markup() { return k_page_html; }\nstd::string_view page_style() { return k_page_css; }\n"
  "std::span<const PageFile> page_scripts() { return kScripts; }\n\n}  // namespace meridian\n")
file(WRITE ${OUTPUT} "${code}")
