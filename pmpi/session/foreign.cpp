// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/foreign.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "pmpi/libraries/interface.hpp"
#include "pmpi/process/launch.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/session/change_tracer.hpp"

namespace meridian {

bool step_aside() noexcept {
  const Library library = find_library();
  if (!library.is_foreign()) return false;
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&step_aside), &own);
  const char* const tracer = own.dli_fname != nullptr ? own.dli_fname : "libmeridian.so";
  if (!bypass_wrappers(library)) {
    say("the MPI library '%s' is one of %s, and '%s' is for %s and cannot let the calls pass: the system does not let "
        "a "
        "program change its code. Run the program without this libmeridian.so",
        library.path, interface_name(library.interface), tracer, interface_name(kOwnInterface));
    _exit(EXIT_FAILURE);
  }
  stop_session(nullptr);
  if (launched_rank() <= 0)
    say("nothing is recorded: the MPI library '%s' is one of %s, and '%s' is for %s. `meridian run` chooses the right "
        "one, "
        "and `meridian doctor PROGRAM` tells which it is",
        library.path, interface_name(library.interface), tracer, interface_name(kOwnInterface));
  return true;
}

namespace {
/// Before the program begins, the tracer can still be exchanged. Without MPI in the process, which may load it later, the launcher decides.
[[gnu::constructor]] void look_at_library(int, char** arguments, char** environment) noexcept {
  const Library library = find_library();
  const Interface wanted = library.init != nullptr ? library.interface : launcher_interface();
  if (wanted != kOwnInterface) change_tracer(wanted, arguments, environment);
  step_aside();
}
}  // namespace
}  // namespace meridian
