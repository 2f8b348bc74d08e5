// SPDX-License-Identifier: Apache-2.0
// One program: whether it can be traced, how it is linked, and whether the launcher in PATH is that of its MPI.

#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor/checks.hpp"
#include "cli/run/program.hpp"
#include "cli/support/installation.hpp"

namespace meridian {
namespace {

Check check_linking(const ProgramFacts& facts) {
  if (!facts.is_linked_with_tracer)
    return {"linked", Health::ok, "without the tracer, which `meridian run` preloads", ""};
  if (facts.is_tracer_behind_mpi)
    return {"linked", Health::warn,
            fmt::format("libmeridian.so comes behind {}, so the program calls MPI without it", facts.library),
            "name libmeridian.so before the MPI library when you link, or start the program with `meridian run`"};
  return {"linked", Health::ok, fmt::format("libmeridian.so comes before {}", facts.library), ""};
}

/// The launcher that a shell would start.
std::vector<Check> check_own_launcher(Flavor flavor) {
  const auto path = find_program("mpirun");
  if (!path) return {};
  const auto other = flavor_of_launcher(*path);
  if (flavor == Flavor::abi || !other || *other == flavor) return {};  // the ABI's library may be any MPI's
  return {{"its launcher", Health::warn,
           fmt::format("mpirun is {}'s ({}): it would start each process as an MPI job of its own, of one rank",
                       flavor_title(*other), path->string()),
           fmt::format("start the program with the mpirun of {}, as in mpirun.{}", flavor_title(flavor),
                       flavor_name(flavor))}};
}

}  // namespace

std::vector<Check> check_program(const std::string& program) {
  const auto path = find_program(program);
  if (!path) return {{"program", Health::fail, path.error().what, path.error().hint}};
  const ProgramFacts facts = inspect_program(*path);
  if (!facts.obstacle.empty())
    return {{"program", Health::fail, fmt::format("{} cannot be traced: {}", path->string(), facts.obstacle),
             "link it with shared libraries, and give it no special rights"}};
  if (const auto launcher = flavor_of_launcher(*path))
    return {{"program", Health::ok,
             fmt::format("{} is the launcher of {}: put it in front, as in {} -n 4 meridian run ./program",
                         path->string(), flavor_title(*launcher), path->filename().string()),
             ""}};
  if (!facts.flavor)
    return {{"program", Health::warn,
             fmt::format("{} is linked with no MPI library; it is traced if it loads one later", path->string()),
             "if it does, name the library with `meridian run --mpi`"}};
  if (*facts.flavor == Flavor::abi && !find_tracer(Flavor::abi))
    return {{"program", Health::fail,
             fmt::format("{} is linked with {} ({}), for which there is no libmeridian.so: `meridian run` starts it "
                         "untraced",
                         path->string(), facts.library, flavor_title(*facts.flavor)),
             "compile it with the ordinary mpicc of Open MPI or MPICH to trace it"}};
  std::vector<Check> checks;
  const auto tracer = find_tracer(*facts.flavor);
  const bool has_tracer = tracer.has_value();
  checks.push_back(
      {"program", has_tracer ? Health::ok : Health::fail,
       fmt::format("{} is linked with {} ({}){}", path->string(), facts.library, flavor_title(*facts.flavor),
                   has_tracer ? "" : ", for which there is no libmeridian.so"),
       has_tracer ? "" : fmt::format("build the target meridian_{}", flavor_name(*facts.flavor))});
  if (has_tracer)
    checks.push_back({"its tracer", Health::ok,
                      fmt::format("{}, because {} has the binary interface of {}", tracer->string(), facts.library,
                                  flavor_title(*facts.flavor)),
                      ""});
  checks.push_back(check_linking(facts));
  for (Check& check : check_own_launcher(*facts.flavor)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace meridian
