// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/rank_container_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "trace/format/rank/rank_source.hpp"
#include "trace/format/tables/copy_group.hpp"
#include "trace/format/tables/temporary_files.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// Waits until a file or directory is on the disk.
Status put_on_disk(const fs::path& path) {
  const Unique<&::close, -1> file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file && (::fsync(file.get()) == 0 || errno == EINVAL || errno == EROFS)) return {};
  return Error{Errc::io, "cannot put '" + path.string() + "' on the disk: " + std::strerror(errno), ""};
}

}  // namespace

RankContainerWriter::RankContainerWriter(h5::File file, fs::path path, fs::path part)
    : file_{std::move(file)}, path_{std::move(path)}, part_{std::move(part)} {}

RankContainerWriter::RankContainerWriter(RankContainerWriter&& other) noexcept
    : file_{std::move(other.file_)}, path_{std::move(other.path_)}, part_{std::exchange(other.part_, {})} {}

Result<RankContainerWriter> RankContainerWriter::create(const fs::path& path, const std::string& hostname) {
  const fs::path part = fs::path{path} += ".part";
  MERIDIAN_TRY(h5::File file, h5::create_file(part));
  RankContainerWriter writer{std::move(file), path, part};
  const hid_t root = writer.file_.get();
  MERIDIAN_TRY_DO(h5::write_attribute(root, "schema", kContainerSchema));
  MERIDIAN_TRY_DO(h5::write_attribute(root, "version", kContainerVersion));
  MERIDIAN_TRY_DO(h5::write_attribute(
      root, "about", "ranks of an MPI program on one host, a group for each rank file; tables: FORMAT.md of Meridian"));
  MERIDIAN_TRY_DO(h5::write_attribute(root, "hostname", hostname));
  return writer;
}

RankContainerWriter::~RankContainerWriter() {
  if (part_.empty()) return;
  {
    const h5::Quiet quiet;
    (void)file_.close();
  }
  ::unlink(part_.c_str());
  forget_temporary_file(part_);
}

Status RankContainerWriter::copy(hid_t from, const std::string& group, const fs::path& source) {
  const auto copied = [&]() -> Status {
    MERIDIAN_TRY(h5::Group made, h5::create_group(file_.get(), group));
    MERIDIAN_TRY_DO(h5::copy_group(from, made.get()));
    return made.close() ? Status{} : Status{h5::failure(Errc::io, "cannot close group '" + group + "'")};
  }();
  if (copied) return {};
  Error error = copied.error();
  error.what = "cannot copy '" + source.string() + "' into '" + part_.string() + "': " + error.what;
  if (error.code == Errc::io) error.hint = "make room there: packing needs room for a copy of the ranks of one host";
  return error;
}

Status RankContainerWriter::add(const fs::path& rank_file, const std::string& group) {
  MERIDIAN_TRY(const h5::File from, h5::open_read_only(rank_file));
  return copy(from.get(), group, rank_file);
}

Status RankContainerWriter::add(const RankContainer& from, const std::string& group) {
  MERIDIAN_TRY(const h5::Group source, h5::open_group(from.source_->root(), group));
  return copy(source.get(), group, from.path() / group);
}

Status RankContainerWriter::close() {
  MERIDIAN_TRY_DO(h5::close_file(file_, part_));
  return put_on_disk(part_);
}

Status RankContainerWriter::put_in_place() {
  std::error_code problem;
  fs::rename(part_, path_, problem);
  if (problem)
    return Error{Errc::io, "cannot rename '" + part_.string() + "' to '" + path_.string() + "': " + problem.message(),
                 ""};
  forget_temporary_file(part_);
  part_.clear();
  return put_on_disk(path_.has_parent_path() ? path_.parent_path() : fs::path{"."});
}

}  // namespace meridian
