// SPDX-License-Identifier: Apache-2.0
#include "paths.h"

__attribute__((noinline)) void library_call(int deep, void (*call)(void)) {
  if (deep > 0)
    library_call(deep - 1, call);
  else
    call();
  KEEP;
}
