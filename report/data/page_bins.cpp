// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_bins.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "report/data/encoding.hpp"

namespace meridian {
namespace {

/// 255ths, of which `step` are the smallest difference. What is there at all is seen: it has at least 1.
///
/// slots  that a row of `levels` has
template <class Levels>
std::string shares_of(const Levels& levels, std::size_t slots, std::size_t rows, std::span<const std::size_t> threads,
                      float step) {
  std::string shares;
  shares.reserve(rows * slots * levels.bins());
  for (std::size_t row = 0; row < rows; ++row) {
    const float whole = static_cast<float>(levels.width_ns()) * static_cast<float>(threads.empty() ? 1 : threads[row]);
    for (std::size_t s = 0; s < slots; ++s)
      for (std::size_t bin = 0; bin < levels.bins(); ++bin) {
        const float share = std::min(1.0F, levels.time_ns(row, s, bin) / whole);
        const float rounded = std::round(share * 255 / step) * step;
        shares += static_cast<char>(static_cast<unsigned char>(share > 0 ? std::max(1.0F, rounded) : 0));
      }
  }
  return shares;
}

}  // namespace

void add_bins(const RowLevels& levels, std::size_t rows, std::span<const std::size_t> threads,
              nlohmann::ordered_json& json) {
  PackedNumbers calls, longest;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t bin = 0; bin < levels.bins(); ++bin) {
      calls.add(levels.calls(row, bin));
      longest.add_signed(levels.longest_ns(row, bin));
    }
  json["bins"] = levels.bins();
  json["bin_ns"] = levels.width_ns();
  json["shares"] = packed_text(shares_of(levels, kStateClasses, rows, threads, 1));
  json["bin_calls"] = packed_text(calls.bytes());
  json["bin_longest"] = packed_text(longest.bytes());
}

nlohmann::ordered_json coarse_bins(const RowLevels& levels, std::size_t rows) {
  return {{"bins", levels.bins()},
          {"bin_ns", levels.width_ns()},
          {"shares", packed_text(shares_of(levels, kStateClasses, rows, {}, 17))}};
}

nlohmann::ordered_json slot_bins(const SlotLevels& levels, std::span<const std::size_t> threads) {
  return {{"bins", levels.bins()},
          {"bin_ns", levels.width_ns()},
          {"shares", packed_text(shares_of(levels, levels.slots(), threads.size(), threads, 1))}};
}

}  // namespace meridian
