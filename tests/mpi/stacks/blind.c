// SPDX-License-Identifier: Apache-2.0
#include "paths.h"

__attribute__((noinline)) void blind(void (*call)(void)) {
  call();
  KEEP;
}
