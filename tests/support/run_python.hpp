// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>

namespace meridian::test {

/// The script, which is the first word, must succeed.
/// python  one that has h5py; empty: there is none, and the test is skipped
inline void run_python(const std::string& python, std::initializer_list<std::filesystem::path> words) {
  if (python.empty()) GTEST_SKIP() << "no python3 with h5py";
  std::string command = python + " -B";
  for (const std::filesystem::path& word : words) command.append(" '").append(word.string()).append("'");
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace meridian::test
