// SPDX-License-Identifier: Apache-2.0
#include "edit/copy_samples.hpp"

#include <algorithm>
#include <vector>

#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {

Status copy_samples(const StoredTrace& trace, const KeptTimes& kept, std::int64_t id) {
  MERIDIAN_TRY(const SampleReader reader, trace.samples());
  if (reader.size() == 0) return {};
  const auto file = static_cast<hid_t>(id);
  const SampleNames& names = reader.names();
  MERIDIAN_TRY(auto table, LongTableWriter<MergedSample>::create(file, kSamples, kSampleColumns));
  std::vector<SampleRank> ranks;
  std::vector<MergedSample> rows;
  for (SampleCursor cursor{reader, {}};;) {
    auto has_rows = cursor.next(rows);
    if (!has_rows) return trace.named(std::move(has_rows).error());
    if (!*has_rows) break;
    if (ranks.empty() || ranks.back().rank != cursor.rank()) ranks.push_back({cursor.rank(), table.size(), 0});
    for (const MergedSample& row : rows)
      if (kept.has(cursor.rank(), row.time_ns)) MERIDIAN_TRY_DO(table.push(row));
    ranks.back().count = table.size() - ranks.back().first;
  }
  MERIDIAN_TRY_DO(table.finish());
  MERIDIAN_TRY_DO(write_column_table(file, kSampleRanks, kSampleRankColumns, ranks));
  MERIDIAN_TRY_DO(write_column_table(file, kSampleThreads, kSampleThreadColumns, names.threads));
  MERIDIAN_TRY_DO(write_column_table(file, kSampleModules, kSampleModuleColumns, names.modules));
  MERIDIAN_TRY_DO(write_column_table(file, kSamplePlaces, kSamplePlaceColumns, names.places));
  return write_column_table(file, kSamplePaths, kSamplePathColumns, names.paths);
}

Status copy_processor(const StoredTrace& trace, const KeptTimes& kept, std::int64_t id) {
  MERIDIAN_TRY(const ProcessorReader reader, trace.processor());
  if (reader.size() == 0) return {};
  const auto file = static_cast<hid_t>(id);
  MERIDIAN_TRY(auto table, LongTableWriter<MergedInterval>::create(file, kProcessor, kProcessorColumns));
  std::vector<ProcessorRank> ranks;
  std::vector<MergedInterval> rows;
  for (ProcessorCursor cursor{reader, {}};;) {
    auto has_rows = cursor.next(rows);
    if (!has_rows) return trace.named(std::move(has_rows).error());
    if (!*has_rows) break;
    if (ranks.empty() || ranks.back().rank != cursor.rank()) {
      const auto original = std::ranges::find(reader.ranks(), cursor.rank(), &ProcessorRank::rank);
      ranks.push_back({cursor.rank(), table.size(), 0, 0, original->lost});
    }
    for (const MergedInterval& row : rows) {
      if (!kept.has(cursor.rank(), row.begin_ns(), row.end_ns)) continue;
      ranks.back().longest_ns = std::max(ranks.back().longest_ns, row.length_ns);
      MERIDIAN_TRY_DO(table.push(row));
    }
    ranks.back().count = table.size() - ranks.back().first;
  }
  MERIDIAN_TRY_DO(table.finish());
  return write_column_table(file, kProcessorRanks, kProcessorRankColumns, ranks);
}

Status copy_memory(const StoredTrace& trace, const KeptTimes& kept, std::int64_t id) {
  MERIDIAN_TRY(const MemoryReader reader, trace.memory());
  if (reader.size() == 0) return {};
  const auto file = static_cast<hid_t>(id);
  MERIDIAN_TRY(auto table, LongTableWriter<MergedMemory>::create(file, kMemory, kMemoryColumns));
  std::vector<MemoryRank> ranks;
  std::vector<MergedMemory> rows;
  for (MemoryCursor cursor{reader, {}};;) {
    auto has_rows = cursor.next(rows);
    if (!has_rows) return trace.named(std::move(has_rows).error());
    if (!*has_rows) break;
    if (ranks.empty() || ranks.back().rank != cursor.rank()) ranks.push_back({cursor.rank(), table.size(), 0});
    for (const MergedMemory& row : rows)
      if (kept.has(cursor.rank(), row.time_ns)) MERIDIAN_TRY_DO(table.push(row));
    ranks.back().count = table.size() - ranks.back().first;
  }
  MERIDIAN_TRY_DO(table.finish());
  return write_column_table(file, kMemoryRanks, kMemoryRankColumns, ranks);
}

Status copy_energy(const StoredTrace& trace, const KeptTimes& kept, std::int64_t id) {
  MERIDIAN_TRY(const EnergyReader reader, trace.energy());
  if (reader.size() == 0) return {};
  const auto file = static_cast<hid_t>(id);
  MERIDIAN_TRY(auto table, LongTableWriter<MergedEnergy>::create(file, kEnergy, kEnergyColumns));
  std::vector<EnergyHost> hosts;
  std::vector<MergedEnergy> rows;
  const auto [begin_ns, end_ns] = kept.of_any_rank();
  for (EnergyCursor cursor{reader, {}};;) {
    auto has_rows = cursor.next(rows);
    if (!has_rows) return trace.named(std::move(has_rows).error());
    if (!*has_rows) break;
    const EnergyHost& host = reader.hosts()[cursor.host()];
    if (hosts.empty() || hosts.back().host != host.host) hosts.push_back({host.host, host.rank, table.size(), 0});
    for (const MergedEnergy& row : rows)
      if (row.time_ns >= begin_ns && row.time_ns <= end_ns) MERIDIAN_TRY_DO(table.push(row));
    hosts.back().count = table.size() - hosts.back().first;
  }
  MERIDIAN_TRY_DO(table.finish());
  MERIDIAN_TRY_DO(write_column_table(file, kEnergyHosts, kEnergyHostColumns, hosts));
  return write_column_table(file, kEnergyZones, kEnergyZoneColumns, reader.zones());
}

}  // namespace meridian
