// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/rank_container.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "trace/format/rank/rank_source.hpp"
#include "trace/model/text_fields.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGroupPrefix = "rank-";
constexpr std::size_t kCacheBytes = std::size_t{1} << 16;  // a rank has about 16 kB of metadata

herr_t keep_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  if (std::string_view{name}.starts_with(kGroupPrefix))
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

// Bounds HDF5's cache of metadata, which would grow with the ranks: the tables of a rank are read once.
void keep_cache_small(hid_t file) {
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Fget_mdc_config(file, &config) < 0) return;
  config.set_initial_size = true;
  config.initial_size = config.min_size = config.max_size = kCacheBytes;
  config.incr_mode = H5C_incr__off;
  config.flash_incr_mode = H5C_flash_incr__off;
  config.decr_mode = H5C_decr__off;
  (void)H5Fset_mdc_config(file, &config);  // otherwise it uses more memory
}

Status check_schema(hid_t file) {
  const auto schema = h5::read_string_attribute(file, "schema");
  if (!schema || *schema != kContainerSchema)
    return Error{Errc::damaged,
                 "it is no container of ranks: its attribute 'schema' is not '" + std::string{kContainerSchema} + "'",
                 ""};
  MERIDIAN_TRY(const std::int64_t version, h5::read_int_attribute(file, "version"));
  if (version > kContainerVersion)
    return Error{
        Errc::unsupported,
        "it has version " + std::to_string(version) + ", this program reads up to " + std::to_string(kContainerVersion),
        "use a newer meridian"};
  return {};
}

}  // namespace

bool is_container_name(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("ranks-") && name.ends_with(".h5");
}

bool is_of_ranks(const fs::path& path) {
  return path.filename().string().starts_with("rank-") || is_container_name(path);
}

std::vector<fs::path> containers_in(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code problem;
  for (fs::directory_iterator entry{directory, problem}, end; !problem && entry != end; entry.increment(problem))
    if (is_container_name(entry->path())) found.push_back(entry->path());
  std::ranges::sort(found);
  return found;
}

std::string rank_group_name(std::int32_t rank) { return fs::path{rank_file_name(rank)}.stem().string(); }

std::int32_t rank_in_name(const fs::path& name) {
  const std::string stem = name.stem().string();
  if (!stem.starts_with(kGroupPrefix)) return -1;
  return number_in<std::int32_t>(stem.substr(kGroupPrefix.size())).value_or(-1);
}

Result<RankContainer> RankContainer::open(const fs::path& path) {
  MERIDIAN_TRY(h5::File file, h5::open_read_only(path));
  const auto in_file = [&](Error error) { return h5::in_file(std::move(error), "container", path); };
  if (Status checked = check_schema(file.get()); !checked) return in_file(std::move(checked).error());
  auto hostname = h5::read_string_attribute(file.get(), "hostname");
  if (!hostname) return in_file(std::move(hostname).error());
  RankContainer container;
  container.path_ = path;
  container.hostname_ = *std::move(hostname);
  {
    const h5::Quiet quiet;
    keep_cache_small(file.get());
    if (H5Literate(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, &keep_name, &container.groups_) < 0)
      return in_file(h5::failure(Errc::damaged, "cannot list its groups"));
  }
  std::ranges::sort(container.groups_);
  RankSource source;
  source.name = path;
  source.raw = find_raw(file, path);
  source.file = std::make_shared<const h5::File>(std::move(file));
  container.source_ = std::make_shared<const RankSource>(std::move(source));
  return container;
}

std::string RankContainer::name_of(const std::string& group) const { return (path_.filename() / group).string(); }

Result<RankFile> RankContainer::rank(const std::string& group) const {
  RankSource part;
  part.name = path_ / group;
  part.raw = source_->raw;
  part.file = source_->file;
  auto opened = h5::open_group(part.file->get(), group);
  if (!opened) return h5::in_file(std::move(opened).error(), "rank", part.name);
  part.group = *std::move(opened);
  return RankFile::open(std::move(part));
}

}  // namespace meridian
