// SPDX-License-Identifier: Apache-2.0
// The summary in a merged file, and its text, JSON and CSV.

#include "cli/summary/csv.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/text/text.hpp"
#include "merged/merged_trace.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  const fuzz::InputFile input{data, size};
  const auto summary = MergedTrace::read_summary(input.path());
  if (!summary) {
    fuzz::require_words(summary.error().what);
    return 0;
  }
  (void)summary_json(*summary);
  (void)summary_csv(*summary);
  for (const char c : summary_text(*summary, Paint{false}))
    if (c == '\x1b') std::abort();  // control characters of a file must not reach the terminal
  return 0;
}
