// SPDX-License-Identifier: Apache-2.0
#include "cli/options_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/run/settings.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/support/json_text.hpp"

namespace meridian {
namespace {

constexpr std::array<std::string_view, kGroupNames.size()> kGroupTexts{
    std::string_view{},
#define MERIDIAN_GROUP(name, text) std::string_view{text},
#include "trace/model/call_groups.def"
};

/// A '|' would end the cell.
std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string{"\\|"} : std::string(1, c);
  return cell;
}

std::string values_cell(const OptionInfo& option) {
  return option.type == OptionType::groups ? "list, see below" : describe_values(option);
}

/// A name, and a text beside it that goes on below itself.
std::string listed(std::string_view name, std::string_view text) {
  constexpr std::size_t kBegin = 11;
  return wrapped(text, kBegin, prose_width()).replace(0, kBegin, fmt::format("  {:<{}}", name, kBegin - 2));
}

}  // namespace

std::string options_text() {
  std::string text = wrapped(
      "Set in the environment, in meridian.conf (NAME = value, with or without MERIDIAN_), or as an option of "
      "`meridian "
      "run`. The command line goes before the environment, the environment before the file.",
      0, prose_width());
  for (const OptionInfo& option : kOptions) {
    text += fmt::format("\n{}\n", option.variable);
    text += wrapped(option.text, 2, prose_width());
    text += wrapped(fmt::format("default  {}", option.fallback), 2, prose_width());
    if (option.type != OptionType::path && option.type != OptionType::list)
      text += wrapped(fmt::format("values   {}", values_cell(option)), 2, prose_width());
  }
  text += "\nGroups of MERIDIAN_LEVELS\n";
  for (std::size_t i = 1; i < kGroupNames.size(); ++i) text += listed(kGroupNames[i], kGroupTexts[i]);
  text += wrapped("Presets, calls (MPI_Win_*) and events of the program (user:pool.STEAL*)", 0, prose_width());
  for (const Preset& preset : kPresets) text += listed(preset.name, preset.text);
  return text;
}

std::string options_json() {
  nlohmann::ordered_json json{{"schema", "meridian-options"}, {"version", 1}};
  for (const OptionInfo& option : kOptions)
    json["options"].push_back({{"name", option.variable},
                               {"default", option.fallback},
                               {"values", describe_values(option)},
                               {"text", option.text}});
  for (std::size_t i = 1; i < kGroupNames.size(); ++i)
    json["groups"].push_back({{"name", kGroupNames[i]}, {"text", kGroupTexts[i]}});
  for (const Preset& preset : kPresets)
    json["presets"].push_back({{"name", preset.name}, {"groups", preset.groups}, {"text", preset.text}});
  return json_text(json);
}

std::string options_markdown() {
  std::string text =
      "# Options\n\n"
      "This page is printed by `meridian options --markdown` from `trace/model/options.def`; a test compares the "
      "two.\n\n"
      "Options are environment variables. The same names, with or without `MERIDIAN_`, can stand in a configuration "
      "file "
      "(`NAME = value`, one a line, `#` begins a comment), and `meridian run` takes each as an option: "
      "`--finalize-timeout 5` for `MERIDIAN_FINALIZE_TIMEOUT=5`. The command line goes before the environment, the "
      "environment before the file, the file before the default. Sizes are bytes, or end in `K`, `M`, `G` (powers of "
      "1024); times are seconds, or end in `s`, `min`, `h`; yes and no may also be written `1/0`, `true/false`, "
      "`on/off`.\n\n"
      "An unknown name or a value out of range is reported, with the nearest valid name, and the run goes on with the "
      "default; with `MERIDIAN_STRICT=yes` the program is not started.\n\n"
      "`meridian.conf` is taken from the working directory without being asked for, and can name a program that is run "
      "(`MERIDIAN_WRITER`). So it is used only if it is a regular file that belongs to the user or to root, and that "
      "neither its group nor others may write to; else it is ignored, and that is said (and counts as an error with "
      "`MERIDIAN_STRICT=yes`). Files that options name (`MERIDIAN_CONFIG`, `MERIDIAN_FILTER`, `MERIDIAN_EVENTS`) are "
      "read whoever they belong to.\n\n"
      "| option | default | values | meaning |\n|---|---|---|---|\n";
  for (const OptionInfo& option : kOptions)
    text += fmt::format("| `{}` | {} | {} | {} |\n", option.variable, markdown_cell(option.fallback),
                        markdown_cell(values_cell(option)), markdown_cell(option.text));
  text +=
      "\n## Values of `MERIDIAN_LEVELS`\n\n"
      "Items separated by commas, from left to right: `item` or `+item` adds, `-item` removes. A list that begins with "
      "a sign starts from `all`. An item is `all`, `none`, a group, a preset, the name of a call with `*` and `?` "
      "(`MPI_Win_*`), or `user:` and a level, or a level and an event, of the program (`user:pool`, "
      "`user:pool.STEAL*`; levels of regions, markers, counters and messages are `region`, `marker`, `counter`, "
      "`message`).\n\n| group | calls |\n|---|---|\n";
  for (std::size_t i = 1; i < kGroupNames.size(); ++i)
    text += fmt::format("| `{}` | {} |\n", kGroupNames[i], markdown_cell(kGroupTexts[i]));
  text += "\n| preset | what it records |\n|---|---|\n";
  for (const Preset& preset : kPresets) text += fmt::format("| `{}` | {} |\n", preset.name, markdown_cell(preset.text));
  return text;
}

}  // namespace meridian
