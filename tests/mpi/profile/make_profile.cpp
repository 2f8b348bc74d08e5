// SPDX-License-Identifier: Apache-2.0
// make_profile FROM TO: the rank file of a trace as the one of a profile of the same run would be.

#include <cstdio>

#include "trace/records/profile/call_profile.hpp"

namespace meridian {
namespace {

Status make_profile(const char* from, const char* to) {
  MERIDIAN_TRY(RankFile file, RankFile::open(from));
  RankMeta meta = file.meta();
  const auto number_calls = [&](auto& rows) {
    for (auto& row : rows) row.call = static_cast<std::uint32_t>(meta.calls[row.call]);
  };
  number_calls(meta.comms);
  number_calls(meta.passed);
  CallProfile profile{meta};
  MERIDIAN_TRY(RankFileWriter writer, RankFileWriter::create(to));
  EventBatch batch;
  for (std::size_t i = 0; i < meta.segments.size(); ++i) {
    MERIDIAN_TRY_DO(file.read(i, batch));
    const ThreadId thread{meta.segments[i].thread};
    MERIDIAN_TRY_DO(writer.append(thread, profile.take(thread, batch)));
  }
  meta.profile = profile.rows();
  meta.texts.push_back({kProfileKey, std::to_string(profile.calls()), 0, 0});
  return writer.finish(meta);
}

}  // namespace
}  // namespace meridian

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const meridian::Status made = meridian::make_profile(argv[1], argv[2]);
  if (!made) std::fprintf(stderr, "%s\n", made.error().what.c_str());
  return made ? 0 : 1;
}
