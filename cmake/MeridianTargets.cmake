# SPDX-License-Identifier: Apache-2.0
# Parts that read what may be damaged: fuzzers are told which of their branches an input takes. It makes code twice as slow, so that the
# other parts, which unit tests run with the same sanitizers, go without.
set(MERIDIAN_FUZZED meridian_records meridian_ring meridian_format meridian_merged_model meridian_merged meridian_summary meridian_live meridian_cli)

# meridian_target(NAME): warnings, sanitizers and the include root for one of our targets.
function(meridian_target name)
  get_target_property(kind ${name} TYPE)
  set(scope PRIVATE)
  if(kind STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  if(scope STREQUAL "PRIVATE")
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
    if(MERIDIAN_WERROR)
      target_compile_options(${name} PRIVATE -Werror)
    endif()
    if(MERIDIAN_SANITIZE)
      target_compile_options(${name} PRIVATE -fsanitize=${MERIDIAN_SANITIZE} -fno-omit-frame-pointer)
      target_link_options(${name} PRIVATE -fsanitize=${MERIDIAN_SANITIZE})
    endif()
    if(MERIDIAN_FUZZ AND (name IN_LIST MERIDIAN_FUZZED OR name MATCHES "^fuzz_"))
      target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endif()
endfunction()

# meridian_part(NAME DIR): makes `#include "DIR/..."` of one part visible to whoever links the target NAME, and nothing
# else of the tree, so that the layering of ARCHITECTURE.md holds at compile time: the target's include directory holds
# one link, to DIR.
function(meridian_part name dir)
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  get_filename_component(parent ${root}/${dir} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${dir} ${root}/${dir} SYMBOLIC)
  get_target_property(kind ${name} TYPE)
  if(kind STREQUAL "INTERFACE_LIBRARY")
    target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${root}>)
  else()
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${root}>)
  endif()
endfunction()

# meridian_cold_target(NAME [OPTIMIZE level]): meridian_target() for code that no traced program runs. OPTIMIZE: the level in place of 3,
# for code that takes longer to compile than it will ever run: a release is compiled in less time, and what runs in tests alone at level 0.
function(meridian_cold_target name)
  cmake_parse_arguments(arg "" "OPTIMIZE" "" ${ARGN})
  meridian_target(${name})
  meridian_in_unity(${name})
  if(DEFINED arg_OPTIMIZE)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O${arg_OPTIMIZE}> $<$<CONFIG:Sanitized,Quick>:-O0>)
  endif()
endfunction()

# meridian_in_unity(NAME): MERIDIAN_UNITY compiles NAME many files at a time: much of the time goes into headers and templates that
# they share.
set(MERIDIAN_UNITY_FILES 40)
function(meridian_in_unity name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${MERIDIAN_UNITY} UNITY_BUILD_BATCH_SIZE ${MERIDIAN_UNITY_FILES})
  if(MERIDIAN_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC knows the file that it compiles as the only one whose classes may use its unnamed namespace.
    target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
  elseif(MERIDIAN_UNITY)
    # clang reports names in a function that files before it have, too. Each file alone: preset units, which clang-tidy reads.
    target_compile_options(${name} PRIVATE -Wno-shadow)
  endif()
endfunction()

# Code that runs in the application must not need libstdc++, which checked containers call: GCC 15 and later check them where nothing is optimized,
# and distributions set -Wp,-D_GLIBCXX_ASSERTIONS, which only an option of the same kind takes back.
function(meridian_without_libstdcxx name)
  target_compile_options(${name} PRIVATE -Wp,-U_GLIBCXX_ASSERTIONS)
  target_compile_definitions(${name} PRIVATE _GLIBCXX_NO_ASSERTIONS)
endfunction()
