// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "merged/energy_reader.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

/// A row of the table of the energy over time.
struct UsedRow {
  const MergedEnergyZone* zone = nullptr;
  MergedEnergy energy;
};

std::vector<QueryColumn> energy_columns() {
  using Row = UsedRow;
  return {
      {.column = column<Row>("host", "", "whose energy it is", [](const Row& row) { return row.zone->host; })},
      {.column = column<Row>("zone", "", "package-0, package-0/dram: as the kernel names it",
                             [](const Row& row) { return row.zone->name; })},
      {.column = column<Row>(
           "kind", "", "package, part (of a package), platform, socket or sensor",
           [](const Row& row) { return std::string{kEnergyKindNames[static_cast<std::size_t>(row.zone->kind)]}; })},
      {.column = column<Row>("is_added", "", "the energy of the host is the sum of such zones",
                             [](const Row& row) { return row.zone->is_added; })},
      {.column = column<Row>("time_s", "s", "since the start of the trace",
                             [](const Row& row) { return seconds_of(row.energy.time_ns); }),
       .role = ColumnRole::time},
      {.column = column<Row>("joules", "J", "used since the first reading",
                             [](const Row& row) { return static_cast<double>(row.energy.energy_uj) / 1e6; })},
  };
}

class UsedSource final : public RowSource {
 public:
  UsedSource(EnergyReader reader, const RowWindow& window)
      : reader_{std::move(reader)}, cursor_{reader_, {window.from_ns, window.to_ns}} {}

  Result<bool> next() override {
    if (++at_ >= rows_.size()) {
      MERIDIAN_TRY(const bool has_more, cursor_.next(rows_));
      if (!has_more) return false;
      at_ = 0;
    }
    row_ = {&reader_.zones()[rows_[at_].zone], rows_[at_]};
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  EnergyReader reader_;
  EnergyCursor cursor_;
  std::vector<MergedEnergy> rows_;
  std::size_t at_ = 0;
  UsedRow row_;
};

Result<std::unique_ptr<RowSource>> open_used(const QueryTrace& source, const RowWindow& window) {
  MERIDIAN_TRY(EnergyReader reader, source.trace().energy());
  return std::unique_ptr<RowSource>{new UsedSource{std::move(reader), window}};
}

}  // namespace

QueryTable energy_table() {
  return {.name = "energy",
          .text = "one row for each time at which the energy of a zone of a host was read, by host in order of time",
          .columns = energy_columns(),
          .count = [](const QueryTrace&) { return std::uint64_t{10'000}; },
          .open = &open_used};
}

}  // namespace meridian
