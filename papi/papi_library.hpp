// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trace/model/result.hpp"

namespace meridian {

/// What this machine offers for counting, found without starting a counter. PAPI is loaded at run time: nothing links
/// it.
struct PapiLibrary {
  std::string file;           ///< as given to dlopen
  std::string version;        ///< "7.0.0"
  int hardware_counters = 0;  ///< of the processor; 0: none that PAPI can use
};

/// Loads and initialises PAPI. The library stays loaded.
/// errors  not_found: no libpapi; unsupported: one that does not accept any version that this build knows
Result<PapiLibrary> probe_papi();

/// Whether the kernel lets this process count instructions. errors: unsupported (no PMU), io (not permitted; the hint
/// names the setting).
Status probe_pmu();

}  // namespace meridian
