// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "trace/format/rank/rank_container.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes a container under a temporary name, `path` followed by ".part": create(), add() for each rank, close(), and after
/// a look at the file, put_in_place(). Without that it leaves no file.
class RankContainerWriter {
 public:
  static Result<RankContainerWriter> create(const std::filesystem::path& path, const std::string& hostname);
  RankContainerWriter(RankContainerWriter&& other) noexcept;
  RankContainerWriter& operator=(RankContainerWriter&&) = delete;
  ~RankContainerWriter();

  /// Copies what a rank file holds into the new group. Compressed chunks are copied as they are.
  /// errors  damaged: the rank file cannot be copied, and the container is only good for being abandoned; io
  Status add(const std::filesystem::path& rank_file, const std::string& group);
  /// The same from a group of another container.
  Status add(const RankContainer& from, const std::string& group);
  /// Closes the file. Afterwards its bytes are on the disk, whatever happens to the machine. errors: io
  Status close();
  /// The temporary name.
  const std::filesystem::path& part() const noexcept { return part_; }
  /// Gives the file its name, in place of an earlier container. errors: io
  Status put_in_place();

 private:
  RankContainerWriter(h5::File file, std::filesystem::path path, std::filesystem::path part);
  Status copy(hid_t from, const std::string& group, const std::filesystem::path& source);

  h5::File file_;
  std::filesystem::path path_, part_;  // part_ is empty once the file has its name
};

}  // namespace meridian
