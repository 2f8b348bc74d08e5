// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/copy_group.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "trace/format/tables/chunk_grid.hpp"

namespace meridian::h5 {
namespace {

constexpr std::uint64_t kMostChunkBytes = std::uint64_t{64} << 20;

Error refusal(const std::string& name, const std::string& reason) {
  return {Errc::damaged, "cannot copy '" + name + "': " + reason, ""};
}
Error failed(const std::string& name) {
  const int reason = errno;
  if (has_failed_to_write()) return {Errc::io, "cannot write '" + name + "': " + std::strerror(reason), ""};
  return failure(Errc::damaged, "cannot copy '" + name + "'");
}

bool has_plain_values(hid_t type) {
  return H5Tdetect_class(type, H5T_VLEN) == 0 && H5Tdetect_class(type, H5T_REFERENCE) == 0 &&
         H5Tis_variable_str(type) == 0;
}

herr_t keep_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

Status copy_attribute(hid_t from, hid_t to, const std::string& name) {
  const Attribute source{H5Aopen(from, name.c_str(), H5P_DEFAULT)};
  if (!source) return failed(name);
  const Type stored{H5Aget_type(source.get())};
  const Space space{H5Aget_space(source.get())};
  const Type type{H5Tcopy(stored.get())};
  if (!type || !space) return failed(name);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (!has_plain_values(type.get()) || count < 0) return refusal(name, "its type is not one of ours");
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * H5Tget_size(type.get());
  if (bytes > file_bytes(from)) return refusal(name, "it is larger than the file");
  std::vector<char> values(static_cast<std::size_t>(bytes) + 1);
  if (H5Aread(source.get(), type.get(), values.data()) < 0) return failed(name);
  Attribute made{H5Acreate2(to, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)};
  if (!made || H5Awrite(made.get(), type.get(), values.data()) < 0 || !made.close()) return failed(name);
  return {};
}

Status copy_attributes(hid_t from, hid_t to, const std::string& of) {
  std::vector<std::string> names;
  hsize_t position = 0;
  if (H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, &position, &keep_attribute, &names) < 0) return failed(of);
  for (const std::string& name : names) MERIDIAN_TRY_DO(copy_attribute(from, to, name));
  return {};
}

Status copy_chunks(hid_t from, hid_t to, hid_t space, hid_t creation, const std::string& name) {
  ChunkGrid grid;
  const std::uint64_t most = file_bytes(from);
  if (!grid.open(space, creation) || grid.count() > std::max<std::uint64_t>(most, 65536))
    return refusal(name, "it is longer than the file can hold");
  std::vector<char> chunk;
  for (std::uint64_t i = 0; i < grid.count(); ++i, grid.next()) {
    hsize_t bytes = 0;
    // Some versions of HDF5 fail if there is no such chunk. Any other failure comes from the index.
    if (H5Dget_chunk_storage_size(from, grid.first(), &bytes) < 0 && !has_failed_in(H5E_DATASET)) return failed(name);
    if (bytes == 0) continue;
    if (bytes > most || bytes > kMostChunkBytes) return refusal(name, "a chunk is larger than it can be");
    chunk.resize(static_cast<std::size_t>(bytes));
    std::uint32_t skipped = 0;
    if (!read_chunk(from, grid.first(), skipped, std::as_writable_bytes(std::span{chunk})) ||
        H5Dwrite_chunk(to, H5P_DEFAULT, skipped, grid.first(), chunk.size(), chunk.data()) < 0)
      return failed(name);
  }
  return {};
}

Status copy_values(hid_t from, hid_t to, hid_t space, hid_t type, const std::string& name) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0) return failed(name);
  const std::uint64_t most = file_bytes(from), width = H5Tget_size(type);
  if (width == 0 || static_cast<std::uint64_t>(count) > most / width)
    return refusal(name, "it is longer than the file can hold");
  std::vector<char> values(static_cast<std::size_t>(count) * width);
  if (values.empty()) return {};
  if (H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0 ||
      H5Dwrite(to, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return failed(name);
  return {};
}

Status copy_dataset(hid_t source, hid_t to, const std::string& name) {
  const Properties stored{H5Dget_create_plist(source)};
  if (!stored) return failed(name);
  if (!lies_in_file(stored.get())) return refusal(name, "its data are in other files");
  if (const auto filter = foreign_filter(stored.get())) return refusal(name, describe_filter(*filter));
  const Type stored_type{H5Dget_type(source)};
  const Space space{H5Dget_space(source)};
  const Type type{H5Tcopy(stored_type.get())};
  if (!type || !space) return failed(name);
  if (!has_plain_values(type.get())) return refusal(name, "its type is not one of ours");
  const Properties creation{H5Pcopy(stored.get())};
  H5Pset_obj_track_times(creation.get(), false);
  const Properties links = link_properties(to, name);
  Dataset made{H5Dcreate2(to, name.c_str(), type.get(), space.get(), links.get(), creation.get(), H5P_DEFAULT)};
  if (!made) return failed(name);
  if (H5Pget_layout(creation.get()) == H5D_CHUNKED)
    MERIDIAN_TRY_DO(copy_chunks(source, made.get(), space.get(), creation.get(), name));
  else
    MERIDIAN_TRY_DO(copy_values(source, made.get(), space.get(), type.get(), name));
  MERIDIAN_TRY_DO(copy_attributes(source, made.get(), name));
  return made.close() ? Status{} : Status{failed(name)};
}

Status copy_into(hid_t from, hid_t to, const std::string& of, int depth) {
  if (depth > kMostNested) return refusal(of, "its groups are nested too deeply");
  MERIDIAN_TRY_DO(copy_attributes(from, to, of));
  const auto names = links_of(from);
  if (!names) return failed(of);
  for (const std::string& name : *names) {
    H5L_info_t link{};
    if (H5Lget_info(from, name.c_str(), &link, H5P_DEFAULT) < 0) return failed(name);
    if (link.type != H5L_TYPE_HARD) return refusal(name, "it is a link to another place");
    const Object source{H5Oopen(from, name.c_str(), H5P_DEFAULT)};
    if (!source) return failed(name);
    if (H5Iget_type(source.get()) == H5I_GROUP) {
      MERIDIAN_TRY(const Group made, create_group(to, name));
      MERIDIAN_TRY_DO(copy_into(source.get(), made.get(), name, depth + 1));
    } else if (H5Iget_type(source.get()) == H5I_DATASET) {
      MERIDIAN_TRY_DO(copy_dataset(source.get(), to, name));
    } else {
      return refusal(name, "it is neither a group nor a dataset");
    }
  }
  return {};
}

}  // namespace

Status copy_group(hid_t from, hid_t to) {
  const Quiet quiet;
  return copy_into(from, to, "/", 0);
}

}  // namespace meridian::h5
