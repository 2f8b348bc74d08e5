// SPDX-License-Identifier: Apache-2.0
#include "cli/run/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "trace/model/found_file.hpp"

extern "C" char** environ;  // NOLINT: the C library's own name

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestConfig = 1u << 20;

std::string type_name(OptionType type) {
  switch (type) {
    case OptionType::size:
      return "size";
    case OptionType::extent:
      return "size or time";
    case OptionType::number:
      return "number";
    case OptionType::seconds:
      return "time";
    case OptionType::flag:
      return "yes or no";
    case OptionType::groups:
      return "list of groups and calls";
    case OptionType::range:
      return "range";
    case OptionType::ranks:
      return "list of ranks";
    case OptionType::path:
    case OptionType::list:
    case OptionType::choice:
      break;
  }
  return "valid choice";
}

void add_unknown(Settings& settings, std::string_view key, const std::string& where) {
  const std::string_view near = nearest_option_key(key);
  Error error{Errc::invalid_argument, fmt::format("there is no option MERIDIAN_{}{}; it is ignored", key, where),
              "`meridian options` lists them all"};
  if (!near.empty()) error.hint = fmt::format("did you mean MERIDIAN_{}? {}", near, error.hint);
  settings.problems.push_back(std::move(error));
}

void take(Settings& settings, const Setting& setting, OptionSource source, const std::string& where) {
  const OptionProblem problem = assign(settings.values, setting.key, setting.value, source);
  if (problem == OptionProblem::none) return;
  if (problem == OptionProblem::unknown_key) return add_unknown(settings, setting.key, where);
  const OptionId id = option_by_key(setting.key);
  Error error = check_value(id, setting.value, fmt::format("{}={}{}", info(id).variable, setting.value, where));
  error.what += fmt::format("; the default {} is used", info(id).fallback);
  settings.problems.push_back(std::move(error));
}

/// The text of the file; problems are added to `settings`.
std::string read_config(const fs::path& path, Settings& settings) {
  std::error_code problem;
  const auto refuse = [&](const std::string& reason) {
    settings.problems.push_back({Errc::not_found,
                                 fmt::format("cannot read the configuration file '{}': {}", path.string(), reason),
                                 "correct MERIDIAN_CONFIG, or unset it"});
    return std::string{};
  };
  const fs::file_status status = fs::status(path, problem);
  if (fs::is_directory(status)) return refuse("it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) return refuse("it is not a regular file");
  std::ifstream file{path, std::ios::binary};
  if (!file) return refuse(std::strerror(errno));
  std::string text(kLargestConfig, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// The path of meridian.conf if the file exists and can be trusted.
fs::path find_config(Settings& settings) {
  struct stat status {};
  if (::stat(kFoundConfig, &status) != 0) return {};
  const char* const reason = distrust(status, ::geteuid());
  if (reason == nullptr) return kFoundConfig;
  settings.problems.push_back(
      {Errc::invalid_argument, fmt::format("'{}' is ignored: {}", kFoundConfig, reason), kDistrustHint});
  return {};
}

void take_config(Settings& settings) {
  std::string_view rest = settings.config_text;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = find_char(rest, '\n');
    const Setting setting = parse_setting(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::string where = fmt::format(" ('{}', line {})", settings.config.string(), line);
    if (setting.is_ours) take(settings, setting, OptionSource::file, where);
    if (setting.is_malformed)
      settings.problems.push_back({Errc::invalid_argument, fmt::format("'{}' is not a setting{}", setting.key, where),
                                   "write NAME = value, or begin the line with #"});
  }
}

}  // namespace

std::string short_size(std::int64_t bytes) {
  std::int64_t value = bytes;
  const char* unit = "";
  for (const char* next : {"K", "M", "G", "T"}) {
    if (value == 0 || value % 1024 != 0) break;
    value /= 1024;
    unit = next;
  }
  return fmt::format("{}{}", value, unit);
}

std::string describe_values(const OptionInfo& option) {
  switch (option.type) {
    case OptionType::path:
      return "a path";
    case OptionType::list:
      return "a list, separated by commas";
    case OptionType::choice: {
      std::string choices;
      for (std::string_view rest = option.unit; !rest.empty();)
        choices += (choices.empty() ? "" : ", ") + std::string{take_item(rest, '|')};
      return choices;
    }
    case OptionType::size:
      return short_size(option.minimum) + " to " + short_size(option.maximum);
    case OptionType::extent:
      return short_size(option.minimum) + " to " + short_size(option.maximum) + ", or a time in s, min or h";
    case OptionType::number:
    case OptionType::seconds:
      return fmt::format("{} to {} {}", option.minimum, option.maximum, option.unit);
    case OptionType::flag:
      return "yes or no";
    case OptionType::range:
      return fmt::format("from:to in {}, one end may be missing", option.unit);
    case OptionType::ranks:
      return "ranks such as 0,8-15, one of 16 as 1/16, every 16th from rank 3 as 3%16, or all";
    case OptionType::groups:
      break;
  }
  return fmt::format("all, none, {}, a preset, or a call such as MPI_Win_*",
                     fmt::join(kGroupNames.begin() + 1, kGroupNames.end(), ", "));
}

Error check_value(OptionId id, std::string_view text, const std::string& shown) {
  const ParsedOption parsed = parse_option(id, text);
  if (parsed.problem == TextProblem::none) return {};
  const OptionInfo& option = info(id);
  Error error{Errc::invalid_argument, shown, "give " + describe_values(option)};
  if (parsed.problem == TextProblem::out_of_range)
    error.what += ": out of range";
  else if (option.type == OptionType::groups)
    error.what += fmt::format(": there is no group, preset or call '{}'", parsed.culprit);
  else
    error.what += fmt::format(": not a {}", type_name(option.type));
  std::string_view near;
  if (option.type == OptionType::groups) {
    near = nearest_name(parsed.culprit, std::span{kGroupNames}.subspan(1));
  } else if (option.type == OptionType::choice) {
    std::vector<std::string_view> choices;
    for (std::string_view rest = option.unit; !rest.empty();) choices.push_back(take_item(rest, '|'));
    near = nearest_name(trim(text), choices);
  }
  if (!near.empty()) error.hint = fmt::format("did you mean {}? Else {}", near, error.hint);
  return error;
}

void read_settings(Settings& settings) {
  std::vector<Setting> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (const Setting setting = parse_variable(*entry); setting.is_ours) environment.push_back(setting);
  // Sorted by name, so that the order of messages does not depend on the shell.
  std::sort(environment.begin(), environment.end(), [](const Setting& a, const Setting& b) { return a.key < b.key; });
  for (const Setting& setting : environment) take(settings, setting, OptionSource::environment, "");
  settings.config = settings.values.path(OptionId::config);
  if (settings.config.empty()) settings.config = find_config(settings);
  if (settings.config.empty()) return;
  settings.config_text = read_config(settings.config, settings);
  take_config(settings);
}

}  // namespace meridian
