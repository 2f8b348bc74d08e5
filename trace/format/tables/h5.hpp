// SPDX-License-Identifier: Apache-2.0
#pragma once

// Owners and small helpers over the HDF5 C API. The application's HDF5 error handler remains unchanged: every helper
// here suppresses messages by itself, and code that calls HDF5 directly uses h5::Quiet. Not thread-safe, like HDF5.

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
using Object = Unique<&H5Oclose, hid_t{H5I_INVALID_HID}>;  ///< of a kind that is not known before it is open

/// While an object of this class exists, HDF5 prints nothing; afterwards the previous handler is restored. May be
/// nested.
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

/// Whether several threads may call HDF5 at a time.
bool has_thread_safety();

/// An Error of `action` ("cannot create column 'gap'"), followed by HDF5's own reason.
Error failure(Errc code, std::string_view action);
/// Whether the failure of the last call began in this part of HDF5 (H5E_DATASET...).
bool has_failed_in(hid_t part);
/// Whether the last call failed because the operating system did not write (a full disk).
bool has_failed_to_write();

/// Puts "rank file 'trace/rank-00000.h5': ..." before an Error that does not name the file.
Error in_file(Error error, std::string_view kind, const std::filesystem::path& path);

/// Creates `path`, in the 1.10 file format (checksummed metadata, compact groups) and without time stamps: equal
/// content gives equal bytes. An existing file is removed first; a symbolic link is not followed.
Result<File> create_file(const std::filesystem::path& path);

/// errors  not_found: no such file; io: no permission; damaged: not an HDF5 file, or truncated.
Result<File> open_read_only(const std::filesystem::path& path);

/// The same for a file that another process has open for writing. That process must have flushed it, and must not write to
/// it until it is closed here.
Result<File> open_flushed(const std::filesystem::path& path);

/// Flushes and closes. An Error means that the file is not complete on disk.
Status close_file(File& file, const std::filesystem::path& path);
/// Closes the file that was written as `part`, and gives it its name. errors: io
Status put_in_place(File& file, const std::filesystem::path& part, const std::filesystem::path& path);

Result<Group> create_group(hid_t parent, const std::string& name);
/// errors  not_found
Result<Group> open_group(hid_t parent, const std::string& name);
/// Access properties of this kind (H5P_DATASET_ACCESS...) with which links to other files are never followed.
Properties access_within_file(hid_t kind);
/// Whether `parent` has an object `path`. False for a link without a target; true for a link to another file, but
/// opening it fails.
bool exists(hid_t parent, const std::string& path);
/// Groups in groups; a hard link to a group above it would never end.
inline constexpr int kMostNested = 8;
/// The names of the links in a group; nothing: they cannot be read.
std::optional<std::vector<std::string>> links_of(hid_t group);
/// Whether a dataset with these creation properties has its data in its own file. Call before reading its dataspace:
/// for a virtual dataset HDF5 would open the files that it names.
bool lies_in_file(hid_t creation);
/// The number of the first filter of these creation properties that we refuse; nothing if all are shuffle, deflate or fletcher32. HDF5's other
/// filters have crashed on damaged data, and for unknown ones it loads libraries. Call before reading.
std::optional<int> foreign_filter(hid_t creation);
/// The reason for an Error about a refused filter.
std::string describe_filter(int filter);
/// From now on HDF5 loads no library for a file. For programs whose files may come from others.
void refuse_plugins();
/// Size in bytes of the file that contains `object`; 0 if unknown.
std::uint64_t file_bytes(hid_t object);
/// Reads the stored bytes of the chunk whose first element is `first`. `skipped`: a bit for each filter that was not applied.
/// `stored` must have the size that H5Dget_chunk_storage_size() returns. False: HDF5 could not.
bool read_chunk(hid_t dataset, const hsize_t* first, std::uint32_t& skipped, std::span<std::byte> stored);
/// Whether a file of this size may hold that many rows of `row_bytes` in memory. A small file can claim gigabytes, because
/// equal values compress a thousandfold; beyond `free_bytes`, more than a real trace needs is taken for damage.
bool is_plausible(hid_t object, std::uint64_t rows, std::uint64_t row_bytes,
                  std::uint64_t free_bytes = std::uint64_t{32} << 20);

/// Properties for a dataset or group: no time stamps, attributes kept in the header.
Properties dataset_properties();
/// Properties for the new link `path`: UTF-8 name. Creates missing groups on the way.
Properties link_properties(hid_t parent, const std::string& path);

// Attributes: scalars, and UTF-8 strings of fixed length. Writing does not replace an attribute: the name must be new.
Status write_attribute(hid_t object, const std::string& name, std::int64_t value);
Status write_attribute(hid_t object, const std::string& name, std::uint64_t value);
Status write_attribute(hid_t object, const std::string& name, std::string_view value);
inline Status write_attribute(hid_t object, const std::string& name, int value) {
  return write_attribute(object, name, std::int64_t{value});
}
inline Status write_attribute(hid_t object, const std::string& name, const char* value) {
  return write_attribute(object, name, std::string_view{value});
}

// errors  not_found: no such attribute; damaged: another kind, an array, or out of the range of the type.
Result<std::int64_t> read_int_attribute(hid_t object, const std::string& name);
Result<std::uint64_t> read_uint_attribute(hid_t object, const std::string& name);
/// At most 1 MiB; fixed or variable length.
Result<std::string> read_string_attribute(hid_t object, const std::string& name);

}  // namespace meridian::h5
