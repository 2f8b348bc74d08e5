// SPDX-License-Identifier: Apache-2.0
#include "merger/energy/merge_energy.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "merged/model/energy.hpp"
#include "trace/format/rank/energy_table.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

/// Writes the readings of one host after another.
class EnergyMerger {
 public:
  EnergyMerger(const Trace& trace, std::span<const RankPlace> places, hid_t file, Findings& findings)
      : trace_{trace}, places_{places}, file_{file}, findings_{findings} {}

  Status run() {
    for (const RankFile* const rank : trace_.files) report_missing(rank->meta());
    for (const std::size_t index : readers()) MERIDIAN_TRY_DO(add_host(index));
    if (!table_) return {};
    MERIDIAN_TRY_DO(table_->finish());
    MERIDIAN_TRY_DO(write_column_table(file_, kEnergyZones, kEnergyZoneColumns, zones_));
    return write_column_table(file_, kEnergyHosts, kEnergyHostColumns, hosts_);
  }

 private:
  struct Longest {
    std::size_t index = 0;
    std::int64_t length_ns = -1;
  };

  /// The rank with the longest series of each host, as numbers of files.
  std::vector<std::size_t> readers() {
    std::map<std::string_view, Longest> longest;
    for (std::size_t i = 0; i < trace_.files.size(); ++i) {
      const std::int64_t length_ns = length_of(i);
      Longest& host = longest[trace_.files[i]->meta().hostname];
      if (length_ns > host.length_ns) host = {i, length_ns};
    }
    std::vector<std::size_t> found;
    for (const auto& [host, rank] : longest)
      if (rank.length_ns >= 0) found.push_back(rank.index);
    std::ranges::sort(found);
    return found;
  }

  /// Time between the first and the last reading of the rank, ns; -1: the rank has no reading.
  std::int64_t length_of(std::size_t index) {
    std::optional<std::int64_t> first_ns;
    std::int64_t last_ns = 0;
    (void)for_each(index, true, [&](const EnergyRow& row) {  // a damaged rest is left out
      last_ns = trace_.clocks.maps[index].to_global(row.ticks);
      if (!first_ns) first_ns = last_ns;
      return Status{};
    });
    return first_ns ? std::max<std::int64_t>(last_ns - *first_ns, 0) : -1;
  }

  template <class Take>
  Status for_each(std::size_t index, bool is_reported, Take&& take) {
    const auto report = [&](const Error& error) {
      if (is_reported)
        findings_.add(FindingId::rank_damaged_tables, 1,
                      rank_name(trace_.worlds, trace_.files[index]->meta().rank) + ": " + error.what);
    };
    auto readings = EnergyTable::open(places_[index].file, places_[index].group);
    if (!readings) report(readings.error());
    while (readings) {
      const auto rows = readings->next();
      if (!rows) report(rows.error());
      if (!rows || rows->empty()) break;
      for (const EnergyRow& row : *rows) MERIDIAN_TRY_DO(take(row));
    }
    return {};
  }

  Status add_host(std::size_t index) {
    const RankMeta& meta = trace_.files[index]->meta();
    if (!table_) {
      MERIDIAN_TRY(table_, LongTableWriter<MergedEnergy>::create(file_, kEnergy, kEnergyColumns));
    }
    const std::uint64_t first = table_->size();
    const std::map<std::uint32_t, std::uint32_t> zone_of = add_zones(meta);
    std::int64_t last_ns = 0;
    MERIDIAN_TRY_DO(for_each(index, false, [&](const EnergyRow& row) -> Status {
      const auto zone = zone_of.find(row.zone);
      if (zone == zone_of.end()) return {};
      const std::int64_t time_ns = trace_.clocks.maps[index].to_global(row.ticks);
      last_ns = table_->size() == first ? time_ns : std::max(time_ns, last_ns);
      return table_->push({last_ns, row.energy_uj, zone->second});
    }));
    hosts_.push_back({meta.hostname, meta.rank, first, table_->size() - first});
    return {};
  }

  /// Rows of zones_ by number in the rank.
  std::map<std::uint32_t, std::uint32_t> add_zones(const RankMeta& meta) {
    std::map<std::uint32_t, std::uint32_t> zone_of;
    const std::size_t first = zones_.size();
    for (const TextRow& text : meta.texts) {
      if (text.key != kEnergyZoneKey || text.handle >= kMostEnergyZones) continue;
      const std::size_t blank = std::min(text.value.find(' '), text.value.size());
      const auto kind = energy_kind(std::string_view{text.value}.substr(0, blank));
      if (!kind || blank == text.value.size()) continue;
      if (zone_of.emplace(text.handle, static_cast<std::uint32_t>(zones_.size())).second)
        zones_.push_back({meta.hostname, text.value.substr(blank + 1), *kind, false});
    }
    const auto own = std::span{zones_}.subspan(first);
    const bool has_packages = std::ranges::find(own, EnergyKind::package, &MergedEnergyZone::kind) != own.end();
    for (MergedEnergyZone& zone : own)
      zone.is_added = zone.kind == (has_packages ? EnergyKind::package : EnergyKind::socket);
    return zone_of;
  }

  void report_missing(const RankMeta& meta) {
    for (const TextRow& text : meta.texts) {
      if (text.key == kEnergyRefusedKey) findings_.add(FindingId::energy_refused, 1, meta.hostname + ": " + text.value);
      if (text.key != kEnergyIncompleteKey) continue;
      const auto zone = std::ranges::find_if(
          meta.texts, [&](const TextRow& other) { return other.key == kEnergyZoneKey && other.handle == text.handle; });
      if (zone == meta.texts.end()) continue;
      const std::string name = zone->value.substr(zone->value.find(' ') + 1);
      findings_.add(FindingId::energy_incomplete, 1, meta.hostname + ", " + name + ": " + text.value);
    }
  }

  const Trace& trace_;
  std::span<const RankPlace> places_;
  hid_t file_;
  Findings& findings_;
  std::optional<LongTableWriter<MergedEnergy>> table_;
  std::vector<MergedEnergyZone> zones_;
  std::vector<EnergyHost> hosts_;
};

}  // namespace

Status merge_energy(const Trace& trace, std::span<const RankPlace> places, std::int64_t file, Findings& findings) {
  return EnergyMerger{trace, places, static_cast<hid_t>(file), findings}.run();
}

}  // namespace meridian
