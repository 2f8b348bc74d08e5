// SPDX-License-Identifier: Apache-2.0
// The interface that meridian/user.h looks up.

#include "include/meridian/user_abi.h"
#include "pmpi/choice/choice.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/user/definitions.hpp"

namespace meridian {
namespace {

/// meridian_user_api::set. The switch itself is recorded.
void set(const char* what, int wanted) {
  const bool is_on = wanted != 0;
  if (!is_ready_for_events()) return;
  if (!is_on) note_switch(what == nullptr ? "all" : what, is_on);
  if (what == nullptr) {
    switch_recording(is_on);
  } else if (!switch_user_events(what, is_on)) {
    say("cannot switch '%s': the name is too long, or there are more than %d switches", what,
        static_cast<int>(kMostUserSwitches));
  }
  if (is_on) note_switch(what == nullptr ? "all" : what, is_on);
}

}  // namespace
}  // namespace meridian

extern "C" {
extern const meridian_user_api meridian_user_1 [[gnu::visibility("default")]];
const meridian_user_api meridian_user_1{sizeof(meridian_user_api), 0, &meridian::define_for_program, &meridian::set};
}
