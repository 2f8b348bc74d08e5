// SPDX-License-Identifier: Apache-2.0
// A rank file, as bytes.

#include "trace/format/rank/rank_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  const fuzz::InputFile input{data, size};
  auto file = RankFile::open(input.path());
  if (!file) {
    fuzz::require_words(file.error().what);
    return 0;
  }
  EventBatch batch;
  for (std::size_t i = 0; i < file->meta().segments.size(); ++i)
    if (const Status read = file->read(i, batch); !read) fuzz::require_words(read.error().what);
  return 0;
}
