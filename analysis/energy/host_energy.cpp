// SPDX-License-Identifier: Apache-2.0
#include "analysis/energy/host_energy.hpp"

#include <map>
#include <utility>

#include "merged/energy_reader.hpp"

namespace meridian {

Result<std::vector<HostEnergy>> read_host_energy(
    const MergedTrace& trace, const std::function<void(const MergedEnergyZone&, const EnergyCurve&)>& see) {
  MERIDIAN_TRY(const EnergyReader reader, trace.energy());
  std::vector<HostEnergy> hosts;
  std::map<std::uint32_t, EnergyCurve> curves;
  const auto end_host = [&] {
    for (auto& [number, curve] : std::exchange(curves, {})) {
      const MergedEnergyZone& zone = reader.zones()[number];
      see(zone, curve);
      if (zone.is_added) hosts.back().zones.push_back(std::move(curve));
    }
  };
  std::vector<MergedEnergy> rows;
  for (EnergyCursor cursor{reader, {}};;) {
    MERIDIAN_TRY(const bool has_rows, cursor.next(rows));
    if (!has_rows) break;
    const std::string& host = reader.hosts()[cursor.host()].host;
    if (hosts.empty() || hosts.back().host != host) {
      end_host();
      hosts.push_back({host, {}});
    }
    for (const MergedEnergy& row : rows) curves[row.zone].add(row.time_ns, static_cast<double>(row.energy_uj) / 1e6);
  }
  end_host();
  return hosts;
}

}  // namespace meridian
