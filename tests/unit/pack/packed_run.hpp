// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the tests of packing: the names in a directory, and all data of a merged file.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "cli/pack/pack_ranks.hpp"
#include "merger/merge.hpp"
#include "synthetic_trace.hpp"
#include "trace/format/rank/rank_container.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian::test {

inline std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{directory})
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// The bytes of every dataset, by path. The size of the rank files, which packing changes, is zero.
using MergedData = std::map<std::string, std::vector<char>>;

inline herr_t keep_dataset(hid_t file, const char* name, const H5L_info_t*, void* into) {
  const h5::Object dataset{H5Oopen(file, name, H5P_DEFAULT)};
  if (H5Iget_type(dataset.get()) != H5I_DATASET) return dataset ? 0 : -1;
  const h5::Space space{H5Dget_space(dataset.get())};
  const h5::Type type{H5Dget_type(dataset.get())};
  const std::size_t width = H5Tget_size(type.get());
  std::vector<char> bytes(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())) * width);
  if (!bytes.empty() && H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) return -1;
  if (H5Tget_class(type.get()) == H5T_COMPOUND)
    if (const int member = H5Tget_member_index(type.get(), "trace_bytes"); member >= 0)
      for (std::size_t at = H5Tget_member_offset(type.get(), static_cast<unsigned>(member)); at < bytes.size();
           at += width)
        std::memset(&bytes[at], 0, sizeof(std::uint64_t));
  if (std::string_view{name}.ends_with("trace_bytes")) std::ranges::fill(bytes, '\0');
  static_cast<MergedData*>(into)->emplace(name, std::move(bytes));
  return 0;
}

/// Merges the directory and reads what was written.
inline MergedData merge_and_read(const std::filesystem::path& directory) {
  const auto outcome = merge(directory);
  if (!outcome) throw std::runtime_error(outcome.error().what);
  auto file = h5::open_read_only(directory / "merged.h5");
  if (!file) throw std::runtime_error(file.error().what);
  MergedData data;
  const h5::Quiet quiet;
  if (H5Lvisit(file->get(), H5_INDEX_NAME, H5_ITER_INC, &keep_dataset, &data) < 0)
    throw std::runtime_error("cannot read the merged file");
  return data;
}

inline void expect_equal(const MergedData& found, const MergedData& expected) {
  ASSERT_GT(expected.size(), 20u);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, bytes] : expected) EXPECT_TRUE(found.at(name) == bytes) << name;
}

inline Packed pack(const std::filesystem::path& directory) {
  auto packed = pack_ranks(directory);
  if (!packed) throw std::runtime_error(packed.error().what);
  return *std::move(packed);
}

}  // namespace meridian::test
