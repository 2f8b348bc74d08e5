// SPDX-License-Identifier: Apache-2.0
#include "merged/read_definitions.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "merged/column_block.hpp"
#include "trace/format/table.hpp"

namespace meridian {
namespace {

/// Fills a member of each row from a column; the first column of a table says how many rows it has.
template <class Row>
class TableReader {
 public:
  TableReader(hid_t file, std::string group, std::vector<Row>& rows)
      : file_{file}, group_{std::move(group)}, rows_{rows} {}

  template <class Stored, class T>
  TableReader& column(const char* name, T Row::*member) {
    if (status_) status_ = put(read_whole<Stored>(file_, group_ + name), name, member);
    return *this;
  }
  TableReader& strings(const char* name, std::string Row::*member) {
    if (status_) status_ = put(h5::read_strings(file_, group_ + name), name, member);
    return *this;
  }
  Status status() const { return status_; }

 private:
  template <class Values, class T>
  Status put(Result<Values> values, const char* name, T Row::*member) {
    if (!values) return std::move(values).error();
    if (is_first_) rows_.resize(values->size());
    is_first_ = false;
    if (values->size() != rows_.size())
      return damaged_merged("column '" + group_ + name + "' is longer or shorter than those beside it");
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].*member = static_cast<T>((*values)[i]);
    return {};
  }

  hid_t file_;
  std::string group_;
  std::vector<Row>& rows_;
  bool is_first_ = true;
  Status status_;
};

Status read_groups(hid_t file, std::vector<std::vector<std::int32_t>>& groups) {
  MERIDIAN_TRY(const auto first, read_whole<std::uint64_t>(file, "groups/first"));
  MERIDIAN_TRY(const auto size, read_whole<std::uint64_t>(file, "groups/size"));
  MERIDIAN_TRY(const auto members, read_whole<std::int32_t>(file, "groups/member"));
  if (first.size() != size.size()) return damaged_merged("groups of ranks contradict each other");
  std::uint64_t expected = 0;  // one behind the other, so that all together are no more than there are members
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != expected || size[i] > members.size() - expected)
      return damaged_merged("groups of ranks contradict each other");
    const auto begin = members.begin() + static_cast<std::ptrdiff_t>(first[i]);
    groups.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size[i]));
    expected += size[i];
  }
  return {};
}

}  // namespace

Result<MergedDefinitions> read_definitions(hid_t file) {
  MergedDefinitions all;
  MERIDIAN_TRY(all.time_origin_realtime_ns, h5::read_int_attribute(file, "time_origin_realtime_ns"));
  MERIDIAN_TRY_DO(TableReader{file, "calls/", all.calls}
                      .strings("name", &MergedCall::name)
                      .strings("group", &MergedCall::group)
                      .status());
  MERIDIAN_TRY_DO(TableReader{file, "communicators/", all.communicators}
                      .strings("name", &MergedCommunicator::name)
                      .strings("kind", &MergedCommunicator::kind)
                      .column<std::uint32_t>("parent", &MergedCommunicator::parent)
                      .column<std::uint32_t>("group", &MergedCommunicator::group)
                      .column<std::uint32_t>("remote_group", &MergedCommunicator::remote_group)
                      .status());
  MERIDIAN_TRY_DO(read_groups(file, all.groups));
  MERIDIAN_TRY_DO(TableReader{file, "ranks/", all.ranks}
                      .column<std::int32_t>("rank", &MergedRank::rank)
                      .column<std::uint32_t>("world", &MergedRank::world)
                      .column<std::int32_t>("rank_in_world", &MergedRank::rank_in_world)
                      .strings("host", &MergedRank::host)
                      .strings("executable", &MergedRank::executable)
                      .column<std::int32_t>("pid", &MergedRank::pid)
                      .column<std::uint8_t>("is_finalized", &MergedRank::is_finalized)
                      .column<std::uint32_t>("clock_domain", &MergedRank::clock_domain)
                      .status());
  MERIDIAN_TRY_DO(TableReader{file, "threads/", all.locations}
                      .column<std::int32_t>("rank", &MergedLocation::rank)
                      .column<std::uint32_t>("thread", &MergedLocation::thread)
                      .column<std::int32_t>("kernel_tid", &MergedLocation::kernel_tid)
                      .column<std::uint64_t>("events", &MergedLocation::events)
                      .status());
  if (h5::exists(file, "sites/module")) {
    MERIDIAN_TRY_DO(TableReader{file, "modules/", all.modules}
                        .strings("path", &MergedModule::path)
                        .strings("identity", &MergedModule::identity)
                        .status());
    MERIDIAN_TRY_DO(TableReader{file, "sites/", all.sites}
                        .column<std::uint32_t>("module", &MergedSite::module)
                        .column<std::uint64_t>("offset", &MergedSite::offset)
                        .strings("function", &MergedSite::function)
                        .strings("outer", &MergedSite::outer)
                        .strings("file", &MergedSite::file)
                        .column<std::uint32_t>("line", &MergedSite::line)
                        .column<std::uint32_t>("column", &MergedSite::column)
                        .status());
  }
  if (h5::exists(file, "paths/parent"))
    MERIDIAN_TRY_DO(TableReader{file, "paths/", all.paths}
                        .column<std::uint32_t>("parent", &MergedPath::parent)
                        .column<std::uint32_t>("site", &MergedPath::site)
                        .status());
  return all;
}

}  // namespace meridian
