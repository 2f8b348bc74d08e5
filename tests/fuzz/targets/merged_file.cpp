// A merged file, as bytes: what `meridian order` asks of it.

#include "merger/clocks/clock_bounds_file.hpp"
#include "merger/output/find_event.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  const fuzz::InputFile input{data, size};
  const auto events = find_events(input.path(), {{0, 0, 0}, {0, 0, 1}});
  if (!events) fuzz::require_words(events.error().what);
  const auto bounds = MergedBounds::read(input.path());
  if (!bounds) {
    fuzz::require_words(bounds.error().what);
    return 0;
  }
  for (const std::int32_t rank : {-1, 0, 1})
    for (const std::int64_t time_ns : {INT64_C(0), INT64_C(1) << 59, -(INT64_C(1) << 59)})
      if (const auto bound = bounds->at(rank, time_ns, BoundLevel::t2); bound && bound->early_ns < 0) std::abort();
  (void)bounds->shares_clock(0, 1);
  return 0;
}
