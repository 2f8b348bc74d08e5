// SPDX-License-Identifier: Apache-2.0
#include "cli/support/job_slot.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAncestors = 100;

std::string content(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The launcher itself does not have the variable.
bool has_variable(const fs::path& process, std::string_view variable) {
  const std::string environment = '\0' + content(process / "environ");
  return environment.find('\0' + std::string{variable} + '=') != std::string::npos;
}

struct ProcessStat {
  std::string name;
  std::string parent;
  std::uint64_t child_faults = 0;  ///< of children that it has waited for; a process that ran has some
};

/// proc_pid_stat(5); the name is in parentheses, and may have some.
std::optional<ProcessStat> read_stat(const fs::path& process) {
  const std::string text = content(process / "stat");
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  ProcessStat stat{.name = text.substr(open + 1, close - open - 1), .parent = {}, .child_faults = 0};
  std::istringstream fields{text.substr(close + 1)};
  std::string state, group, session, terminal, foreground, flags, faults;
  fields >> state >> stat.parent >> group >> session >> terminal >> foreground >> flags >> faults >> stat.child_faults;
  return fields ? std::optional{std::move(stat)} : std::nullopt;
}

bool has_mpi(const fs::path& process) {
  const std::string maps = content(process / "maps");
  return maps.find("/libmpi") != std::string::npos;  // libmpi.so, libmpich.so, libmpi_cxx.so ...
}

}  // namespace

std::optional<std::string> find_user_of_slot(std::string_view variable, const fs::path& proc) {
  fs::path process = proc / "self";
  for (int i = 0; i < kMostAncestors && (i == 0 || has_variable(process, variable)); ++i) {
    const auto stat = read_stat(process);
    if (!stat) return std::nullopt;
    if (i != 0 && has_mpi(process)) return "'" + stat->name + "', which uses MPI itself, has started this process";
    if (stat->child_faults != 0)
      return "another program ran before this one in the same place of the job, and may have used MPI";
    process = proc / stat->parent;
  }
  return std::nullopt;
}

}  // namespace meridian
