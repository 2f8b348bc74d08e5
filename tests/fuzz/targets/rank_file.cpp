// SPDX-License-Identifier: Apache-2.0
// A rank file or a container, as bytes.

#include "trace/format/rank/rank_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "trace/format/rank/rank_container.hpp"

namespace {

using namespace meridian;

void read_rank(Result<RankFile> file) {
  if (!file) return fuzz::require_words(file.error().what);
  EventBatch batch;
  for (std::size_t i = 0; i < file->meta().segments.size(); ++i)
    if (const Status read = file->read(i, batch); !read) fuzz::require_words(read.error().what);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile input{data, size};
  read_rank(RankFile::open(fuzz::InputFile::path()));
  const auto container = RankContainer::open(fuzz::InputFile::path());
  if (!container)
    fuzz::require_words(container.error().what);
  else
    for (const std::string& group : container->groups()) read_rank(container->rank(group));
  return 0;
}
