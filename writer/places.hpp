#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace meridian {

// Where the files of one rank lie before there is a rank file. A spill is a spool that the program itself wrote because
// it had no writer.
std::filesystem::path spool_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path spill_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path note_in_output(const std::filesystem::path& output_dir, std::int32_t rank);
std::filesystem::path spool_beside(const std::filesystem::path& ring);
std::filesystem::path spill_beside(const std::filesystem::path& ring);

/// Every spool that the records of a ring may have gone to, in the order in which they were written; most do not exist.
/// `output_dir` may be empty.
std::vector<std::filesystem::path> spools_of(const std::filesystem::path& ring, const std::filesystem::path& output_dir,
                                             std::int32_t rank);

}  // namespace meridian
