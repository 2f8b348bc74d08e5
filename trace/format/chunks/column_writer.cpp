// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "trace/format/chunks/chunk_codec.hpp"
#include "trace/format/chunks/chunk_log.hpp"
#include "trace/format/chunks/chunk_pool.hpp"
#include "trace/format/chunks/pending_rows.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/tables/column.hpp"

namespace meridian {
namespace {

constexpr std::size_t kCompactBytes = 256;  // a column of at most this size is stored in its object header

hid_t file_type(ColumnType type, std::size_t width) {
  if (type == ColumnType::f64) return H5T_IEEE_F64LE;
  switch (width) {
    case 1:
      return is_signed(type) ? H5T_STD_I8LE : H5T_STD_U8LE;
    case 2:
      return is_signed(type) ? H5T_STD_I16LE : H5T_STD_U16LE;
    case 4:
      return is_signed(type) ? H5T_STD_I32LE : H5T_STD_U32LE;
    default:
      return is_signed(type) ? H5T_STD_I64LE : H5T_STD_U64LE;
  }
}

hid_t memory_type(ColumnType type) {
  if (type == ColumnType::f64) return H5T_NATIVE_DOUBLE;
  switch (width_of(type)) {
    case 1:
      return is_signed(type) ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
    case 2:
      return is_signed(type) ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
    case 4:
      return is_signed(type) ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
    default:
      return is_signed(type) ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  }
}

}  // namespace

struct ColumnWriter::Impl {
  // The dataset's layout; known when the first chunk is complete, or at the end.
  struct Layout {
    std::size_t width = 0;    // bytes of an element in the file
    hsize_t chunk = 0;        // elements; 0: compact, in the object header
    bool is_growing = false;  // more chunks may follow
    std::uint64_t fill = 0;   // value of chunks that are not stored, sign-extended
  };

  hid_t parent = H5I_INVALID_HID;
  ChunkPool* pool = nullptr;      // compresses chunks meanwhile
  ChunkLogWriter* log = nullptr;  // receives the chunks instead of a dataset
  std::uint32_t number = 0;       // of the column in the log
  std::string path;
  ColumnType type{};
  int level = 1;
  bool is_narrow = false;
  bool is_noisy = false;
  bool may_be_noisy = false;
  bool omit_empty = false;
  std::string unit;
  std::string description;

  h5::Dataset dataset;
  Layout layout;
  std::uint64_t rows_stored = 0;
  PendingRows pending;

  std::size_t element_bytes() const { return width_of(type); }

  ChunkCoding coding(std::size_t width, std::size_t stride) const {
    return {.type = type,
            .width = width,
            .stride = stride,
            .level = level,
            .is_noisy = is_noisy,
            .may_be_noisy = may_be_noisy};
  }

  Error failed(std::string_view verb) const {
    return h5::failure(Errc::io, "cannot " + std::string{verb} + " column '" + path + "'");
  }

  Result<h5::Dataset> create_dataset(const std::string& name, const Layout& plan, hsize_t rows) const {
    const h5::Properties creation = h5::dataset_properties();
    if (plan.chunk == 0) {
      H5Pset_layout(creation.get(), H5D_COMPACT);
    } else {
      H5Pset_chunk(creation.get(), 1, &plan.chunk);
      if (plan.width > 1) H5Pset_shuffle(creation.get());
      H5Pset_deflate(creation.get(), static_cast<unsigned>(level));
      H5Pset_fill_value(creation.get(), is_signed(type) ? H5T_NATIVE_INT64 : fill_type(), &plan.fill);
    }
    const hsize_t most = plan.is_growing ? H5S_UNLIMITED : rows;
    const h5::Space space{H5Screate_simple(1, &rows, &most)};
    const h5::Properties links = h5::link_properties(parent, name);
    h5::Dataset made{H5Dcreate2(parent, name.c_str(), file_type(type, plan.width), space.get(), links.get(),
                                creation.get(), H5P_DEFAULT)};
    if (!made) return failed("create");
    if (!unit.empty()) MERIDIAN_TRY_DO(h5::write_attribute(made.get(), "unit", unit));
    if (!description.empty()) MERIDIAN_TRY_DO(h5::write_attribute(made.get(), "description", description));
    return made;
  }

  hid_t fill_type() const { return type == ColumnType::f64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64; }

  // Writes one chunk at row `first`; the dataset is already long enough.
  Status write_chunk(const h5::Dataset& target, const Layout& plan, hsize_t first, const void* values,
                     std::size_t rows) const {
    if (!has_own_deflate()) {
      const hsize_t count = rows;
      const h5::Space file_space{H5Dget_space(target.get())};
      const h5::Space memory_space{H5Screate_simple(1, &count, nullptr)};
      H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr);
      if (H5Dwrite(target.get(), memory_type(type), memory_space.get(), file_space.get(), H5P_DEFAULT, values) < 0)
        return failed("write");
      return {};
    }
    const auto stored = encode_chunk(values, rows, coding(plan.width, static_cast<std::size_t>(plan.chunk)));
    if (stored.empty() || H5Dwrite_chunk(target.get(), H5P_DEFAULT, 0, &first, stored.size(), stored.data()) < 0)
      return failed("write");
    return {};
  }

  // Handles a value that the file's type cannot hold: every chunk is stored again with a wider type. This happens at
  // most three times per column, and no reader needs overflow tables.
  Status widen(std::size_t width) {
    if (pool != nullptr) MERIDIAN_TRY_DO(pool->drain());
    Layout wider = layout;
    wider.width = width;
    const std::string name = path + ".wider";
    MERIDIAN_TRY(h5::Dataset made, create_dataset(name, wider, rows_stored));
    std::vector<std::uint8_t> chunk(static_cast<std::size_t>(layout.chunk) * element_bytes());
    for (hsize_t first = 0; first < rows_stored; first += layout.chunk) {
      const h5::Space file_space{H5Dget_space(dataset.get())};
      const h5::Space memory_space{H5Screate_simple(1, &layout.chunk, nullptr)};
      H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &first, nullptr, &layout.chunk, nullptr);
      if (H5Dread(dataset.get(), memory_type(type), memory_space.get(), file_space.get(), H5P_DEFAULT, chunk.data()) <
          0)
        return failed("widen");
      const std::size_t rows = static_cast<std::size_t>(layout.chunk);
      if (range_of(chunk.data(), rows, type).is_constant && element(chunk.data(), 0, type) == wider.fill) continue;
      MERIDIAN_TRY_DO(write_chunk(made, wider, first, chunk.data(), rows));
    }
    if (!dataset.close() || !made.close() || H5Ldelete(parent, path.c_str(), H5P_DEFAULT) < 0 ||
        H5Lmove(parent, name.c_str(), parent, path.c_str(), H5P_DEFAULT, H5P_DEFAULT) < 0)
      return failed("widen");
    dataset = h5::Dataset{H5Dopen2(parent, path.c_str(), H5P_DEFAULT)};
    if (!dataset) return failed("widen");
    layout = wider;
    return {};
  }

  // Stores the incomplete chunk.
  Status store_pending() {
    const std::size_t rows = pending.size();
    Status stored;
    if (pending.is_same() && log != nullptr) {
      rows_stored += rows;
      stored = log->append({number, 0, pending.same(), {}});
    } else {
      stored = store(pending.values().data(), rows);
    }
    pending.clear();
    return stored;
  }

  // Never narrower than the previous chunk, so that a dataset made of the chunks is widened no more often than the
  // column would have been.
  Status store_in_log(const void* values) {
    rows_stored += kColumnChunk;
    const std::uint64_t first = element(values, 0, type);
    if (are_all(values, kColumnChunk, type, first)) return log->append({number, 0, first, {}});
    layout.width = is_narrow ? std::max(layout.width, range_of(values, kColumnChunk, type).width) : element_bytes();
    const auto stream = encode_chunk(values, kColumnChunk, coding(layout.width, kColumnChunk));
    if (stream.empty()) return Error{Errc::unsupported, "cannot compress column '" + path + "'", ""};
    return log->append({number, static_cast<std::uint32_t>(layout.width), 0, stream});
  }

  Status adopt(const LoggedChunk& chunk) {
    const std::size_t width = chunk.width;
    if (pending.size() != 0 || width > element_bytes() || (width != 0 && (width & (width - 1)) != 0))
      return Error{Errc::damaged, "a chunk cannot be one of column '" + path + "'", ""};
    if (width == 0 && (!dataset || chunk.value == layout.fill)) {  // as store() without data
      const h5::Quiet quiet;
      const std::size_t needed = is_narrow ? range_of(&chunk.value, 1, type).width : element_bytes();
      MERIDIAN_TRY_DO(make_room(kColumnChunk, needed, chunk.value));
      rows_stored += kColumnChunk;
      return {};
    }
    const bool is_as_stored = width != 0 && (!dataset || width >= layout.width);
    if (!is_as_stored) {
      std::vector<std::uint8_t> values(kColumnChunk * element_bytes());
      if (!decode(chunk, values))
        return Error{Errc::damaged, "a chunk of column '" + path + "' does not decompress", ""};
      return store(values.data(), kColumnChunk);
    }
    const h5::Quiet quiet;
    const hsize_t first = rows_stored;
    MERIDIAN_TRY_DO(make_room(kColumnChunk, width, 0));
    if (H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, &first, chunk.stream.size(), chunk.stream.data()) < 0)
      return failed("write");
    rows_stored += kColumnChunk;
    return {};
  }

  bool decode(const LoggedChunk& chunk, std::vector<std::uint8_t>& values) const {
    std::vector<std::uint8_t> planes(kColumnChunk * std::max<std::size_t>(chunk.width, 1));
    if (chunk.width != 0)
      return inflate_bytes(chunk.stream, planes) && join_planes(planes.data(), kColumnChunk, chunk.width,
                                                                is_signed(type), 0, kColumnChunk, type, values.data());
    fill_elements(values.data(), kColumnChunk, type, chunk.value);
    return true;
  }

  // Ensures that the dataset exists, has elements of at least `width` bytes, and is longer by `rows`.
  Status make_room(std::size_t rows, std::size_t width, std::uint64_t fill) {
    if (!dataset) {
      layout = {.width = width, .chunk = kColumnChunk, .is_growing = true, .fill = fill};
      MERIDIAN_TRY(dataset, create_dataset(path, layout, rows));
      return {};
    }
    if (width > layout.width) MERIDIAN_TRY_DO(widen(width));
    const hsize_t extent = rows_stored + rows;
    if (H5Dset_extent(dataset.get(), &extent) < 0) return failed("extend");
    return {};
  }

  // Stores the next `rows` elements: a whole chunk, or the column's last ones.
  Status store(const void* values, std::size_t rows) {
    if (log != nullptr) return store_in_log(values);
    const h5::Quiet quiet;
    const ValueRange range = range_of(values, rows, type);
    MERIDIAN_TRY_DO(
        make_room(rows, is_narrow ? range.width : element_bytes(), range.is_constant ? element(values, 0, type) : 0));
    const bool is_fill = range.is_constant && element(values, 0, type) == layout.fill;
    if (!is_fill) MERIDIAN_TRY_DO(submit_chunk(values, rows));
    rows_stored += rows;
    return {};
  }

  // Writes the chunk that begins at row rows_stored, now or later.
  Status submit_chunk(const void* values, std::size_t rows) {
    if (pool == nullptr) return write_chunk(dataset, layout, rows_stored, values, rows);
    PooledChunk chunk{.dataset = dataset.get(),
                      .first = rows_stored,
                      .values = {},
                      .rows = rows,
                      .coding = coding(layout.width, static_cast<std::size_t>(layout.chunk)),
                      .path = path};
    if (pending.size() == rows) {
      chunk.values = pending.take(pool->buffer());
    } else {
      const auto* const bytes = static_cast<const std::uint8_t*>(values);
      chunk.values = pool->buffer();
      chunk.values.assign(bytes, bytes + rows * element_bytes());
    }
    return pool->submit(std::move(chunk));
  }

  // Stores a column that is shorter than a chunk in its minimum size.
  Status store_small() {
    const h5::Quiet quiet;
    const std::vector<std::uint8_t>& values = pending.values();
    const std::size_t rows = pending.size();
    const ValueRange range = range_of(values.data(), rows, type);
    layout.width = is_narrow ? range.width : element_bytes();
    const bool is_compact = rows * layout.width <= kCompactBytes;
    layout.chunk = is_compact ? 0 : rows;
    layout.fill = range.is_constant && rows > 0 ? element(values.data(), 0, type) : 0;
    MERIDIAN_TRY(dataset, create_dataset(path, layout, rows));
    rows_stored = rows;
    if (rows == 0 || (!is_compact && range.is_constant)) return {};
    if (!is_compact) return write_chunk(dataset, layout, 0, values.data(), rows);
    if (H5Dwrite(dataset.get(), memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      return failed("write");
    return {};
  }

  Status append(const std::uint8_t* values, std::size_t rows) {
    while (rows > 0) {
      const bool is_whole = pending.size() == 0 && rows >= kColumnChunk;
      const std::size_t taken = is_whole ? kColumnChunk : std::min<std::size_t>(rows, kColumnChunk - pending.size());
      if (is_whole) {
        MERIDIAN_TRY_DO(store(values, taken));
      } else {
        pending.append(values, taken);
        if (pending.size() == kColumnChunk) MERIDIAN_TRY_DO(store_pending());
      }
      values += taken * element_bytes();
      rows -= taken;
    }
    return {};
  }

  Status finish() {
    if (!dataset) {
      if (pending.size() == 0 && omit_empty) return {};
      MERIDIAN_TRY_DO(store_small());
    } else if (pending.size() > 0) {
      MERIDIAN_TRY_DO(store_pending());
    }
    pending = PendingRows{type};
    const h5::Quiet quiet;
    if (pool != nullptr)
      pool->close(std::exchange(dataset, h5::Dataset{}));
    else if (!dataset.close())
      return failed("close");
    return {};
  }
};

ColumnWriter::ColumnWriter(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
ColumnWriter::ColumnWriter(ColumnWriter&&) noexcept = default;
ColumnWriter& ColumnWriter::operator=(ColumnWriter&&) noexcept = default;
ColumnWriter::~ColumnWriter() = default;

Result<ColumnWriter> ColumnWriter::create(ColumnParent parent, std::string path, ColumnType type,
                                          const ColumnOptions& options) {
  if (h5::exists(parent.id, path))
    return Error{Errc::invalid_argument, "cannot create column '" + path + "': the name is taken", ""};
  auto impl = std::make_unique<Impl>();
  impl->parent = parent.id;
  if (has_own_deflate()) impl->pool = parent.pool;
  impl->path = std::move(path);
  impl->type = type;
  impl->pending = PendingRows{type};
  impl->level = options.level;
  impl->is_narrow = options.is_narrow && type != ColumnType::f64;
  impl->is_noisy = options.is_noisy;
  impl->may_be_noisy = options.may_be_noisy;
  impl->omit_empty = options.omit_empty;
  impl->unit = options.unit;
  impl->description = options.description;
  return ColumnWriter{std::move(impl)};
}

ColumnWriter ColumnWriter::create_in_log(ChunkLogWriter& log, std::uint32_t column, ColumnType type,
                                         const ColumnOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->log = &log;
  impl->number = column;
  impl->type = type;
  impl->pending = PendingRows{type};
  impl->level = options.level;
  impl->is_narrow = options.is_narrow && type != ColumnType::f64;
  impl->is_noisy = options.is_noisy;
  impl->may_be_noisy = options.may_be_noisy;
  return ColumnWriter{std::move(impl)};
}

Status ColumnWriter::adopt(const LoggedChunk& chunk) { return impl_->adopt(chunk); }

void ColumnWriter::save(StateWriter& archive) const {
  archive(static_cast<std::uint64_t>(impl_->layout.width), impl_->rows_stored);
  impl_->pending.save(archive);
}

bool ColumnWriter::restore(StateReader& archive) {
  Impl& impl = *impl_;
  std::uint64_t width = 0, rows = 0;
  archive(width, rows);
  if (!impl.pending.restore(archive, kColumnChunk)) return false;
  if (impl.log != nullptr) {
    impl.layout.width = static_cast<std::size_t>(width);
    impl.rows_stored = rows;
  }
  return impl.rows_stored == rows && rows % kColumnChunk == 0 && width <= impl.element_bytes() &&
         (width & (width - 1)) == 0;
}

Status ColumnWriter::append_raw(const void* values, std::size_t count) {
  return impl_->append(static_cast<const std::uint8_t*>(values), count);
}

Status ColumnWriter::finish() { return impl_->finish(); }
ColumnType ColumnWriter::type() const noexcept { return impl_->type; }
std::uint64_t ColumnWriter::size() const noexcept { return impl_->rows_stored + impl_->pending.size(); }

}  // namespace meridian
