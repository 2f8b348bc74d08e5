// SPDX-License-Identifier: Apache-2.0
#pragma once

// The samples of a merged file: what threads computed at steps of their processor time. FORMAT.md, "Samples".

#include <cstdint>
#include <string>
#include <vector>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

inline constexpr const char* kSamples = "samples";
inline constexpr const char* kSampleRanks = "sample_ranks";
inline constexpr const char* kSampleThreads = "sample_threads";
inline constexpr const char* kSampleModules = "sample_modules";
inline constexpr const char* kSamplePlaces = "sample_places";
inline constexpr const char* kSamplePaths = "sample_paths";

/// Samples of a rank follow one another, in order of time.
struct MergedSample {
  std::int64_t time_ns = 0;
  std::int32_t location = 0;  ///< in MergedDefinitions::locations
  std::int32_t path = 0;      ///< 0: unknown
};
inline constexpr Columns kSampleColumns{
    column<&MergedSample::time_ns>("time_ns", "ns", "global time"),
    column<&MergedSample::location>("location", "", "thread: row of /threads"),
    column<&MergedSample::path>("path", "", "what it computed: row of /sample_paths"),
};

struct SampleRank {
  std::int32_t rank = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
inline constexpr Columns kSampleRankColumns{
    column<&SampleRank::rank>("rank", "", "in MPI_COMM_WORLD"),
    column<&SampleRank::first>("first", "", "row of /samples"),
    column<&SampleRank::count>("count", "", "samples, which follow one another"),
};

struct SampleThread {
  std::uint32_t location = 0;
  std::uint64_t processor_ns = 0;
};
inline constexpr Columns kSampleThreadColumns{
    column<&SampleThread::location>("location", "", "row of /threads"),
    column<&SampleThread::processor_ns>("processor_ns", "ns", "processor time while it was sampled"),
};

struct SampleModule {
  std::string path;
};
inline constexpr Columns kSampleModuleColumns{column<&SampleModule::path>("path")};

/// A point of the code of the program or of a library.
struct SamplePlace {
  std::uint32_t module = 0;  ///< 0: unknown
  std::uint64_t offset = 0;  ///< in the module; 0 if the function is known
  std::string function, outer, file;
  std::uint32_t line = 0;
};
inline constexpr Columns kSamplePlaceColumns{
    column<&SamplePlace::module>("module", "", "row of /sample_modules; 0: unknown"),
    column<&SamplePlace::offset>("offset", "", "in the module, behind the instruction; 0 if the function is known"),
    column<&SamplePlace::function>("function"),
    column<&SamplePlace::outer>("outer", "", "function that contains the code, if `function` was inlined into it"),
    column<&SamplePlace::file>("file"),
    column<&SamplePlace::line>("line"),
};

/// A place and the path to it. Rows 0 to 2 have no place: unknown, callers beyond the copy of the stack, unknown callers.
struct SamplePath {
  std::uint32_t parent = 0;  ///< an earlier row; 0: none
  std::uint32_t place = 0;
};
inline constexpr std::size_t kPathsWithoutPlace = 3;
inline constexpr Columns kSamplePathColumns{
    column<&SamplePath::parent>("parent", "", "row of this table; 0: none"),
    column<&SamplePath::place>("place", "", "row of /sample_places"),
};

/// The meaning of the numbers in samples.
struct SampleNames {
  std::vector<SampleRank> ranks;
  std::vector<SampleThread> threads;
  std::vector<SampleModule> modules;
  std::vector<SamplePlace> places;
  std::vector<SamplePath> paths;
};

}  // namespace meridian
