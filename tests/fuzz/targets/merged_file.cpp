// SPDX-License-Identifier: Apache-2.0
// A merged file, as bytes: all that its reader offers, and the bounds of its times.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "merged/merged_trace.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace meridian;

/// Some blocks of events, their messages and collectives. Says in words what is wrong with the file.
void read(const MergedTrace& trace, EventSelection selection) {
  constexpr int kBlocks = 4;  // a damaged file may claim any number
  constexpr std::size_t kLinks = 64;
  auto cursor = trace.select(std::move(selection));
  if (!cursor) return fuzz::require_words(cursor.error().what);
  MergedBatch batch;
  for (int i = 0; i < kBlocks; ++i) {
    const auto has_events = cursor->next(batch);
    if (!has_events) return fuzz::require_words(has_events.error().what);
    if (!*has_events) return;
    for (std::size_t l = 0; l < std::min(kLinks, batch.links.size()); ++l) {
      const EventLink& link = batch.links[l];
      if (link.kind == LinkKind::entered || link.kind == LinkKind::left) {
        if (const auto part = trace.part(link.number); !part) fuzz::require_words(part.error().what);
      } else if (const auto message = trace.message(link.number); !message) {
        fuzz::require_words(message.error().what);
      }
    }
  }
}

void read_bounds(const MergedTrace& trace) {
  const auto bounds = trace.clock_bounds();
  if (!bounds) return fuzz::require_words(bounds.error().what);
  for (const std::int32_t rank : {-1, 0, 1})
    if (const auto domain = trace.definitions().clock_domain(rank))
      for (const std::int64_t time_ns : {INT64_C(0), INT64_C(1) << 59, -(INT64_C(1) << 59)})
        if (const auto bound = bounds->at(*domain, time_ns, BoundLevel::t2); bound && bound->early_ns < 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile input{data, size};
  if (const auto trace = MergedTrace::open(fuzz::InputFile::path())) {
    read(*trace, {});
    read(*trace, {.from_ns = 1000, .to_ns = 2000, .ranks = {1}, .is_backwards = true});
    if (const auto row = trace->find(0, 0, 1); !row) fuzz::require_words(row.error().what);
    for (const std::uint64_t row : std::initializer_list<std::uint64_t>{0, 1, 70'000})
      if (const auto words = trace->user_words(row); !words) fuzz::require_words(words.error().what);
    if (const auto summary = trace->summary(); !summary) fuzz::require_words(summary.error().what);
    if (const auto report = trace->clock_report(); !report) fuzz::require_words(report.error().what);
    read_bounds(*trace);
  } else {
    fuzz::require_words(trace.error().what);
  }
  return 0;
}
