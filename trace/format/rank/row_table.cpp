// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/row_table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "trace/format/rank/energy_table.hpp"
#include "trace/format/rank/memory_table.hpp"
#include "trace/format/rank/processor_table.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

/// Name, columns and damage of a table.
template <class Row>
struct RowTableFacts;

template <>
struct RowTableFacts<ProcessorRow> {
  static constexpr const char* kGroup = "processor";
  static constexpr Columns kColumns{
      column<&ProcessorRow::ticks>("ticks", "ticks"), column<&ProcessorRow::length>("length", "ticks"),
      column<&ProcessorRow::ran>("ran", "ticks"),     column<&ProcessorRow::thread>("thread"),
      column<&ProcessorRow::count>("count"),          column<&ProcessorRow::is_ready>("is_ready"),
  };
  static constexpr const char* kDamage = "an interval of 'processor' ends before it begins";
};

template <>
struct RowTableFacts<MemoryRow> {
  static constexpr const char* kGroup = "memory";
  static constexpr Columns kColumns{
      column<&MemoryRow::ticks>("ticks", "ticks"),
      column<&MemoryRow::resident_bytes>("resident_bytes", "bytes"),
      column<&MemoryRow::peak_bytes>("peak_bytes", "bytes"),
      column<&MemoryRow::swapped_bytes>("swapped_bytes", "bytes"),
      column<&MemoryRow::minor_faults>("minor_faults"),
      column<&MemoryRow::major_faults>("major_faults"),
  };
  static constexpr const char* kDamage = "a reading of 'memory' has more than a process can have";
};

template <>
struct RowTableFacts<EnergyRow> {
  static constexpr const char* kGroup = "energy";
  static constexpr Columns kColumns{
      column<&EnergyRow::ticks>("ticks", "ticks"),
      column<&EnergyRow::energy_uj>("energy_uj", "uJ"),
      column<&EnergyRow::zone>("zone"),
  };
  static constexpr const char* kDamage = "a reading of 'energy' has more than a host can have";
};

}  // namespace

template <class Row>
struct RowTableWriter<Row>::Impl {
  hid_t file = H5I_INVALID_HID;
  std::optional<LongTableWriter<Row>> table;
};

template <class Row>
RowTableWriter<Row>::RowTableWriter(std::int64_t file)
    : impl_{std::make_unique<Impl>(Impl{static_cast<hid_t>(file), std::nullopt})} {}
template <class Row>
RowTableWriter<Row>::~RowTableWriter() = default;

template <class Row>
Status RowTableWriter<Row>::push(const Row& row) {
  if (!impl_->table) {
    MERIDIAN_TRY(impl_->table,
                 LongTableWriter<Row>::create(impl_->file, RowTableFacts<Row>::kGroup, RowTableFacts<Row>::kColumns));
  }
  return impl_->table->push(row);
}

template <class Row>
Status RowTableWriter<Row>::finish() {
  if (!impl_->table) return {};
  MERIDIAN_TRY_DO(impl_->table->finish());
  impl_->table.reset();
  return {};
}

template <class Row>
struct RowTable<Row>::Impl {
  h5::File file;
  h5::Group group;  // none: the root
  LongTableReader<Row> table;
  std::uint64_t piece = 0;
};

template <class Row>
RowTable<Row>::RowTable(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
template <class Row>
RowTable<Row>::RowTable(RowTable&&) noexcept = default;
template <class Row>
RowTable<Row>& RowTable<Row>::operator=(RowTable&&) noexcept = default;
template <class Row>
RowTable<Row>::~RowTable() = default;

template <class Row>
Result<RowTable<Row>> RowTable<Row>::open(const std::filesystem::path& path, const std::string& group) {
  const h5::Quiet quiet;
  auto impl = std::make_unique<Impl>();
  const auto in_file = [&](Error error) { return h5::in_file(std::move(error), "rank file", path); };
  MERIDIAN_TRY(impl->file, h5::open_read_only(path));
  if (!group.empty()) {
    auto opened = h5::open_group(impl->file.get(), group);
    if (!opened) return in_file(std::move(opened).error());
    impl->group = *std::move(opened);
  }
  const hid_t root = impl->group ? impl->group.get() : impl->file.get();
  if (!h5::exists(root, RowTableFacts<Row>::kGroup)) return RowTable{std::move(impl)};
  auto table = LongTableReader<Row>::open(root, RowTableFacts<Row>::kGroup, RowTableFacts<Row>::kColumns);
  if (!table) return in_file(std::move(table).error());
  impl->table = *std::move(table);
  return RowTable{std::move(impl)};
}

template <class Row>
std::uint64_t RowTable<Row>::size() const noexcept {
  return impl_->table.size();
}

template <class Row>
Result<std::span<const Row>> RowTable<Row>::next() {
  if (impl_->piece == impl_->table.pieces()) return std::span<const Row>{};
  MERIDIAN_TRY(const std::span<const Row> rows, impl_->table.piece(impl_->piece++));
  if (!std::ranges::all_of(rows, &Row::is_valid))
    return Error{Errc::damaged, std::string{"the rank file contradicts itself: "} + RowTableFacts<Row>::kDamage, ""};
  return rows;
}

template class RowTableWriter<ProcessorRow>;
template class RowTable<ProcessorRow>;
template class RowTableWriter<MemoryRow>;
template class RowTable<MemoryRow>;
template class RowTableWriter<EnergyRow>;
template class RowTable<EnergyRow>;

}  // namespace meridian
