// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/h5.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "trace/format/tables/temporary_files.hpp"

namespace meridian::h5 {
namespace {

constexpr std::size_t kMaxStringAttribute = 1u << 20;
constexpr unsigned kMaxCompact = 64;  // limit of links or attributes in an object header

// HDF5's own cleanup at exit complains about damaged files; every object is closed by its owner.
[[maybe_unused]] const herr_t g_no_clean_up = H5dont_atexit();

// The innermost entry of HDF5's error stack: the cause, not the chain of callers.
herr_t keep_description(unsigned, const H5E_error2_t* entry, void* text) {
  auto& reason = *static_cast<std::string*>(text);
  if (reason.empty() && entry->desc != nullptr) reason = entry->desc;
  return 0;
}

Properties file_access(bool is_for_writing) {
  Properties access{H5Pcreate(H5P_FILE_ACCESS)};
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_metadata_read_attempts(access.get(), 1);  // otherwise damaged metadata is read repeatedly, for seconds
  H5Pset_meta_block_size(access.get(), 0);         // no reserved gaps: the file is as small as possible
  H5Pset_small_data_block_size(access.get(), 0);
  H5Pset_fclose_degree(access.get(), is_for_writing ? H5F_CLOSE_STRONG : H5F_CLOSE_WEAK);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.get(), false, true);  // parallel file systems without flock() are common
#endif
  return access;
}

// Called before HDF5 opens the target of an external link.
herr_t refuse_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

void set_group_layout(hid_t properties) {
  H5Pset_obj_track_times(properties, false);
  H5Pset_link_phase_change(properties, kMaxCompact, kMaxCompact / 2);
  H5Pset_attr_phase_change(properties, kMaxCompact, kMaxCompact / 2);
}

Error attribute_error(Errc code, const std::string& name, const char* reason) {
  return Error{code, "cannot read attribute '" + name + "': " + reason, ""};
}

Status write_scalar(hid_t object, const std::string& name, hid_t file_type, hid_t memory_type, const void* value) {
  const Quiet quiet;
  const Space space{H5Screate(H5S_SCALAR)};
  Attribute attribute{H5Acreate2(object, name.c_str(), file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT)};
  if (!attribute || H5Awrite(attribute.get(), memory_type, value) < 0 || !attribute.close())
    return failure(Errc::io, "cannot write attribute '" + name + "'");
  return {};
}

// Opens a scalar attribute of one class; arrays are errors.
Result<Attribute> open_scalar(hid_t object, const std::string& name, H5T_class_t kind) {
  if (H5Aexists(object, name.c_str()) <= 0) return attribute_error(Errc::not_found, name, "there is none");
  Attribute attribute{H5Aopen(object, name.c_str(), H5P_DEFAULT)};
  if (!attribute) return failure(Errc::damaged, "cannot read attribute '" + name + "'");
  const Space space{H5Aget_space(attribute.get())};
  const Type type{H5Aget_type(attribute.get())};
  if (!space || !type || H5Sget_simple_extent_npoints(space.get()) != 1)
    return attribute_error(Errc::damaged, name, "it is not one value");
  if (H5Tget_class(type.get()) != kind) return attribute_error(Errc::damaged, name, "it has another type");
  return attribute;
}

}  // namespace

bool has_thread_safety() {
  hbool_t is_safe = 0;
  return H5is_library_threadsafe(&is_safe) >= 0 && is_safe != 0;
}

Error failure(Errc code, std::string_view action) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &keep_description, &reason);
  return Error{code, std::string{action} + (reason.empty() ? "" : ": " + reason), ""};
}

bool has_failed_in(hid_t part) {
  hid_t first = H5I_INVALID_HID;
  const auto keep_part = [](unsigned, const H5E_error2_t* entry, void* into) -> herr_t {
    if (auto& kept = *static_cast<hid_t*>(into); kept == H5I_INVALID_HID) kept = entry->maj_num;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_part, &first);
  return first == part;
}

bool has_failed_to_write() {
  bool has_failed = false;
  const auto look = [](unsigned, const H5E_error2_t* entry, void* into) -> herr_t {
    if (entry->maj_num == H5E_IO && entry->min_num == H5E_WRITEERROR) *static_cast<bool*>(into) = true;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &has_failed);
  return has_failed;
}

Error in_file(Error error, std::string_view kind, const std::filesystem::path& path) {
  if (error.what.find(path.string()) == std::string::npos)
    error.what = std::string{kind}.append(" '").append(path.string()).append("': ").append(error.what);
  return error;
}

Result<File> create_file(const std::filesystem::path& path) {
  const Quiet quiet;
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return Error{Errc::io, "cannot replace '" + path.string() + "': " + std::strerror(errno), ""};
  const Properties creation{H5Pcreate(H5P_FILE_CREATE)};
  set_group_layout(creation.get());
  const Properties access = file_access(true);
  errno = 0;
  File file{H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation.get(), access.get())};
  if (file) {
    note_temporary_file(path);
    return file;
  }
  Error error = failure(Errc::io, "cannot create '" + path.string() + "'");
  if (errno != 0) error.what = "cannot create '" + path.string() + "': " + std::strerror(errno);
  if (errno != EEXIST) ::unlink(path.c_str());  // removes an incomplete file
  return error;
}

namespace {

Result<File> open_with(const Properties& access, const std::filesystem::path& path) {
  const std::string action = "cannot open '" + path.string() + "'";
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (status.type() == std::filesystem::file_type::not_found)
    return Error{Errc::not_found, action + ": no such file", ""};
  if (status.type() != std::filesystem::file_type::regular) return Error{Errc::io, action + ": not a regular file", ""};
  if (::access(path.c_str(), R_OK) != 0) return Error{Errc::io, action + ": " + std::strerror(errno), ""};
  const Quiet quiet;
  File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get())};
  if (file) return file;
  if (std::filesystem::file_size(path, problem) == 0) return Error{Errc::damaged, action + ": it is empty", ""};
  return failure(Errc::damaged, action);
}

// The superblock marks a file that is open for writing, and HDF5 refuses to open it again; a flush does not remove the
// mark. With this property, which h5clear and HDF5's own tests of H5Fflush use, HDF5 ignores it.
Properties access_despite_writer() {
  Properties access = file_access(false);
  const hbool_t is_ignored = 1;
  H5Pset(access.get(), "clear_status_flags", &is_ignored);
  return access;
}

}  // namespace

Result<File> open_read_only(const std::filesystem::path& path) {
  static const Properties access = file_access(false);
  return open_with(access, path);
}

Result<File> open_flushed(const std::filesystem::path& path) {
  const Quiet quiet;
  static const Properties access = access_despite_writer();
  return open_with(access, path);
}

Status close_file(File& file, const std::filesystem::path& path) {
  const Quiet quiet;
  if (H5Fflush(file.get(), H5F_SCOPE_LOCAL) < 0 || !file.close())
    return failure(Errc::io, "cannot complete '" + path.string() + "'");
  return {};
}

Status put_in_place(File& file, const std::filesystem::path& part, const std::filesystem::path& path) {
  MERIDIAN_TRY_DO(close_file(file, part));
  std::error_code problem;
  std::filesystem::rename(part, path, problem);
  if (problem)
    return Error{Errc::io, "cannot rename '" + part.string() + "' to '" + path.string() + "': " + problem.message(),
                 "remove what is there, or choose another output"};
  forget_temporary_file(part);
  return {};
}

Result<Group> create_group(hid_t parent, const std::string& name) {
  const Quiet quiet;
  const Properties creation{H5Pcreate(H5P_GROUP_CREATE)};
  set_group_layout(creation.get());
  const Properties links = link_properties(parent, name);
  Group group{H5Gcreate2(parent, name.c_str(), links.get(), creation.get(), H5P_DEFAULT)};
  if (!group) return failure(Errc::io, "cannot create group '" + name + "'");
  return group;
}

Result<Group> open_group(hid_t parent, const std::string& name) {
  const Quiet quiet;
  if (!exists(parent, name)) return Error{Errc::not_found, "there is no group '" + name + "'", ""};
  static const Properties access = access_within_file(H5P_GROUP_ACCESS);
  Group group{H5Gopen2(parent, name.c_str(), access.get())};
  if (!group) return failure(Errc::damaged, "cannot open group '" + name + "'");
  return group;
}

Properties access_within_file(hid_t kind) {
  Properties access{H5Pcreate(kind)};
  H5Pset_elink_cb(access.get(), &refuse_link, nullptr);
  return access;
}

bool exists(hid_t parent, const std::string& path) {
  const Quiet quiet;
  static const Properties access = access_within_file(H5P_LINK_ACCESS);
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (part != "/") {
      H5L_info_t link{};
      if (H5Lget_info(parent, part.c_str(), &link, access.get()) < 0) return false;
      if (link.type >= H5L_TYPE_UD_MIN) return true;  // to another file: opening it gives the error
      const bool may_lead_nowhere = link.type != H5L_TYPE_HARD;
      if (may_lead_nowhere && H5Oexists_by_name(parent, part.c_str(), access.get()) <= 0) return false;
    }
    if (end == std::string::npos) return true;
  }
}

std::optional<std::vector<std::string>> links_of(hid_t group) {
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* names) -> herr_t {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, keep, &names) < 0) return std::nullopt;
  return names;
}

bool lies_in_file(hid_t creation) {
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout == H5D_CONTIGUOUS) return H5Pget_external_count(creation) == 0;
  return layout == H5D_COMPACT || layout == H5D_CHUNKED;
}

std::optional<int> foreign_filter(hid_t creation) {
  const int count = H5Pget_layout(creation) == H5D_CHUNKED ? H5Pget_nfilters(creation) : 0;
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr);
    if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_FLETCHER32) return filter;
  }
  return count < 0 ? std::optional{-1} : std::nullopt;
}

std::string describe_filter(int filter) {
  return "it has passed HDF5's filter " + std::to_string(filter) + "; shuffle, deflate and fletcher32 are read";
}

void refuse_plugins() { H5PLset_loading_state(0); }

std::uint64_t file_bytes(hid_t object) {
  const Quiet quiet;
  const File file{H5Iget_file_id(object)};
  hsize_t bytes = 0;
  return file && H5Fget_filesize(file.get(), &bytes) >= 0 ? bytes : 0;
}

bool read_chunk(hid_t dataset, const hsize_t* first, std::uint32_t& skipped, std::span<std::byte> stored) {
#if H5_VERSION_GE(2, 0, 0)
  std::size_t bytes = stored.size();
  return H5Dread_chunk2(dataset, H5P_DEFAULT, first, &skipped, stored.data(), &bytes) >= 0 && bytes <= stored.size();
#else
  return H5Dread_chunk(dataset, H5P_DEFAULT, first, &skipped, stored.data()) >= 0;
#endif
}

bool is_plausible(hid_t object, std::uint64_t rows, std::uint64_t row_bytes, std::uint64_t free_bytes) {
  constexpr std::uint64_t kMostCompressed = 64;  // tables of real traces reach about half of it
  const std::uint64_t most = std::max(free_bytes, file_bytes(object) * kMostCompressed);
  return rows <= most / std::max<std::uint64_t>(row_bytes, 1);
}

Properties dataset_properties() {
  Properties creation{H5Pcreate(H5P_DATASET_CREATE)};
  H5Pset_obj_track_times(creation.get(), false);
  H5Pset_attr_phase_change(creation.get(), kMaxCompact, kMaxCompact / 2);
  return creation;
}

Properties link_properties(hid_t parent, const std::string& path) {
  // HDF5 would give groups that it creates on the way a time stamp, and equal content would not give equal bytes.
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    if (const std::string group = path.substr(0, end); !exists(parent, group)) (void)create_group(parent, group);
  Properties links{H5Pcreate(H5P_LINK_CREATE)};
  H5Pset_char_encoding(links.get(), H5T_CSET_UTF8);
  return links;
}

Status write_attribute(hid_t object, const std::string& name, std::int64_t value) {
  return write_scalar(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

Status write_attribute(hid_t object, const std::string& name, std::uint64_t value) {
  return write_scalar(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

Status write_attribute(hid_t object, const std::string& name, std::string_view value) {
  const Type type{H5Tcopy(H5T_C_S1)};
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  const std::string bytes = value.empty() ? std::string(1, '\0') : std::string{value};  // HDF5 has no empty strings
  H5Tset_size(type.get(), bytes.size());
  return write_scalar(object, name, type.get(), type.get(), bytes.data());
}

namespace {

template <class T>
Result<T> read_number(hid_t object, const std::string& name, H5T_class_t stored, hid_t in_memory) {
  const Quiet quiet;
  MERIDIAN_TRY(const Attribute attribute, open_scalar(object, name, stored));
  T value = 0;
  if (H5Aread(attribute.get(), in_memory, &value) < 0)
    return failure(Errc::damaged, "cannot read attribute '" + name + "'");
  return value;
}

}  // namespace

Result<std::int64_t> read_int_attribute(hid_t object, const std::string& name) {
  return read_number<std::int64_t>(object, name, H5T_INTEGER, H5T_NATIVE_INT64);
}

Result<std::uint64_t> read_uint_attribute(hid_t object, const std::string& name) {
  return read_number<std::uint64_t>(object, name, H5T_INTEGER, H5T_NATIVE_UINT64);
}

Result<std::string> read_string_attribute(hid_t object, const std::string& name) {
  const Quiet quiet;
  MERIDIAN_TRY(const Attribute attribute, open_scalar(object, name, H5T_STRING));
  const Type stored{H5Aget_type(attribute.get())};
  if (H5Tis_variable_str(stored.get()) > 0) {
    const Type memory{H5Tcopy(H5T_C_S1)};
    H5Tset_size(memory.get(), H5T_VARIABLE);
    H5Tset_cset(memory.get(), H5Tget_cset(stored.get()));
    char* text = nullptr;
    if (H5Aread(attribute.get(), memory.get(), static_cast<void*>(&text)) < 0 || text == nullptr)
      return failure(Errc::damaged, "cannot read attribute '" + name + "'");
    std::string value{text, ::strnlen(text, kMaxStringAttribute)};
    H5free_memory(text);
    return value;
  }
  const std::size_t bytes = H5Tget_size(stored.get());
  if (bytes == 0 || bytes > kMaxStringAttribute) return attribute_error(Errc::damaged, name, "it is too long");
  std::string value(bytes, '\0');
  if (H5Aread(attribute.get(), stored.get(), value.data()) < 0)
    return failure(Errc::damaged, "cannot read attribute '" + name + "'");
  value.resize(::strnlen(value.data(), bytes));
  return value;
}

}  // namespace meridian::h5
