// SPDX-License-Identifier: Apache-2.0
#include "papi/papi_library.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace meridian {
namespace {

/// The version of a library from the system's package tool; empty if there is none.
std::string output_of(const char* command) {
  std::string text;
  FILE* const pipe = ::popen(command, "r");
  if (pipe == nullptr) return text;
  std::array<char, 256> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
  ::pclose(pipe);
  return text;
}

TEST(PapiLibrary, HasTheVersionThatPapisOwnToolReports) {
  const std::string shown = output_of("papi_version 2>/dev/null");
  if (shown.empty()) GTEST_SKIP() << "papi_version (Debian: papi-tools) is not installed";
  const auto papi = probe_papi();
  ASSERT_TRUE(papi) << papi.error().what;
  EXPECT_NE(shown.find(papi->version), std::string::npos) << shown;
}

TEST(PapiLibrary, CanBeProbedTwice) {
  const auto first = probe_papi();
  const auto second = probe_papi();
  ASSERT_EQ(static_cast<bool>(first), static_cast<bool>(second));
  if (first) {
    EXPECT_EQ(first->version, second->version);
  }
}

TEST(Pmu, IsAvailableOrTheReasonHasARemedy) {
  const Status pmu = probe_pmu();
  if (!pmu) {
    EXPECT_NE(pmu.error().what, "");
    EXPECT_NE(pmu.error().hint, "");
  }
}

}  // namespace
}  // namespace meridian
