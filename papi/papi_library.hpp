// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trace/model/result.hpp"

namespace meridian {

/// The counting facilities of this machine, found without starting a counter. PAPI is loaded at run time; nothing links
/// it.
struct PapiLibrary {
  std::string file;           ///< argument of dlopen
  std::string version;        ///< "7.0.0"
  int hardware_counters = 0;  ///< counters of the processor; 0: none that PAPI can use
};

/// Loads and initialises PAPI. The library stays loaded.
/// errors  not_found: no libpapi; unsupported: a libpapi of an unknown version
Result<PapiLibrary> probe_papi();

/// Whether the kernel lets this process count instructions. errors: unsupported (no PMU), io (not permitted; the hint
/// names the setting).
Status probe_pmu();

}  // namespace meridian
