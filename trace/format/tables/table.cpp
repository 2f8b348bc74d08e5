// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/table.hpp"

#include <algorithm>
#include <cstring>

namespace meridian::h5 {
namespace {

constexpr std::size_t kCompactTableBytes = 512;
constexpr hsize_t kChunkBytes = 1u << 20;

Error table_error(std::string_view verb, const std::string& path) {
  return failure(verb == "write" ? Errc::io : Errc::damaged, "cannot " + std::string{verb} + " table '" + path + "'");
}

Error damaged(const std::string& path, const std::string& reason) {
  return Error{Errc::damaged, "cannot read table '" + path + "': " + reason, ""};
}

hid_t native_type(ColumnType type) {
  switch (type) {
    case ColumnType::i8:
      return H5T_NATIVE_INT8;
    case ColumnType::u8:
      return H5T_NATIVE_UINT8;
    case ColumnType::i16:
      return H5T_NATIVE_INT16;
    case ColumnType::u16:
      return H5T_NATIVE_UINT16;
    case ColumnType::i32:
      return H5T_NATIVE_INT32;
    case ColumnType::u32:
      return H5T_NATIVE_UINT32;
    case ColumnType::i64:
      return H5T_NATIVE_INT64;
    case ColumnType::u64:
      return H5T_NATIVE_UINT64;
    case ColumnType::f64:
      break;
  }
  return H5T_NATIVE_DOUBLE;
}

std::size_t packed_bytes(std::span<const AnyColumn> columns) {
  std::size_t bytes = 0;
  for (const AnyColumn& column : columns) bytes += width_of(column.type);
  return bytes;
}

// The fields are consecutive without gaps, in memory and in the file.
Type compound(std::span<const AnyColumn> columns) {
  Type type{H5Tcreate(H5T_COMPOUND, packed_bytes(columns))};
  std::size_t offset = 0;
  for (const AnyColumn& column : columns) {
    H5Tinsert(type.get(), std::string{column.name}.c_str(), offset, native_type(column.type));
    offset += width_of(column.type);
  }
  return type;
}

Status write_whole(hid_t parent, const std::string& path, hid_t file_type, hid_t memory_type, const void* data,
                   hsize_t count) {
  const std::size_t row_bytes = H5Tget_size(file_type);
  const Properties creation = dataset_properties();
  if (count * row_bytes <= kCompactTableBytes) {
    H5Pset_layout(creation.get(), H5D_COMPACT);
  } else {
    const hsize_t chunk = std::clamp<hsize_t>(kChunkBytes / row_bytes, 1, count);
    H5Pset_chunk(creation.get(), 1, &chunk);
    H5Pset_shuffle(creation.get());
    H5Pset_deflate(creation.get(), 6);
  }
  const Space space{H5Screate_simple(1, &count, nullptr)};
  const Properties links = link_properties(parent, path);
  Dataset dataset{H5Dcreate2(parent, path.c_str(), file_type, space.get(), links.get(), creation.get(), H5P_DEFAULT)};
  if (!dataset) return table_error("write", path);
  if (count > 0 && H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    return table_error("write", path);
  if (!dataset.close()) return table_error("write", path);
  return {};
}

struct Opened {
  Dataset dataset;
  Type type;
  std::size_t count = 0;
};

// Opens a 1-D dataset whose elements take `row_bytes` in memory (0: their size in the file).
Result<Opened> open_whole(hid_t parent, const std::string& path, H5T_class_t kind, std::size_t row_bytes) {
  Opened opened;
  static const Properties access = access_within_file(H5P_DATASET_ACCESS);
  opened.dataset = Dataset{H5Dopen2(parent, path.c_str(), access.get())};
  if (!opened.dataset) {
    Error error = table_error("read", path);
    return exists(parent, path) ? error : Error{Errc::not_found, "there is no table '" + path + "'", ""};
  }
  const Properties creation{H5Dget_create_plist(opened.dataset.get())};
  if (!creation) return table_error("read", path);
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (!lies_in_file(creation.get())) return damaged(path, "its data are in other files");
  if (const auto filter = foreign_filter(creation.get())) return damaged(path, describe_filter(*filter));
  const Space space{H5Dget_space(opened.dataset.get())};
  opened.type = Type{H5Dget_type(opened.dataset.get())};
  if (!space || !opened.type) return table_error("read", path);
  hsize_t count = 0;
  if (H5Sget_simple_extent_ndims(space.get()) != 1 || H5Sget_simple_extent_dims(space.get(), &count, nullptr) != 1)
    return damaged(path, "it is not one-dimensional");
  if (H5Tget_class(opened.type.get()) != kind) return damaged(path, "its elements have another type");
  hsize_t chunk = 1;
  if (layout == H5D_CHUNKED && H5Pget_chunk(creation.get(), 1, &chunk) != 1) return table_error("read", path);
  const std::size_t bytes = std::max<std::size_t>({row_bytes, H5Tget_size(opened.type.get()), 1});
  if (!is_plausible(parent, std::max(count, chunk), bytes)) return damaged(path, "it is larger than the file can hold");
  opened.count = static_cast<std::size_t>(count);
  return opened;
}

}  // namespace

Status write_rows(hid_t parent, const std::string& path, std::span<const AnyColumn> columns, const void* rows,
                  std::size_t count) {
  const Quiet quiet;
  const std::size_t row_bytes = packed_bytes(columns);
  std::vector<char> packed(row_bytes * count);
  std::size_t offset = 0;
  for (const AnyColumn& column : columns) {
    if (count == 0) break;
    column.get(rows, count, packed.data() + offset, row_bytes);
    offset += width_of(column.type);
  }
  const Type type = compound(columns);
  return write_whole(parent, path, type.get(), type.get(), packed.data(), count);
}

Status read_rows(hid_t parent, const std::string& path, std::span<const AnyColumn> columns, const RowRoom& room) {
  const Quiet quiet;
  const std::size_t row_bytes = packed_bytes(columns);
  MERIDIAN_TRY(const Opened opened, open_whole(parent, path, H5T_COMPOUND, row_bytes));
  for (const AnyColumn& column : columns) {
    const int index = H5Tget_member_index(opened.type.get(), std::string{column.name}.c_str());
    const H5T_class_t kind =
        index < 0 ? H5T_NO_CLASS : H5Tget_member_class(opened.type.get(), static_cast<unsigned>(index));
    if (kind != H5T_INTEGER && kind != H5T_FLOAT)
      return Error{Errc::damaged,
                   "cannot read table '" + path + "': it has no column of numbers '" + std::string{column.name} + "'",
                   ""};
  }
  std::vector<char> packed(row_bytes * opened.count);
  const Type memory = compound(columns);
  if (opened.count > 0 && H5Dread(opened.dataset.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()) < 0)
    return table_error("read", path);
  void* rows = nullptr;
  if (!room.make(room.context, opened.count, rows)) return damaged(path, "it has too many rows");
  std::size_t offset = 0;
  for (const AnyColumn& column : columns) {
    if (opened.count == 0) break;
    column.set(rows, opened.count, packed.data() + offset, row_bytes);
    offset += width_of(column.type);
  }
  return {};
}

Status write_strings(hid_t parent, const std::string& path, std::span<const std::string> strings) {
  const Quiet quiet;
  std::size_t longest = 1;
  for (const std::string& text : strings) longest = std::max(longest, text.size());
  std::vector<char> padded(longest * strings.size());
  for (std::size_t i = 0; i < strings.size(); ++i)
    std::copy(strings[i].begin(), strings[i].end(), padded.begin() + static_cast<std::ptrdiff_t>(i * longest));
  const Type type{H5Tcopy(H5T_C_S1)};
  H5Tset_size(type.get(), longest);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return write_whole(parent, path, type.get(), type.get(), padded.data(), strings.size());
}

Result<std::vector<std::string>> read_strings(hid_t parent, const std::string& path) {
  const Quiet quiet;
  MERIDIAN_TRY(const Opened opened, open_whole(parent, path, H5T_STRING, 0));
  if (H5Tis_variable_str(opened.type.get()) != 0) return damaged(path, "its strings are not of fixed length");
  const std::size_t bytes = H5Tget_size(opened.type.get());
  std::vector<char> padded(bytes * opened.count);
  if (opened.count > 0 &&
      H5Dread(opened.dataset.get(), opened.type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) < 0)
    return table_error("read", path);
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < opened.count; ++i) {
    const char* text = padded.data() + i * bytes;
    strings.emplace_back(text, ::strnlen(text, bytes));
  }
  return strings;
}

}  // namespace meridian::h5
