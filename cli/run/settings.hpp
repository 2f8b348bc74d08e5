// SPDX-License-Identifier: Apache-2.0
#pragma once

// MERIDIAN_* variables and meridian.conf, checked before the program starts.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/options.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct Settings {
  OptionValues values = default_options();
  std::vector<Error> problems;   ///< unknown names, bad values: one each
  std::filesystem::path config;  ///< the configuration file that was read; empty: none
  std::string config_text;       ///< the storage of `values`

  Settings() = default;
  Settings(const Settings&) = delete;  // values point into config_text
};

/// Reads this process's environment and the configuration file that it names, otherwise ./meridian.conf.
void read_settings(Settings& settings);

/// The problem with `text` as a value of the option; `what` is empty if there is none. `shown` is the setting as the
/// user wrote it ("MERIDIAN_BUFFER=12Q", "--buffer 12Q").
Error check_value(OptionId id, std::string_view text, const std::string& shown);

/// The values that the option takes, for hints and tables: "256K to 256M", "yes or no".
std::string describe_values(const OptionInfo& option);

/// Bytes in the notation of options: "2M".
std::string short_size(std::int64_t bytes);

}  // namespace meridian
