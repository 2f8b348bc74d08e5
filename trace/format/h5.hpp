// SPDX-License-Identifier: Apache-2.0
#pragma once

// Owners and small helpers over the HDF5 C API. The library's error handler is never changed for others: every helper
// here is silent by itself, and code that calls HDF5 directly holds an h5::Quiet meanwhile. Not thread-safe (HDF5 is
// not).

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "trace/model/handles.hpp"
#include "trace/model/result.hpp"

namespace meridian::h5 {

using File = Unique<&H5Fclose, hid_t{H5I_INVALID_HID}>;
using Group = Unique<&H5Gclose, hid_t{H5I_INVALID_HID}>;
using Dataset = Unique<&H5Dclose, hid_t{H5I_INVALID_HID}>;
using Space = Unique<&H5Sclose, hid_t{H5I_INVALID_HID}>;
using Type = Unique<&H5Tclose, hid_t{H5I_INVALID_HID}>;
using Attribute = Unique<&H5Aclose, hid_t{H5I_INVALID_HID}>;
using Properties = Unique<&H5Pclose, hid_t{H5I_INVALID_HID}>;

/// While alive, HDF5 prints nothing; the handler that was there comes back afterwards. May be nested.
class Quiet {
 public:
  Quiet() noexcept {
    H5Eget_auto2(H5E_DEFAULT, &handler_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, handler_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t handler_ = nullptr;
  void* data_ = nullptr;
};

/// An Error of `action` ("cannot create column 'gap'"), with HDF5's own reason behind it.
Error failure(Errc code, std::string_view action);
/// Whether the failure of the last call began in that part of HDF5 (H5E_DATASET...).
bool has_failed_in(hid_t part);

/// "rank file 'trace/rank-00000.h5': ..." before an Error that does not name the file.
Error in_file(Error error, std::string_view kind, const std::filesystem::path& path);

/// Creates `path` anew, in the 1.10 file format (checksummed metadata, compact groups) and without time stamps: equal
/// content gives equal bytes. A file that was there is removed first, a symbolic link is not followed.
Result<File> create_file(const std::filesystem::path& path);

/// errors  not_found: no such file; io: no permission; damaged: not an HDF5 file, or truncated.
Result<File> open_read_only(const std::filesystem::path& path);

/// Flushes and closes. An Error means that the file is not complete on disk.
Status close_file(File& file, const std::filesystem::path& path);

Result<Group> create_group(hid_t parent, const std::string& name);
/// errors  not_found
Result<Group> open_group(hid_t parent, const std::string& name);
/// Properties of a kind of access (H5P_DATASET_ACCESS...) with which links to other files lead nowhere: what a file
/// names is never opened.
Properties access_within_file(hid_t kind);
/// Whether there is an object `path` below `parent`. A link that leads nowhere does not count; one to another file
/// does, and opening it fails.
bool exists(hid_t parent, const std::string& path);
/// Whether a dataset with these creation properties has its data in its own file. To be asked before its dataspace:
/// that of a virtual dataset is found out in the files that it names.
bool lies_in_file(hid_t creation);
/// Size in bytes of the file that `object` is in; 0 when that cannot be found out.
std::uint64_t file_bytes(hid_t object);

/// Properties for a dataset or group: no time stamps, attributes kept in the header.
Properties dataset_properties();
/// Properties for the link `path` that is about to be created: UTF-8 name. Missing groups on the way are made here.
Properties link_properties(hid_t parent, const std::string& path);

// Attributes: scalars, and UTF-8 strings of fixed length. Writing replaces nothing: the name must be new.
Status write_attribute(hid_t object, const std::string& name, std::int64_t value);
Status write_attribute(hid_t object, const std::string& name, std::uint64_t value);
Status write_attribute(hid_t object, const std::string& name, double value);
Status write_attribute(hid_t object, const std::string& name, std::string_view value);
inline Status write_attribute(hid_t object, const std::string& name, int value) {
  return write_attribute(object, name, std::int64_t{value});
}
inline Status write_attribute(hid_t object, const std::string& name, const char* value) {
  return write_attribute(object, name, std::string_view{value});
}

// errors  not_found: no such attribute; damaged: of another kind, an array, or out of the range of the type.
Result<std::int64_t> read_int_attribute(hid_t object, const std::string& name);
Result<std::uint64_t> read_uint_attribute(hid_t object, const std::string& name);
Result<double> read_double_attribute(hid_t object, const std::string& name);
/// At most 1 MiB; fixed or variable length.
Result<std::string> read_string_attribute(hid_t object, const std::string& name);

}  // namespace meridian::h5
