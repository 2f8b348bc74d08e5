// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "merged/model/definitions.hpp"

namespace meridian {

/// The places of calls in the program: function, and source file and line or module and offset. Call sites on one line are one
/// place; place 0 is unknown.
class CallPlaces {
 public:
  explicit CallPlaces(const MergedDefinitions& definitions);
  std::uint32_t of_site(std::uint32_t site) const noexcept {
    return site < place_of_site_.size() ? place_of_site_[site] : 0;
  }
  std::string_view name(std::uint32_t place) const { return names_[place]; }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(names_.size()); }

 private:
  std::vector<std::string> names_{""};
  std::vector<std::uint32_t> place_of_site_;
};

}  // namespace meridian
