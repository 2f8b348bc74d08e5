// SPDX-License-Identifier: Apache-2.0
#include "cli/merge_processes.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "analysis/shared_analyses.hpp"
#include "cli/leftovers.hpp"
#include "cli/output.hpp"
#include "cli/support/installation.hpp"
#include "cli/support/job_slot.hpp"
#include "cli/support/launcher.hpp"
#include "cli/support/preloaded.hpp"
#include "merger/readers/reader_process.hpp"
#include "processes/mpi_processes.hpp"
#include "processes/shared_cpus.hpp"
#include "processes/work.hpp"

namespace meridian {
namespace {

Error alone(const std::string& reason) {
  return {Errc::unsupported, "the processes of this job cannot merge together: " + reason, ""};
}

/// Those of the launcher's job; an error if they cannot reach each other.
Result<std::unique_ptr<MpiProcesses>> start_processes(const Launcher& launcher) {
  if (!launcher.flavor) return alone("the launcher did not say to which MPI library it belongs");
  if (const auto user = find_user_of_slot(launcher.evidence)) return alone(*user);
  const auto plugin = find_process_library(*launcher.flavor);
  if (!plugin)
    return alone(fmt::format("libmeridian-processes.so for {} is not installed", flavor_title(*launcher.flavor)));
  MERIDIAN_TRY(auto processes, MpiProcesses::start(*plugin));
  if (processes->count() == *launcher.size) return processes;
  const int found = processes->count();
  MERIDIAN_TRY_DO(processes->finish());
  return alone(fmt::format("the launcher started {}, {} found {}", *launcher.size, flavor_title(*launcher.flavor),
                           found == 1 ? "only itself" : std::to_string(found)));
}

/// Answers process 0 until it has no more work.
Status serve(Processes& processes) {
  Leftovers leftovers{Leftovers::kPatience, OtherHosts::may_run, {}};
  ReaderProcess reader{processes, [&](const std::filesystem::path& note, const std::filesystem::path& directory) {
                         return leftovers.finish(note, directory);
                       }};
  for (;;) {
    MERIDIAN_TRY(const Message message, processes.receive(0));
    if (message.empty()) return Error{Errc::damaged, "process 0 of the merge sent an empty message", ""};
    const auto request = std::span{message}.subspan(1);
    switch (static_cast<Work>(message.front())) {
      case Work::end:
        return processes.send(0, {});
      case Work::ranks:
        MERIDIAN_TRY_DO(reader.answer(request));
        break;
      case Work::analyses:
        MERIDIAN_TRY_DO(processes.send(0, answer_analyses(request)));
        break;
      default:
        return Error{Errc::damaged, "process 0 of the merge sent an unknown message", ""};
    }
  }
}

/// Tells the others to end. Answers that an error has left behind come before theirs, which is empty.
Status dismiss(Processes& processes) {
  for (int other = 1; other < processes.count(); ++other)
    MERIDIAN_TRY_DO(processes.send(other, {static_cast<std::uint8_t>(Work::end)}));
  for (int other = 1; other < processes.count(); ++other)
    for (bool is_last = false; !is_last;) {
      MERIDIAN_TRY(const Message message, processes.receive(other));
      is_last = message.empty();
    }
  return {};
}

}  // namespace

int merge_with_processes(const std::function<int(Processes*)>& merge) {
  const Launcher launcher = find_launcher();
  if (launcher.size.value_or(1) < 2) return merge(nullptr);
  restart_without_tracer();
  const auto started = start_processes(launcher);
  if (!started) {
    if (launcher.speaks()) report(started.error());
    return merge(nullptr);
  }
  MpiProcesses& processes = **started;
  int code = kExitFine;
  Status ended = share_cpus(processes);
  if (ended && processes.rank() == 0) {
    code = merge(&processes);
    ended = dismiss(processes);
  } else if (ended) {
    ended = serve(processes);
  }
  if (ended) ended = processes.finish();
  if (ended) return code;
  if (code == kExitFine) code = fail(ended.error());  // or it is already said why
  processes.abort(code);
}

}  // namespace meridian
