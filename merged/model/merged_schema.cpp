// SPDX-License-Identifier: Apache-2.0
#include "merged/model/merged_schema.hpp"

#include <string>

#include "trace/format/tables/h5.hpp"

namespace meridian {

bool is_merged_file(const std::filesystem::path& path) {
  const h5::Quiet quiet;
  const auto file = h5::open_read_only(path);
  if (!file) return false;
  const auto schema = h5::read_string_attribute(file->get(), "schema");
  return schema && *schema == kMergedSchema;
}

Status require_merged(hid_t file) {
  const auto schema = h5::read_string_attribute(file, "schema");
  const auto version = h5::read_int_attribute(file, "version");
  if (!schema || !version || *schema != kMergedSchema)
    return Error{Errc::damaged, "this is not a merged file", "name a file made by `meridian merge`"};
  if (*version != kMergedSchemaVersion)
    return Error{Errc::unsupported,
                 "it has version " + std::to_string(*version) + ", this program reads version " +
                     std::to_string(kMergedSchemaVersion),
                 *version < kMergedSchemaVersion ? "merge the trace again with `meridian merge`"
                                                 : "use a newer version of meridian"};
  return {};
}

}  // namespace meridian
