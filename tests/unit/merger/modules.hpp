// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "synthetic_trace.hpp"

namespace meridian::test {

inline constexpr const char* kBuildId = "00112233445566778899aabbccddeeff00112233";

/// The rank has loaded the file `path` at the hexadecimal addresses [begin, end). `kind`: "mpi", "tracer" or "-".
inline void load_module(SyntheticRank& rank, const std::string& begin, const std::string& end,
                        const std::string& identity, const std::string& path, const std::string& kind = "-") {
  rank.meta.texts.push_back(
      {"module", begin + " " + end + " " + begin + " " + identity + " " + kind + " " + path, 0, 0});
}

}  // namespace meridian::test
