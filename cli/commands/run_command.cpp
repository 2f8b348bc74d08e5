// SPDX-License-Identifier: Apache-2.0
// meridian run: starts a program with the tracer preloaded. The program replaces this process, so its exit code and
// signals are its own.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <sstream>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/run/counters.hpp"
#include "cli/run/program.hpp"
#include "cli/run/settings.hpp"
#include "cli/support/installation.hpp"
#include "cli/support/launcher.hpp"
#include "trace/model/run_variables.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kMpiChoices{"auto", "openmpi", "mpich", "abi"};

struct RunArguments {
  std::string mpi = "auto";
  std::array<std::string, kOptionCount> values;  ///< [OptionId], empty: not given
  std::vector<std::string> program;              ///< with its arguments
};

std::vector<std::string> choices_of(const OptionInfo& option) {
  std::vector<std::string> choices;
  std::istringstream words{std::string{option.unit}};
  for (std::string word; std::getline(words, word, '|');) choices.push_back(word);
  return choices;
}

/// --finalize-timeout for FINALIZE_TIMEOUT
std::string option_name(const OptionInfo& option) {
  std::string name = "--";
  for (const char c : option.key) name += c == '_' ? '-' : static_cast<char>(std::tolower(c));
  return option.key == "DIR" ? "-o," + name : name;
}

/// True for `--verbose`: the next argument is not its value.
bool is_flag(std::string_view argument) {
  return std::any_of(kOptions.begin(), kOptions.end(), [&](const OptionInfo& option) {
    return option.type == OptionType::flag && argument == option_name(option);
  });
}

/// Exports the options of the command line to the environment, where the tracer reads them.
Status export_arguments(const RunArguments& arguments) {
  for (std::size_t i = 0; i < kOptionCount; ++i) {
    if (arguments.values[i].empty()) continue;
    const OptionInfo& option = kOptions[i];
    const std::string name = option.key == "DIR" ? "-o" : option_name(option);
    Error error = check_value(static_cast<OptionId>(i), arguments.values[i], name + " " + arguments.values[i]);
    if (!error.what.empty()) return error;
    ::setenv(option.variable.data(), arguments.values[i].c_str(), 1);
  }
  return {};
}

/// Checks that the directory is writable or can be created. Writes to it if `is_probing`, because permissions do not
/// cover everything (quotas, root, special file systems).
Status check_output(const fs::path& directory, bool is_probing) {
  const std::string what = fmt::format("cannot write to the output directory '{}': ", directory.string());
  const std::string hint = "choose another one with -o or MERIDIAN_DIR";
  std::error_code problem;
  fs::path existing = fs::absolute(directory, problem);
  while (!fs::exists(existing, problem) && existing.has_relative_path()) existing = existing.parent_path();
  if (!fs::is_directory(existing, problem))
    return Error{Errc::io, what + fmt::format("'{}' is not a directory", existing.string()), hint};
  bool is_writable = ::access(existing.c_str(), W_OK | X_OK) == 0;
  if (is_writable && is_probing) {
    const fs::path probe = existing / fmt::format(".meridian-probe-{}", ::getpid());
    is_writable = ::mkdir(probe.c_str(), 0700) == 0;
    if (is_writable) ::rmdir(probe.c_str());
  }
  if (is_writable) return {};
  return Error{Errc::io, what + fmt::format("'{}': {}", existing.string(), std::strerror(errno)), hint};
}

/// The flavor of the first of a wrapper's arguments that is an MPI program or launcher, as in `timeout 60 ./program`.
std::optional<Flavor> flavor_of_arguments(std::span<const std::string> words, std::string& reason) {
  constexpr std::size_t kMostWords = 32;
  for (const std::string& word : words.first(std::min(words.size(), kMostWords))) {
    if (word.empty() || word.starts_with("-") || word.find('=') != std::string::npos) continue;
    const auto path = find_program(word);
    if (!path) continue;
    if (const auto behind = flavor_of_launcher(*path)) {
      reason = fmt::format("'{}' is the launcher of {}", word, flavor_title(*behind));
      return behind;
    }
    if (const ProgramFacts facts = inspect_program(*path); facts.flavor) {
      reason = fmt::format("'{}' is linked with {}", word, facts.library);
      return facts.flavor;
    }
  }
  return std::nullopt;
}

/// The tracer for this program: the user's choice, otherwise that for the MPI library it is linked with, otherwise that
/// for its launcher. A process with another library changes it.
Result<fs::path> choose_tracer(const RunArguments& arguments, const fs::path& path, const ProgramFacts& facts,
                               const Launcher& launcher, std::string& reason) {
  const std::vector<Flavor> installed = installed_flavors();
  if (installed.empty())
    return Error{Errc::not_found, "libmeridian.so is not installed beside this command",
                 "install it, or build the target meridian_openmpi or meridian_mpich"};
  std::optional<Flavor> flavor;
  if (arguments.mpi != "auto") {
    flavor = *std::ranges::find(kFlavors, arguments.mpi, flavor_name);  // the command line accepts no other
    reason = "as --mpi says";
  } else if (facts.flavor) {
    flavor = facts.flavor;
    reason = "it is linked with " + facts.library;
  } else if (const auto behind = flavor_of_launcher(path)) {
    flavor = behind;
    reason = fmt::format("it is the launcher of {}", flavor_title(*behind));
  } else if (const auto named = flavor_of_arguments(std::span{arguments.program}.subspan(1), reason)) {
    flavor = named;
  } else if (launcher.flavor) {
    flavor = launcher.flavor;
    reason = fmt::format("{} is set", launcher.evidence);
  } else {
    flavor = installed.front();
    reason = "the MPI that it uses is unknown";
  }
  auto tracer = find_tracer(*flavor);
  // If the flavor is only a guess, an installed tracer of another flavor is used.
  if (!tracer && arguments.mpi == "auto" && !facts.flavor) tracer = find_tracer(installed.front());
  if (!tracer)
    return Error{
        Errc::not_found, fmt::format("there is no libmeridian.so for {} ({})", flavor_title(*flavor), reason),
        fmt::format("build the target meridian_{}; `meridian doctor` shows what is there", flavor_name(*flavor))};
  if (tracer->string().find_first_of(" \t\n:") != std::string::npos)
    return Error{Errc::unsupported,
                 fmt::format("cannot preload '{}': its path contains a blank or a colon", tracer->string()),
                 "install Meridian in a directory without them"};
  return *std::move(tracer);
}

/// AddressSanitizer aborts every program, and every child of it, in which its library is not the first one. It also
/// works when loaded after the tracer; before the tracer, it would be preloaded into every child.
void let_sanitizers_start() {
  constexpr const char* kVariable = "ASAN_OPTIONS";
  constexpr std::string_view kSetting = "verify_asan_link_order=0";
  const char* const before = std::getenv(kVariable);
  const std::string given = before == nullptr ? "" : before;
  if (given.find(kSetting) != std::string::npos) return;
  ::setenv(kVariable, fmt::format("{}{}{}", given, given.empty() ? "" : ":", kSetting).c_str(), 1);
}

/// Sets the variable that names the library of a tool, for the way that the user chose, unless it names another one. Not by itself:
/// Kokkos aborts if two settings contradict each other, and warns where it was built without tools.
void export_annotations(const Settings& settings) {
  // In the order of the choices. Kokkos before 3.7 has another variable.
  constexpr std::array kVariables{"", "KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY", "NVTX_INJECTION64_PATH",
                                  "INTEL_LIBITTNOTIFY64"};
  const auto chosen = static_cast<std::size_t>(settings.values.number(OptionId::annotations));
  if (chosen == 0 || chosen >= kVariables.size()) return;
  if (const auto library = find_annotations()) ::setenv(kVariables[chosen], library->c_str(), 0);
}

/// Exports all settings other than the options.
void export_tracer(const fs::path& tracer, const Settings& settings, bool is_chosen) {
  if (is_chosen)
    ::unsetenv(kTracerChoice);
  else
    ::setenv(kTracerChoice, kTracerChosenByLibrary, 1);
  const char* const before = std::getenv("LD_PRELOAD");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv(kRunVariable.data(), kept.c_str(), 1);
  if (!kept.starts_with(tracer.string()))
    ::setenv("LD_PRELOAD", kept.empty() ? tracer.c_str() : (tracer.string() + ":" + kept).c_str(), 1);
  let_sanitizers_start();
  // The program may look up functions before the tracer reads meridian.conf.
  if (!settings.values.is_on(OptionId::dlsym)) ::setenv(info(OptionId::dlsym).variable.data(), "no", 1);
  // Absolute, since the program may change its directory before MPI_Init.
  std::error_code problem;
  if (const auto directory = settings.values.path(OptionId::dir); !directory.empty())
    ::setenv(info(OptionId::dir).variable.data(), fs::absolute(directory, problem).c_str(), 1);
  if (!settings.config.empty())
    ::setenv(info(OptionId::config).variable.data(), fs::absolute(settings.config, problem).c_str(), 1);
  if (settings.values.path(OptionId::writer).empty())
    if (const auto writer = find_writer()) ::setenv(info(OptionId::writer).variable.data(), writer->c_str(), 1);
  export_annotations(settings);
}

/// Exports what the tracer needs for its message at the end. It is printed only if standard error is still that of the
/// launcher; the message that a program called no MPI, only by the process that this one becomes.
void export_process(const fs::path& path, bool is_quiet) {
  struct stat errors {};
  if (is_quiet || ::fstat(STDERR_FILENO, &errors) != 0) {
    ::unsetenv(kRunProcess);
    return;
  }
  const std::string facts =
      is_launcher(path) ? "0 0 0" : fmt::format("{} {} {}", ::getpid(), errors.st_dev, errors.st_ino);
  ::setenv(kRunProcess, facts.c_str(), 1);
}

/// Returns only on failure.
Error start(const fs::path& path, const std::vector<std::string>& program) {
  std::vector<char*> arguments;
  arguments.reserve(program.size() + 1);
  for (const std::string& argument : program) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(program.front().c_str(), arguments.data());
  return Error{Errc::io, fmt::format("cannot run '{}': {}", path.string(), std::strerror(errno)), ""};
}

int run(const RunArguments& arguments) {
  if (arguments.program.empty())
    return fail({Errc::invalid_argument, "no program given", "mpirun -n 4 meridian run ./program arguments..."});
  if (std::find(kMpiChoices.begin(), kMpiChoices.end(), arguments.mpi) == kMpiChoices.end())
    return fail(unknown_choice("--mpi " + arguments.mpi, arguments.mpi, kMpiChoices));
  const Launcher launcher = find_launcher();
  const Status exported = export_arguments(arguments);
  if (!exported) return fail(exported.error());
  Settings settings;
  read_settings(settings);
  if (launcher.speaks())
    for (const Error& problem : settings.problems) report(problem);
  if (settings.values.is_on(OptionId::strict)) {
    if (!settings.problems.empty()) return kExitCouldNotRun;
    const Status counters =
        check_counters(settings.values.path(OptionId::counters), settings.values.is_on(OptionId::counters_multiplex));
    if (!counters) return launcher.speaks() ? fail(counters.error()) : kExitCouldNotRun;
  }

  const auto path = find_program(arguments.program.front());
  if (!path) return fail(path.error());
  const ProgramFacts facts = inspect_program(*path);
  if (!facts.obstacle.empty()) {
    if (launcher.speaks())
      report({Errc::unsupported, fmt::format("cannot trace '{}': {}; it runs untraced", path->string(), facts.obstacle),
              ""});
    return fail(start(*path, arguments.program));
  }
  if (facts.flavor == Flavor::abi && arguments.mpi == "auto" && !find_tracer(Flavor::abi)) {
    if (launcher.speaks())
      report({Errc::unsupported,
              fmt::format("cannot trace '{}': it is linked with {} ({}), for which there is no libmeridian.so; it runs "
                          "untraced",
                          path->string(), facts.library, flavor_title(Flavor::abi)),
              "compile it with the ordinary mpicc of Open MPI or MPICH to trace it"});
    return fail(start(*path, arguments.program));
  }
  // The tracer reports any problem later, if there is something to trace; the program then runs untraced.
  const fs::path directory = settings.values.path(OptionId::dir);
  if (settings.values.is_on(OptionId::strict) && (!directory.empty() || facts.flavor)) {
    const Status writable = check_output(directory.empty() ? fs::path{"."} : directory, launcher.speaks());
    if (!writable) return launcher.speaks() ? fail(writable.error()) : kExitCouldNotRun;
  }
  std::string reason;
  const auto tracer = choose_tracer(arguments, *path, facts, launcher, reason);
  if (!tracer) return fail(tracer.error());
  export_tracer(*tracer, settings, arguments.mpi != "auto");
  export_process(*path, settings.values.is_on(OptionId::quiet));
  if (settings.values.is_on(OptionId::verbose) && launcher.speaks())
    report({Errc{}, fmt::format("tracing '{}' with '{}' ({})", path->string(), tracer->string(), reason), ""});
  return fail(start(*path, arguments.program));
}

}  // namespace

std::vector<std::string> take_program(std::vector<std::string>& arguments) {
  std::size_t at = 0;
  for (; at < arguments.size() && arguments[at].starts_with("-"); ++at) {
    const std::string& argument = arguments[at];
    if (argument == "--" || argument == "-") break;
    const bool is_help = argument == "-h" || argument == "--help";
    const bool holds_value = argument.find('=') != std::string::npos || (argument[1] != '-' && argument.size() > 2);
    if (!is_help && !holds_value && !is_flag(argument)) ++at;
  }
  at = std::min(at, arguments.size());
  const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::string> program(begin, arguments.end());
  arguments.erase(begin, arguments.end());
  if (!program.empty() && program.front() == "--") program.erase(program.begin());
  return program;
}

Command run_command(const std::vector<std::string>& program) {
  const auto arguments = std::make_shared<RunArguments>();
  arguments->program = program;
  Command command{
      "run",
      "Run an MPI program and record its events",
      {},
      [arguments] { return run(*arguments); },
      "The program and its arguments come last:\n  mpirun -n 4 meridian run [options] ./program arguments...\n"
      "The exit code is that of the program, or 1 if it could not be started."};
  command.options = {{.names = "--mpi",
                      .value = "NAME",
                      .help = "MPI that the program uses: auto, openmpi, mpich, abi (the standard ABI). Default: auto.",
                      .target = &arguments->mpi,
                      .choices = kMpiChoices}};
  for (std::size_t i = 0; i < kOptionCount; ++i) {
    const OptionInfo& option = kOptions[i];
    const bool has_no_value = option.type == OptionType::flag;
    command.options.push_back(
        {.names = option_name(option) + (has_no_value ? "{yes}" : ""),
         .value = has_no_value                      ? ""
                  : option.type == OptionType::path ? "PATH"
                                                    : "VALUE",
         .help = fmt::format("{} Default: {}.", option.text, option.fallback),
         .target = &arguments->values[i],
         .choices = option.type == OptionType::choice ? choices_of(option) : std::vector<std::string>{}});
  }
  return command;
}

}  // namespace meridian
