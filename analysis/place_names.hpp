// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "merged/merged_trace.hpp"

namespace meridian {

/// The names of call sites in tables: source file and line, or module and offset. Sites on one line are one place.
class PlaceNames {
 public:
  explicit PlaceNames(const MergedDefinitions& definitions);
  /// Place 0 has no name: the site is unknown.
  std::uint32_t place_of(std::uint32_t site) const { return site < place_of_.size() ? place_of_[site] : 0; }
  const std::string& name(std::uint32_t place) const { return names_[place]; }

 private:
  std::vector<std::string> names_{""};   // [place]
  std::vector<std::uint32_t> place_of_;  // [site]
};

}  // namespace meridian
