// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/verify_file.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "trace/format/tables/chunk_grid.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian::h5 {
namespace {

constexpr std::uint64_t kMostPieceBytes = std::uint64_t{64} << 20;

class Verifier {
 public:
  Verifier(std::uint64_t file_bytes, const std::function<void(double)>& progress)
      : file_bytes_{file_bytes}, progress_{progress} {}

  void group(hid_t from, const std::string& path, int depth) {
    const auto names = links_of(from);
    if (!names) return add(path.empty() ? "/" : path, 0, 0, "its directory cannot be read");
    if (depth > kMostNested) return add(path, 0, 0, "its groups are nested too deeply");
    for (const std::string& name : *names) object(from, name, std::string{path}.append("/").append(name), depth);
  }

  FileCheck take() { return std::move(found_); }

 private:
  void object(hid_t from, const std::string& name, const std::string& path, int depth) {
    H5L_info_t link{};
    if (H5Lget_info(from, name.c_str(), &link, H5P_DEFAULT) < 0) return add(path, 0, 0, "it cannot be opened");
    if (link.type != H5L_TYPE_HARD) return;  // leads to another place, which is read there or is not ours
    const Object opened{H5Oopen(from, name.c_str(), H5P_DEFAULT)};
    if (!opened) return add(path, 0, 0, "it cannot be opened");
    if (H5Iget_type(opened.get()) == H5I_GROUP) return group(opened.get(), path, depth + 1);
    if (H5Iget_type(opened.get()) == H5I_DATASET) return table(opened.get(), path);
  }

  void table(hid_t dataset, const std::string& path) {
    ++found_.tables;
    const Properties creation{H5Dget_create_plist(dataset)};
    if (!creation) return add(path, 0, 0, "it cannot be opened");
    if (!lies_in_file(creation.get())) return add(path, 0, 0, "its data are in other files");
    if (const auto filter = foreign_filter(creation.get())) return add(path, 0, 0, describe_filter(*filter));
    const Space space{H5Dget_space(dataset)};
    const Type type{H5Dget_type(dataset)};
    if (!space || !type) return add(path, 0, 0, "it cannot be opened");
    if (H5Tdetect_class(type.get(), H5T_VLEN) != 0 || H5Tis_variable_str(type.get()) != 0)
      return add(path, 0, 0, "its rows are of varying length");
    if (H5Pget_layout(creation.get()) == H5D_CHUNKED)
      return chunks(dataset, space.get(), type.get(), creation.get(), path);
    const hssize_t count = H5Sget_simple_extent_npoints(space.get());
    const std::uint64_t bytes = count < 0 ? 0 : static_cast<std::uint64_t>(count) * H5Tget_size(type.get());
    if (count < 0 || bytes > std::min(file_bytes_, kMostPieceBytes))
      return add(path, 0, 0, "it is longer than the file can hold");
    values_.resize(static_cast<std::size_t>(bytes) + 1);
    if (H5Dread(dataset, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values_.data()) < 0)
      return add(path, 0, static_cast<std::uint64_t>(count), "they cannot be read");
    read(bytes);
  }

  void chunks(hid_t dataset, hid_t space, hid_t type, hid_t creation, const std::string& path) {
    ChunkGrid grid;
    if (!grid.open(space, creation) || grid.count() > std::max<std::uint64_t>(file_bytes_, 65536))
      return add(path, 0, 0, "it is longer than the file can hold");
    if (grid.elements() > kMostPieceBytes / std::max<std::size_t>(H5Tget_size(type), 1))
      return add(path, 0, 0, "its chunks are larger than 64 MiB");
    values_.resize(static_cast<std::size_t>(grid.elements()) * H5Tget_size(type));
    for (std::uint64_t i = 0; i < grid.count(); ++i, grid.next()) {
      hsize_t stored = 0;
      if (H5Dget_chunk_storage_size(dataset, grid.first(), &stored) < 0 && !has_failed_in(H5E_DATASET))
        return add(path, grid.first()[0], 0, "its index cannot be read");
      if (stored == 0) continue;  // of the fill value
      if (stored > file_bytes_) {
        add(path, grid.first()[0], grid.rows(0), "their chunk is larger than the file");
        continue;
      }
      hsize_t counts[H5S_MAX_RANK];
      for (int k = 0; k < grid.dimensions(); ++k) counts[k] = grid.rows(k);
      const Space piece{H5Screate_simple(grid.dimensions(), counts, nullptr)};
      if (H5Sselect_hyperslab(space, H5S_SELECT_SET, grid.first(), nullptr, counts, nullptr) < 0 ||
          H5Dread(dataset, type, piece.get(), space, H5P_DEFAULT, values_.data()) < 0)
        add(path, grid.first()[0], grid.rows(0), "they do not decompress to what their checksum says");
      ++found_.chunks;
      read(stored);
    }
  }

  void read(std::uint64_t bytes) {
    found_.bytes += bytes;
    progress_(static_cast<double>(found_.bytes) / static_cast<double>(std::max<std::uint64_t>(file_bytes_, 1)));
  }

  void add(const std::string& table, std::uint64_t first, std::uint64_t count, std::string reason) {
    if (!found_.damaged.empty()) {
      DamagedRows& last = found_.damaged.back();
      if (last.table == table && last.count != 0 && count != 0 && last.first + last.count == first &&
          last.reason == reason) {
        last.count += count;
        return;
      }
    }
    found_.damaged.push_back({table, first, count, std::move(reason)});
  }

  std::uint64_t file_bytes_;
  const std::function<void(double)>& progress_;
  FileCheck found_;
  std::vector<char> values_;
};

}  // namespace

Result<FileCheck> verify_file(const std::filesystem::path& path, const std::function<void(double)>& progress) {
  MERIDIAN_TRY(const File file, open_read_only(path));
  const Quiet quiet;
  Verifier verifier{file_bytes(file.get()), progress};
  verifier.group(file.get(), "", 0);
  return verifier.take();
}

}  // namespace meridian::h5
