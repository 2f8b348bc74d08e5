// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <string>
#include <unordered_map>

#include "import/otf2/definitions.hpp"
#include "trace/model/call_id.hpp"

namespace meridian::imported {

/// How a region of the archive is imported: as an MPI call, or as a region of the program.
struct RegionUse {
  CallId call = CallId::none;
  std::string level;
  std::string name;
  bool is_openmp = false;       ///< of the OpenMP library
  CallId waits = CallId::none;  ///< in it the thread waits for others of its team, as in this call
};

/// All regions of an archive, also those that it uses without defining them.
class RegionTable {
 public:
  explicit RegionTable(const Definitions& definitions);
  const RegionUse& of(OTF2_RegionRef region) const;

 private:
  std::unordered_map<OTF2_RegionRef, RegionUse> uses_;
  RegionUse unknown_{.level = "region", .name = "unknown region"};
};

}  // namespace meridian::imported
