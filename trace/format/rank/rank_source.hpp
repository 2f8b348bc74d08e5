// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the tables of one rank are: at the root of its own file, or in a group of a container.

#include <filesystem>
#include <memory>

#include "trace/format/chunks/raw_file.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {

struct RankSource {
  std::shared_ptr<const h5::File> file;  ///< shared by all ranks of a container
  h5::Group group;                       ///< none: the root
  std::filesystem::path name;            ///< for messages: the path of the file, followed by that of the group
  std::shared_ptr<RawFile> raw;          ///< null: HDF5's addresses are not positions in the file

  hid_t root() const noexcept { return group ? group.get() : file->get(); }
  void close() noexcept {
    (void)group.close();
    file.reset();
  }
};

/// The same file for reads by position; null if HDF5's addresses are no positions in it.
std::shared_ptr<RawFile> find_raw(const h5::File& file, const std::filesystem::path& path);

}  // namespace meridian
