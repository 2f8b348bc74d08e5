// SPDX-License-Identifier: Apache-2.0
// The files of MERIDIAN_FILTER and MERIDIAN_EVENTS, and declarations in programs: the input is all of them. What the
// parsers need of the tracer is put in its place here.

#include <cstdarg>
#include <cstdio>
#include <memory>
#include <vector>

#include "pmpi/choice/choice.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/user/definitions.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace meridian {

namespace {

std::vector<std::unique_ptr<char[]>> g_kept;  // the tracer never gives it back; here it is one input's
std::string_view g_text;

}  // namespace

Session g_session;

void say(const char* format, ...) noexcept {
  char line[4096];
  va_list values;
  va_start(values, format);
  if (std::vsnprintf(line, sizeof line, format, values) < 0) std::abort();
  va_end(values);
}

void* keep_bytes(std::size_t bytes) noexcept { return g_kept.emplace_back(new char[bytes]()).get(); }

std::string_view keep_text(std::string_view text) noexcept {
  auto* const copy = static_cast<char*>(keep_bytes(text.size() + 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

bool load_file(std::string_view, std::string_view& text) noexcept {
  text = keep_text(g_text);
  return true;
}

namespace fuzz {
void forget_filter_file();
void forget_user_file();
}  // namespace fuzz

}  // namespace meridian

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  if (size > 4096) return 0;
  fuzz::forget_filter_file();
  fuzz::forget_user_file();
  g_kept.clear();
  g_text = {reinterpret_cast<const char*>(data), size};
  for (const OptionId id : {OptionId::filter, OptionId::events})
    if (assign(g_session.options, info(id).key, "file", OptionSource::environment) != OptionProblem::none) std::abort();
  (void)read_filter_file(true);
  (void)is_filtered("MPI_Send");
  (void)read_user_file(true);
  for (const int kind : {MERIDIAN_KIND_EVENT, MERIDIAN_KIND_NUMBERS}) {
    UserFields fields;
    parse_user_fields(kind, g_text, fields);
    if (fields.bytes > UserFields::kMostBytes) std::abort();
    take_declared_fields(kind, "level", fields);
    if (fields.bytes > UserFields::kMostBytes) std::abort();
  }
  return 0;
}
