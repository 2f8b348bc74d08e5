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
  std::string config_text;       ///< what `values` points into

  Settings() = default;
  Settings(const Settings&) = delete;  // values point into config_text
};

/// Reads this process' environment and the configuration file that it names, else ./meridian.conf.
void read_settings(Settings& settings);

/// What is wrong with `text` as a value of the option; an empty `what` when nothing is. `shown` is how the user wrote
/// the setting ("MERIDIAN_BUFFER=12Q", "--buffer 12Q").
Error check_value(OptionId id, std::string_view text, const std::string& shown);

/// "256K to 256M", "yes or no": what the option takes, for hints and for tables.
std::string describe_values(const OptionInfo& option);

/// "2M": bytes as options are written.
std::string short_size(std::int64_t bytes);

}  // namespace meridian
