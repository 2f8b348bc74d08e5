// SPDX-License-Identifier: Apache-2.0
/* Built twice, as two shared objects: each has a call site of its own for the same definition. */
#include <meridian/user.h>

int plugin_work(int value) {
  MERIDIAN_REGION("plugin");
  MERIDIAN_EVENT(plugin, WORK, i64(value));
  return value + 1;
}
