// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/merged_bounds.hpp"

#include <string>
#include <utility>
#include <vector>

#include "trace/format/column.hpp"
#include "trace/format/h5.hpp"

namespace meridian {
namespace {

constexpr const char* kLargestMove = "clock_largest_move_ns";

std::string path_of(const char* name) {
  std::string path = "clock_bounds/";
  path.append(name);
  return path;
}

Error damaged(const std::filesystem::path& merged) {
  std::string what = "the bounds in '";
  what.append(merged.string()).append("' contradict each other");
  return {Errc::damaged, what, "make the merged file again with `meridian merge`"};
}

Error without_bounds(const std::filesystem::path& merged) {
  std::string what = "'";
  what.append(merged.string()).append("' has no bounds of its times");
  return {Errc::not_found, what, "merge again with --clock-model meridian"};
}

template <class T>
Result<std::vector<T>> read_column(hid_t file, const std::string& path) {
  MERIDIAN_TRY(ColumnReader reader, ColumnReader::open(file, path));
  if (reader.size() > (std::uint64_t{1} << 28) || reader.size() > h5::file_bytes(file) * 1032 / sizeof(T))
    return Error{Errc::damaged, "the bounds are longer than the file can hold", ""};
  std::vector<T> values(reader.size());
  MERIDIAN_TRY_DO(reader.read(0, std::span<T>{values}));
  return values;
}

}  // namespace

Result<MergedBounds> MergedBounds::read(const std::filesystem::path& merged) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(merged));
  auto bounds = read(file.get(), merged);
  if (!bounds) return h5::in_file(std::move(bounds).error(), "merged file", merged);
  return bounds;
}

Result<MergedBounds> MergedBounds::read(std::int64_t id, const std::filesystem::path& merged) {
  if (!h5::exists(id, "clock_bounds/domain")) return without_bounds(merged);
  MERIDIAN_TRY(const auto domain, read_column<std::uint32_t>(id, "clock_bounds/domain"));
  if (domain.empty()) return without_bounds(merged);
  MERIDIAN_TRY(const auto time, read_column<std::int64_t>(id, "clock_bounds/time_ns"));
  MERIDIAN_TRY(const auto certified, read_column<std::uint8_t>(id, "clock_bounds/is_certified"));
  std::vector<double> values[5];
  const char* const names[5] = {"t1_early_ns", "t1_late_ns", "t2_early_ns", "t2_late_ns", "rate"};
  for (int i = 0; i < 5; ++i) {
    MERIDIAN_TRY(values[i], read_column<double>(id, path_of(names[i])));
  }
  MERIDIAN_TRY(const auto ranks, read_column<std::int32_t>(id, "ranks/rank"));
  MERIDIAN_TRY(const auto domain_of, read_column<std::uint32_t>(id, "ranks/clock_domain"));
  if (time.size() != domain.size() || certified.size() != domain.size() || domain_of.size() != ranks.size())
    return damaged(merged);
  for (const auto& column : values)
    if (column.size() != domain.size()) return damaged(merged);

  MergedBounds result;
  if (auto move = h5::read_int_attribute(id, kLargestMove); move) result.bounds_.largest_move_ns = *move;
  if (!is_time(result.bounds_.largest_move_ns)) return damaged(merged);
  for (std::size_t i = 0; i < domain.size(); ++i) {
    if (domain[i] > result.bounds_.domains.size()) return damaged(merged);  // domains are numbered without gaps
    if (domain[i] == result.bounds_.domains.size()) result.bounds_.domains.emplace_back();
    ClockBoundKnot knot;
    knot.time_ns = time[i];
    for (const std::size_t level : {0u, 1u}) {
      knot.early_ns[level] = static_cast<float>(values[2 * level][i]);
      knot.late_ns[level] = static_cast<float>(values[2 * level + 1][i]);
    }
    knot.rate = static_cast<float>(values[4][i]);
    knot.is_certified = certified[i] != 0;
    const bool has_bounds = knot.early_ns[0] >= 0 && knot.late_ns[0] >= 0 && knot.early_ns[1] >= 0 &&
                            knot.late_ns[1] >= 0 && knot.rate >= 0;
    if (!is_time(knot.time_ns) || (knot.is_certified && !has_bounds)) return damaged(merged);
    result.bounds_.domains[domain[i]].push_back(knot);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0) return damaged(merged);
    result.domain_of_[ranks[i]] = domain_of[i];
  }
  return result;
}

std::optional<ClockBound> MergedBounds::at(std::int32_t rank, std::int64_t time_ns, BoundLevel level) const {
  const auto domain = domain_of_.find(rank);
  if (domain == domain_of_.end() || domain->second >= bounds_.domains.size()) return std::nullopt;
  return bounds_.at(domain->second, time_ns, level);
}

bool MergedBounds::shares_clock(std::int32_t a, std::int32_t b) const {
  const auto one = domain_of_.find(a), other = domain_of_.find(b);
  return one != domain_of_.end() && other != domain_of_.end() && one->second == other->second;
}

}  // namespace meridian
