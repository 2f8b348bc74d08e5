// SPDX-License-Identifier: Apache-2.0
#include "merged/counter_reader.hpp"

#include <algorithm>
#include <utility>

#include "merged/read_numbers.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/table.hpp"

namespace meridian {
namespace {

Result<std::vector<MergedCounter>> names_in(hid_t file) {
  std::vector<MergedCounter> counters;
  if (!h5::exists(file, kCounters)) return counters;
  MERIDIAN_TRY(const std::vector<std::string> names, h5::read_strings(file, std::string{kCounters} + "/name"));
  MERIDIAN_TRY(const std::vector<std::string> units, h5::read_strings(file, std::string{kCounters} + "/unit"));
  if (names.size() != units.size()) return damaged_merged("names and units of counters differ in number");
  for (std::size_t i = 0; i < names.size(); ++i) counters.push_back({names[i], units[i]});
  return counters;
}

Status read_calls(hid_t file, std::size_t counters,
                  const std::function<Status(std::uint64_t, std::span<const CallCount>)>& look) {
  MERIDIAN_TRY(NumberReader steps, open_numbers(file, kCounterEvents));
  MERIDIAN_TRY(auto stored, LongTableReader<StoredCount>::open(file, kCounters, kCountColumns));
  if (stored.size() / counters != steps.size() || stored.size() % counters != 0)
    return damaged_merged("columns of counters differ in length");
  std::vector<CallCount> counts(counters);
  std::uint64_t row = 0, next = 0;
  for (std::uint64_t piece = 0; piece < steps.pieces(); ++piece) {
    MERIDIAN_TRY(const auto some, steps.piece(piece));
    for (const std::int64_t step : some) {
      row += static_cast<std::uint64_t>(step);
      for (CallCount& count : counts) {
        MERIDIAN_TRY(const StoredCount* const one, stored.at(next++));
        count = {one->value, one->between};
      }
      MERIDIAN_TRY_DO(look(row, counts));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<MergedCounter>> read_counter_names(const std::filesystem::path& merged) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(merged));
  auto names = names_in(file.get());
  if (!names) return h5::in_file(std::move(names).error(), "merged file", merged);
  return names;
}

Status read_counters(const std::filesystem::path& merged,
                     const std::function<Status(std::uint64_t, std::span<const CallCount>)>& look) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(merged));
  const auto names = names_in(file.get());
  if (!names) return h5::in_file(names.error(), "merged file", merged);
  if (names->empty()) return {};
  if (Status status = read_calls(file.get(), names->size(), look); !status)
    return h5::in_file(std::move(status).error(), "merged file", merged);
  return {};
}

}  // namespace meridian
