// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace meridian {

/// Counts of the records that an export or import leaves out, by description. Descriptions are string literals, such as
/// "calls that are not selected".
class LeftOut {
 public:
  void add(std::string_view text, std::uint64_t count = 1) {
    if (count == 0) return;
    for (auto& [known, total] : counts_)
      if (known == text) {
        total += count;
        return;
      }
    counts_.emplace_back(text, count);
  }
  const std::vector<std::pair<std::string_view, std::uint64_t>>& counts() const noexcept { return counts_; }

 private:
  std::vector<std::pair<std::string_view, std::uint64_t>> counts_;
};

}  // namespace meridian
