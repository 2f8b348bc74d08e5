// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/energy_zones.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "trace/format/rank/energy_table.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRapl =
    "intel-rapl:";  // of processors by AMD, too; intel-rapl-mmio counts the same once more
constexpr std::size_t kLongestZoneName = 64;

/// The first bytes of a file, and errno.
std::pair<std::string, int> head_of(const fs::path& file) noexcept {
  const Descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!opened) return {{}, errno};
  std::array<char, 80> bytes{};
  ssize_t got = 0;
  do got = ::read(opened.get(), bytes.data(), bytes.size());
  while (got < 0 && errno == EINTR);
  if (got < 0) return {{}, errno};
  return {std::string{bytes.data(), static_cast<std::size_t>(got)}, 0};
}

std::string_view without_blanks(std::string_view text) noexcept {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

/// The name in a file; `otherwise` if it has none that can be printed.
std::string name_in(const fs::path& file, const std::string& otherwise) {
  const auto [text, error] = head_of(file);
  const std::string_view name = without_blanks(text);
  const bool is_printable = std::ranges::all_of(name, [](char letter) { return letter >= ' ' && letter <= '~'; });
  return name.empty() || name.size() > kLongestZoneName || !is_printable ? otherwise : std::string{name};
}

/// "0:2" -> {0, 2}; empty: something else.
std::vector<unsigned> numbers_in(std::string_view text, char separator) {
  std::vector<unsigned> numbers;
  while (true) {
    unsigned number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{}) return {};
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return numbers;
    if (text.front() != separator) return {};
    text.remove_prefix(1);
  }
}

/// The entries of a folder whose names are numbers between `prefix` and `suffix`, in their order.
std::map<std::vector<unsigned>, fs::path> numbered(const fs::path& folder, std::string_view prefix,
                                                   std::string_view suffix) {
  std::map<std::vector<unsigned>, fs::path> found;
  std::error_code problem;
  for (fs::directory_iterator at{folder, problem}, end; !problem && at != end; at.increment(problem)) {
    const std::string name = at->path().filename().string();
    if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const std::string_view middle =
        std::string_view{name}.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (auto numbers = numbers_in(middle, ':'); !numbers.empty()) found.emplace(std::move(numbers), at->path());
  }
  return found;
}

void add_powercap(const fs::path& folder, std::vector<EnergyZone>& zones) {
  std::map<std::vector<unsigned>, std::string> names;
  for (const auto& [numbers, path] : numbered(folder, kRapl, "")) {
    EnergyZone zone;
    zone.name = name_in(path / "name", path.filename().string());
    zone.kind = zone.name.starts_with("psys") ? EnergyKind::platform : EnergyKind::package;
    if (numbers.size() > 1) {
      zone.kind = EnergyKind::part;
      const auto outer = names.find({numbers.begin(), numbers.end() - 1});
      if (outer != names.end()) zone.name = outer->second + "/" + zone.name;
    }
    names.emplace(numbers, zone.name);
    zone.file = path / "energy_uj";
    zone.range_uj = read_energy_number(path / "max_energy_range_uj").value.value_or(0);
    zones.push_back(std::move(zone));
  }
}

void add_hwmon(const fs::path& folder, std::vector<EnergyZone>& zones) {
  for (const auto& [chip_number, chip] : numbered(folder, "hwmon", "")) {
    const std::string chip_name = name_in(chip / "name", chip.filename().string());
    for (const auto& [number, file] : numbered(chip, "energy", "_input")) {
      const std::string sensor = "energy" + std::to_string(number.front());
      const std::string label = name_in(chip / (sensor + "_label"), sensor);
      const EnergyKind kind = label.starts_with("Esocket") ? EnergyKind::socket : EnergyKind::sensor;
      zones.push_back({kind, chip_name + "/" + label, file, 0});
    }
  }
}

}  // namespace

EnergyNumber read_energy_number(const fs::path& file) noexcept {
  const auto [text, error] = head_of(file);
  const std::string_view digits = without_blanks(text);
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc{} || end != digits.data() + digits.size()) return {std::nullopt, error};
  return {value, 0};
}

std::vector<EnergyZone> find_energy_zones(const fs::path& folder) {
  std::vector<EnergyZone> zones;
  add_powercap(folder / "powercap", zones);
  add_hwmon(folder / "hwmon", zones);
  if (zones.size() > kMostEnergyZones) zones.resize(kMostEnergyZones);
  return zones;
}

}  // namespace meridian
