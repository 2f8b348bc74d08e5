// SPDX-License-Identifier: Apache-2.0
#include "cli/support/interruption.hpp"

#include <unistd.h>

#include <csignal>

#include "trace/format/tables/temporary_files.hpp"

namespace meridian {
namespace {

pid_t g_owner = 0;
void (*g_wipe)() noexcept = nullptr;

void clean_up(int signal) {
  if (::getpid() == g_owner) {  // not a child, which has copies of the names
    remove_temporary_files();
    g_wipe();
  }
  (void)::raise(signal);  // with its default action, so that the shell learns the reason, as 130 for SIGINT
}

}  // namespace

void clean_up_when_interrupted(void (*wipe)() noexcept) {
  g_owner = ::getpid();
  g_wipe = wipe;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = &clean_up;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    (void)::sigaction(signal, &action, nullptr);
  }
}

}  // namespace meridian
