// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "trace/format/chunks/chunk_codec.hpp"
#include "trace/format/chunks/chunk_planes.hpp"
#include "trace/format/chunks/raw_file.hpp"
#include "trace/format/tables/column.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMostDeflated = 1032;  // no zlib stream has a higher ratio
constexpr std::size_t kSlowPiece = 65536;      // elements read at once if HDF5 converts them
constexpr std::uint64_t kMostPlaces = 1024;    // HDF5 looks through all chunks to find the place of one

// The storage of a dataset's chunks; has_own_path is false if HDF5 has to decode them.
struct Storage {
  bool has_own_path = false;
  bool is_compact = false;
  bool is_float = false;
  bool is_signed = false;
  std::size_t width = 0;  // bytes of an element in the file
  hsize_t chunk = 0;      // elements
  bool has_shuffle = false;
  bool has_deflate = false;
};

// A chunk in the file; bytes is 0 if it is not stored.
struct ChunkPlace {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t skipped = 0;  // filters, one bit each
};

h5::Properties access_without_cache() {
  h5::Properties access = h5::access_within_file(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access.get(), 1, 0, 1.0);  // ColumnReader caches chunks itself
  return access;
}

// HDF5 clears a buffer of a megabyte before it converts even one element, unless it is given a smaller size.
hid_t transfer_of(std::size_t count) {
  const auto with_buffer = [](std::size_t elements) {
    h5::Properties transfer{H5Pcreate(H5P_DATASET_XFER)};
    H5Pset_buffer(transfer.get(), 8 * elements, nullptr, nullptr);
    return transfer;
  };
  constexpr std::size_t kFew = 512;
  static const h5::Properties small = with_buffer(kFew), large = with_buffer(kSlowPiece);
  return count <= kFew ? small.get() : large.get();
}

bool is_plain(hid_t type, std::size_t width) {
  const bool is_order_known = width == 1 || H5Tget_order(type) == H5T_ORDER_LE;
  return is_order_known && (width == 1 || width == 2 || width == 4 || width == 8) &&
         H5Tget_precision(type) == 8 * width && H5Tget_offset(type) == 0;
}

// Accepts exactly our filters in our order.
bool find_filters(hid_t creation, Storage& storage) {
  const int count = H5Pget_nfilters(creation);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr);
    if (filter == H5Z_FILTER_SHUFFLE && i == 0) {
      storage.has_shuffle = true;
    } else if (filter == H5Z_FILTER_DEFLATE && i == count - 1) {
      storage.has_deflate = true;
    } else {
      return false;
    }
  }
  return count >= 0;
}

}  // namespace

struct ColumnReader::Impl {
  std::string path;
  h5::Dataset dataset;
  Storage storage;
  std::uint64_t rows = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t fill = 0;

  // After detach(), in place of the dataset.
  std::shared_ptr<const RawFile> raw;
  std::vector<ChunkPlace> places;

  // The last chunk read.
  std::uint64_t cached = std::numeric_limits<std::uint64_t>::max();
  bool is_fill = false;
  ChunkPlanes planes;

  Error damaged(std::string_view reason) const {
    return Error{Errc::damaged, "cannot read column '" + path + "': " + std::string{reason}, ""};
  }
  Error failed() const { return h5::failure(Errc::damaged, "cannot read column '" + path + "'"); }

  bool is_detached() const noexcept { return !dataset; }

  Status examine() {
    const h5::Properties creation{H5Dget_create_plist(dataset.get())};
    if (!creation) return failed();
    if (!h5::lies_in_file(creation.get())) return damaged("its data are in other files");
    if (const auto filter = h5::foreign_filter(creation.get())) return damaged(h5::describe_filter(*filter));
    const h5::Space space{H5Dget_space(dataset.get())};
    if (!space) return failed();
    if (H5Sget_simple_extent_ndims(space.get()) != 1 || H5Sget_simple_extent_type(space.get()) != H5S_SIMPLE)
      return damaged("it is not one-dimensional");
    hsize_t extent = 0;
    if (H5Sget_simple_extent_dims(space.get(), &extent, nullptr) != 1) return failed();
    rows = extent;
    // At least one column of a table takes space in the file for each row.
    if (file_bytes != 0 && rows / kMostDeflated > file_bytes) return damaged("it is longer than the file can hold");
    const h5::Type type{H5Dget_type(dataset.get())};
    if (!type) return failed();
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) return damaged("its elements are not numbers");
    storage.is_float = kind == H5T_FLOAT;
    storage.is_signed = storage.is_float || H5Tget_sign(type.get()) == H5T_SGN_2;
    storage.width = H5Tget_size(type.get());
    const H5D_layout_t layout = H5Pget_layout(creation.get());
    storage.is_compact = layout == H5D_COMPACT;
    if (layout != H5D_CHUNKED) return {};
    if (H5Pget_chunk(creation.get(), 1, &storage.chunk) != 1 || storage.chunk == 0) return failed();
    if (storage.chunk > kMaxChunkBytes / std::max<std::size_t>(storage.width, 1))
      return damaged("its chunks are larger than 8 MiB");
    const bool is_simple_float = storage.is_float && H5Tequal(type.get(), H5T_IEEE_F64LE) > 0;
    if (storage.is_float ? !is_simple_float : !is_plain(type.get(), storage.width)) return {};
    if (!find_filters(creation.get(), storage) || (storage.has_deflate && !has_own_deflate())) return {};
    const hid_t fill_type =
        storage.is_float ? H5T_NATIVE_DOUBLE : (storage.is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64);
    if (H5Pget_fill_value(creation.get(), fill_type, &fill) < 0) return failed();
    storage.has_own_path = true;
    return {};
  }

  // Size of the chunk in the file; 0: not stored.
  Result<hsize_t> stored_bytes(hsize_t first) const {
    if (raw != nullptr) return check_bytes(places[static_cast<std::size_t>(first / storage.chunk)].bytes);
    hsize_t bytes = 0;
    // Some versions of HDF5 fail if there is no such chunk. Any other failure comes from the index.
    if (H5Dget_chunk_storage_size(dataset.get(), &first, &bytes) < 0)
      return h5::has_failed_in(H5E_DATASET) ? Result<hsize_t>{0} : failed();
    return check_bytes(bytes);
  }

  Result<hsize_t> check_bytes(hsize_t bytes) const {
    if (bytes > file_bytes || bytes > 2 * storage.chunk * storage.width + 65536)
      return damaged("a chunk is larger than it can be");
    return bytes;
  }

  Status read_stream(hsize_t first, std::span<std::uint8_t> stream, std::uint32_t& skipped) const {
    if (raw == nullptr)
      return h5::read_chunk(dataset.get(), &first, skipped, std::as_writable_bytes(stream)) ? Status{}
                                                                                            : Status{failed()};
    const ChunkPlace& place = places[static_cast<std::size_t>(first / storage.chunk)];
    skipped = place.skipped;
    Status read = raw->read(place.address, stream);
    if (!read) read.error().what.insert(0, "cannot read column '" + path + "': ");
    return read;
  }

  Status load_chunk(std::uint64_t index) {
    cached = std::numeric_limits<std::uint64_t>::max();
    const hsize_t first = index * storage.chunk;
    MERIDIAN_TRY(const hsize_t bytes, stored_bytes(first));
    is_fill = bytes == 0;
    if (is_fill) {
      cached = index;
      return {};
    }
    const std::size_t plain_bytes = static_cast<std::size_t>(storage.chunk) * storage.width;
    if (plain_bytes / kMostDeflated > bytes) return damaged("a chunk has the wrong length");
    // The planes and the stream they come from; the stream may be longer if deflate did not help.
    const std::span<std::uint8_t> plain = planes.prepare(static_cast<std::size_t>(storage.chunk), storage.width);
    const std::span<std::uint8_t> stream{scratch_bytes(static_cast<std::size_t>(bytes)),
                                         static_cast<std::size_t>(bytes)};
    std::uint32_t skipped = 0;
    MERIDIAN_TRY_DO(read_stream(first, stream, skipped));
    const std::uint32_t deflate_bit = storage.has_shuffle ? 2 : 1;
    if (storage.has_deflate && (skipped & deflate_bit) == 0) {
      if (!inflate_bytes(stream, plain)) return damaged("a chunk does not decompress");
    } else if (bytes == plain_bytes) {
      std::ranges::copy(stream, plain.begin());
    } else {
      return damaged("a chunk has the wrong length");
    }
    const bool is_shuffled = storage.has_shuffle && (skipped & 1) == 0;
    if (!is_shuffled && storage.width > 1) to_planes(plain);
    MERIDIAN_TRY_DO(planes.keep());
    cached = index;
    return {};
  }

  void to_planes(std::span<std::uint8_t> chunk) const {
    const std::size_t rows_of_chunk = static_cast<std::size_t>(storage.chunk);
    std::uint8_t* plain = scratch_bytes(chunk.size());
    std::ranges::copy(chunk, plain);
    for (std::size_t i = 0; i < rows_of_chunk; ++i)
      for (std::size_t plane = 0; plane < storage.width; ++plane)
        chunk[plane * rows_of_chunk + i] = plain[i * storage.width + plane];
  }

  // Finds every chunk in the file, so that it can be read without HDF5; false: only HDF5 can read the column.
  bool find_places(const std::shared_ptr<const RawFile>& file) {
    if (!storage.has_own_path || storage.is_float) return false;
    const std::uint64_t chunks = (rows + storage.chunk - 1) / storage.chunk;
    if (chunks > kMostPlaces) return false;
    std::vector<ChunkPlace> found(static_cast<std::size_t>(chunks));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const hsize_t first = i * storage.chunk;
      unsigned skipped = 0;
      haddr_t address = HADDR_UNDEF;
      hsize_t bytes = 0;
      if (H5Dget_chunk_info_by_coord(dataset.get(), &first, &skipped, &address, &bytes) < 0) return false;
      if (bytes == 0 || address == HADDR_UNDEF) continue;
      if (bytes > file->bytes() || address > file->bytes() - bytes) return false;  // HDF5 finds words for it
      found[i] = {address, static_cast<std::uint32_t>(std::min<hsize_t>(bytes, UINT32_MAX)), skipped};
    }
    places = std::move(found);
    raw = file;
    return true;
  }

  // Takes all elements of a column in an object header into memory, as its only chunk.
  bool take_whole() {
    if (storage.is_float || !storage.is_compact || storage.width > 8) return false;
    const auto count = static_cast<std::size_t>(rows);
    const ColumnType wide = storage.is_signed ? ColumnType::i64 : ColumnType::u64;
    std::vector<std::uint64_t> values(count);
    if (!read_through_hdf5(0, reinterpret_cast<std::uint8_t*>(values.data()), count, wide)) return false;
    const std::span<std::uint8_t> plain = planes.prepare(count, storage.width);
    split_planes(values.data(), count, wide, storage.width, count, plain.data());
    if (!planes.keep()) return false;
    storage.chunk = std::max<hsize_t>(rows, 1);
    storage.has_own_path = true;
    cached = 0;  // for ever: there is no other one
    return true;
  }

  bool detach(const std::shared_ptr<const RawFile>& file) {
    const h5::Quiet quiet;
    return (find_places(file) || take_whole()) && dataset.close();
  }

  bool put_fill(std::size_t count, ColumnType type, std::uint8_t* out) const {
    std::uint8_t planes_of_one[8];
    for (unsigned plane = 0; plane < 8; ++plane) planes_of_one[plane] = static_cast<std::uint8_t>(fill >> (8 * plane));
    const std::size_t width = width_of(type);
    if (!join_planes(planes_of_one, 1, 8, storage.is_signed && !storage.is_float, 0, 1, type, out)) return false;
    for (std::size_t done = 1; done < count;) {
      const std::size_t copied = std::min(done, count - done);
      std::copy_n(out, copied * width, out + done * width);
      done += copied;
    }
    return true;
  }

  Status read_own(std::uint64_t offset, std::uint8_t* out, std::size_t count, ColumnType type) {
    while (count > 0) {
      const std::uint64_t index = offset / storage.chunk;
      if (index != cached) MERIDIAN_TRY_DO(load_chunk(index));
      const std::size_t first = static_cast<std::size_t>(offset % storage.chunk);
      const std::size_t taken = std::min(count, static_cast<std::size_t>(storage.chunk) - first);
      bool is_held = false;
      if (is_fill)
        is_held = put_fill(taken, type, out);
      else
        MERIDIAN_TRY_DO(planes.join(first, taken, storage.is_signed && !storage.is_float, type, out, is_held));
      if (!is_held) return damaged("a value is out of range");
      offset += taken;
      out += taken * width_of(type);
      count -= taken;
    }
    return {};
  }

  // Any layout and order of filters. Integers are read as 64 bits with the file's sign, so that none is
  // clipped.
  Status read_through_hdf5(std::uint64_t offset, std::uint8_t* out, std::size_t count, ColumnType type) const {
    const ColumnType wide = type == ColumnType::f64 ? ColumnType::f64
                            : storage.is_signed     ? ColumnType::i64
                                                    : ColumnType::u64;
    const hid_t memory = wide == ColumnType::f64   ? H5T_NATIVE_DOUBLE
                         : wide == ColumnType::i64 ? H5T_NATIVE_INT64
                                                   : H5T_NATIVE_UINT64;
    std::vector<std::uint64_t> values(std::min(count, kSlowPiece));
    std::vector<std::uint8_t> bytes(8 * values.size());
    while (count > 0) {
      const hsize_t first = offset;
      const hsize_t taken = std::min(count, values.size());
      const h5::Space file_space{H5Dget_space(dataset.get())};
      const h5::Space memory_space{H5Screate_simple(1, &taken, nullptr)};
      if (H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &first, nullptr, &taken, nullptr) < 0 ||
          H5Dread(dataset.get(), memory, memory_space.get(), file_space.get(), transfer_of(values.size()),
                  values.data()) < 0)
        return failed();
      const std::size_t n = static_cast<std::size_t>(taken);
      split_planes(values.data(), n, wide, 8, n, bytes.data());
      if (!join_planes(bytes.data(), n, 8, wide == ColumnType::i64, 0, n, type, out))
        return damaged("a value is out of range");
      offset += taken;
      out += n * width_of(type);
      count -= n;
    }
    return {};
  }
};

ColumnReader::ColumnReader(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
ColumnReader::ColumnReader(ColumnReader&&) noexcept = default;
ColumnReader& ColumnReader::operator=(ColumnReader&&) noexcept = default;
ColumnReader::~ColumnReader() = default;

Result<ColumnReader> ColumnReader::open(hid_t parent, const std::string& path) {
  const h5::Quiet quiet;
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  static const h5::Properties access = access_without_cache();
  impl->dataset = h5::Dataset{H5Dopen2(parent, path.c_str(), access.get())};
  if (!impl->dataset) {
    Error error = impl->failed();
    return h5::exists(parent, path) ? error : Error{Errc::not_found, "there is no column '" + path + "'", ""};
  }
  impl->file_bytes = h5::file_bytes(impl->dataset.get());
  MERIDIAN_TRY_DO(impl->examine());
  return ColumnReader{std::move(impl)};
}

std::uint64_t ColumnReader::size() const noexcept { return impl_->rows; }

bool ColumnReader::detach(const std::shared_ptr<const RawFile>& file) { return impl_->detach(file); }

void ColumnReader::keep_in(std::shared_ptr<PlaneStore> store) {
  if (impl_->is_detached() && impl_->raw == nullptr) return;  // its only chunk
  impl_->cached = std::numeric_limits<std::uint64_t>::max();
  impl_->planes.keep_in(std::move(store));
}

Status ColumnReader::read_raw(std::uint64_t offset, void* out, std::size_t count, ColumnType type) {
  if (offset > impl_->rows || count > impl_->rows - offset) return impl_->damaged("it is too short");
  if (count == 0) return {};
  if (impl_->storage.is_float && type != ColumnType::f64) return impl_->damaged("its elements are not integers");
  const bool is_direct = impl_->storage.has_own_path && impl_->storage.is_float == (type == ColumnType::f64);
  auto* bytes = static_cast<std::uint8_t*>(out);
  if (impl_->is_detached()) return impl_->read_own(offset, bytes, count, type);
  const h5::Quiet quiet;
  return is_direct ? impl_->read_own(offset, bytes, count, type) : impl_->read_through_hdf5(offset, bytes, count, type);
}

}  // namespace meridian
