// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/energy/energy_curve.hpp"
#include "merged/merged_trace.hpp"
#include "merged/model/energy.hpp"

namespace meridian {

/// The energy of a host: the sum of its zones that are added.
struct HostEnergy {
  std::string host;
  std::vector<EnergyCurve> zones;

  double between(std::int64_t begin_ns, std::int64_t end_ns) const {
    double sum = 0;
    for (const EnergyCurve& zone : zones) sum += zone.between(begin_ns, end_ns);
    return sum;
  }
};

/// Reads the energy of all hosts with readings; calls see(zone, curve) for each of their zones that has some. errors: damaged; io
Result<std::vector<HostEnergy>> read_host_energy(
    const MergedTrace& trace, const std::function<void(const MergedEnergyZone&, const EnergyCurve&)>& see);

}  // namespace meridian
