#pragma once

// Small tables and lists of strings, read and written whole: 1-D datasets of a compound type, and of fixed-length
// strings. For everything that is not long enough to deserve columns.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "trace/format/h5.hpp"

namespace meridian::h5 {

/// One field of a row struct; make it with MERIDIAN_FIELD. Integers, enums, bool (as u8) and double.
struct Field {
  const char* name;
  std::size_t offset;
  hid_t type;                ///< a predefined native type
  bool is_optional = false;  ///< added to the format later: where the file has none, the member keeps its value
};

template <class T>
hid_t native_type() {
  if constexpr (std::is_enum_v<T>) {
    return native_type<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, double>) {
    return H5T_NATIVE_DOUBLE;
  } else {
    static_assert(std::is_integral_v<T>);
    constexpr bool is_unsigned = std::is_unsigned_v<T>;
    if constexpr (sizeof(T) == 1) return is_unsigned ? H5T_NATIVE_UINT8 : H5T_NATIVE_INT8;
    if constexpr (sizeof(T) == 2) return is_unsigned ? H5T_NATIVE_UINT16 : H5T_NATIVE_INT16;
    if constexpr (sizeof(T) == 4) return is_unsigned ? H5T_NATIVE_UINT32 : H5T_NATIVE_INT32;
    if constexpr (sizeof(T) == 8) return is_unsigned ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
  }
}

/// MERIDIAN_FIELD(AnchorRow, phase), or with another name in the file: MERIDIAN_FIELD_AS("comm", CommRow, birth.comm)
#define MERIDIAN_FIELD_AS(name, Row, member)                                                         \
  ::meridian::h5::Field {                                                                            \
    name, offsetof(Row, member), ::meridian::h5::native_type<decltype(std::declval<Row>().member)>() \
  }
#define MERIDIAN_LATER_FIELD(Row, member)                                                                        \
  ::meridian::h5::Field {                                                                                        \
#member, offsetof(Row, member), ::meridian::h5::native_type < decltype(std::declval <Row>().member)>(), true \
  }
#define MERIDIAN_FIELD(Row, member) MERIDIAN_FIELD_AS(#member, Row, member)

Status write_rows(hid_t parent, const std::string& path, std::span<const Field> fields, const void* rows,
                  std::size_t row_bytes, std::size_t count);
/// Calls make_room(count) once, which returns where that many rows go.
Status read_rows(hid_t parent, const std::string& path, std::span<const Field> fields, std::size_t row_bytes,
                 void* (*make_room)(void* context, std::size_t count), void* context);

template <class Row>
Status write_table(hid_t parent, const std::string& path, std::span<const Field> fields, std::span<const Row> rows) {
  return write_rows(parent, path, fields, rows.data(), sizeof(Row), rows.size());
}

/// errors  not_found; damaged: not 1-D, a field is missing or no number, more rows than the file can hold.
/// Values that a field cannot hold are clipped, as HDF5 does.
template <class Row>
Result<std::vector<Row>> read_table(hid_t parent, const std::string& path, std::span<const Field> fields) {
  std::vector<Row> rows;
  const auto make_room = [](void* context, std::size_t count) -> void* {
    auto& target = *static_cast<std::vector<Row>*>(context);
    target.resize(count);
    return target.data();
  };
  MERIDIAN_TRY_DO(read_rows(parent, path, fields, sizeof(Row), make_room, &rows));
  return rows;
}

/// UTF-8, padded with zeros to the longest: for names, not for long texts.
Status write_strings(hid_t parent, const std::string& path, std::span<const std::string> strings);
/// errors  not_found; damaged: not 1-D, no strings, more than the file can hold.
Result<std::vector<std::string>> read_strings(hid_t parent, const std::string& path);

}  // namespace meridian::h5
