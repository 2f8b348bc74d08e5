// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/farewell.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>
#include <sys/resource.h>

#include <cstdint>

#include "pmpi/choice/choice.hpp"
#include "pmpi/libraries/file_name.hpp"
#include "pmpi/libraries/handle_symbols.hpp"
#include "pmpi/libraries/interface.hpp"
#include "pmpi/process/heritage.hpp"
#include "pmpi/process/last_words.hpp"
#include "pmpi/process/program.hpp"
#include "pmpi/process/session_state.hpp"

namespace meridian {
namespace {

constexpr const char* kLibrary = interface_name(kOwnInterface);

/// The file whose MPI_Init was called without the tracer's knowledge.
struct HiddenInit {
  enum class How : std::uint8_t {
    by_library,  ///< it is the MPI library, in front of the tracer
    by_address,  ///< it is the MPI library, whose functions the program has looked up
    by_other,    ///< it is a tool or the program itself
  };
  const char* path = nullptr;  ///< null: MPI was not initialised so
  How how{};
};

HiddenInit find_hidden_init(const Library& library) noexcept {
  if (library.init == nullptr) return {};
  const auto initialized = reinterpret_cast<int (*)(int*)>(dlsym(library.scope, "PMPI_Initialized"));
  int flag = 0;
  if (initialized == nullptr || initialized(&flag) != MPI_SUCCESS || flag == 0) return {};
  Dl_info self{}, other{}, mpi{};
  void* const init = dlsym(RTLD_DEFAULT, "MPI_Init");
  if (init == nullptr || dladdr(reinterpret_cast<void*>(&g_session), &self) == 0 || dladdr(init, &other) == 0)
    return {};
  if (self.dli_fbase == other.dli_fbase) return {library.path, HiddenInit::How::by_address};
  const bool is_of_library = dladdr(library.init, &mpi) != 0 && mpi.dli_fbase == other.dli_fbase;
  return {other.dli_fname, is_of_library ? HiddenInit::How::by_library : HiddenInit::How::by_other};
}

void say_by_address(const Library& library) noexcept {
  if (library.is_foreign()) {
    say_at_end(
        "nothing was recorded: the MPI library '%s' is one of %s, and libmeridian.so is for %s; `meridian run --mpi "
        "%s` "
        "has the right one",
        library.path, interface_name(library.interface), kLibrary, interface_folder(library.interface));
    return;
  }
  say_at_end(
      "nothing was recorded: the program reaches '%s' past libmeridian.so: by PMPI_Init, by an address from dlsym() or "
      "in a library that it opened with RTLD_DEEPBIND%s",
      library.path, records_looked_up() ? "" : ". MERIDIAN_DLSYM=yes records calls by such addresses");
}

/// A child of this process may have called MPI, as in a script; it then has said so.
bool has_had_children() noexcept {
  rusage usage{};
  return getrusage(RUSAGE_CHILDREN, &usage) != 0 || usage.ru_maxrss != 0;
}

}  // namespace

void tell_trace() noexcept {
  const RingFileHeader& ring = *g_session.ring;
  if (!g_session.is_first || ring.output_dir[0] == '\0') return;
  Heritage heritage;
  read_heritage(heritage);
  // Under a wrong launcher each process is rank 0 of a world of its own.
  const bool is_own_job = launched_as().rank > 0 && launched_as().rank != ring.world_rank.load();
  const bool is_first = !is_own_job && heritage.token[0] == '\0';
  static constexpr const char* kTrace = "the trace is in '%s'; next: meridian merge '%s'%s%s%s";
  const char* const limit = limit_reached();
  const char* const words[] = {limit != nullptr ? ". Calls beyond " : "", limit != nullptr ? limit : "",
                               limit != nullptr ? " were only counted" : ""};
  if (may_speak_at_end() && is_first) {
    say_at_end(kTrace, ring.output_dir, ring.output_dir, words[0], words[1], words[2]);
  } else if (g_session.options.is_on(OptionId::verbose)) {
    say(kTrace, ring.output_dir, ring.output_dir, words[0], words[1], words[2]);
  }
}

void tell_no_trace() noexcept {
  if (!is_loaded_here() || launched_as().rank > 0) return;
  const Library library_here = find_library();
  const HiddenInit hidden = find_hidden_init(library_here);
  if (hidden.path != nullptr && hidden.how == HiddenInit::How::by_address) {
    say_by_address(library_here);
    return;
  }
  if (hidden.path != nullptr && hidden.how == HiddenInit::How::by_library) {
    say_at_end(
        "nothing was recorded: the program calls MPI_Init of '%s', which comes before libmeridian.so. Name "
        "libmeridian.so before the MPI library when you link, or use `meridian run`; `meridian doctor PROGRAM` checks "
        "it",
        hidden.path);
    return;
  }
  if (hidden.path != nullptr) {
    say_at_end(
        "nothing was recorded: '%s' has an MPI_Init of its own, which calls PMPI_Init and not libmeridian.so. Let it "
        "call the next MPI_Init (dlsym with RTLD_NEXT), or run without it",
        hidden.path);
    return;
  }
  if (!is_run_process() || has_had_children()) return;
  char program[kPathBytes];
  read_program(program, sizeof program);
  const char* const name = file_name(program);
  if (g_session.writer_started.load()) {
    say_at_end("nothing was recorded: '%s' ended in MPI_Init", name);
  } else if (library_here.init != nullptr) {
    say_at_end("nothing was recorded: '%s' did not call MPI_Init", name);
  } else {
    say_at_end("nothing was recorded: '%s' uses no MPI library", name);
  }
}

void tell_wrong_launcher(int size) noexcept {
  if (size != 1 || launched_as().size <= 1 || launched_as().rank != 0 || !is_run_process()) return;
  say_at_end(
      "the launcher started %d processes, but each is an MPI job of its own, with one rank and one trace: the program "
      "uses %s, and this is another MPI's launcher. Use that of %s; `meridian doctor PROGRAM` checks it",
      launched_as().size, kLibrary, kLibrary);
}

}  // namespace meridian
