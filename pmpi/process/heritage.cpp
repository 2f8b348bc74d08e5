// SPDX-License-Identifier: Apache-2.0
#include "pmpi/process/heritage.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/model/options.hpp"

namespace meridian {

void read_heritage(Heritage& heritage) noexcept {
  heritage = {};
  const char* const value = getenv(kSpawnedVariable.data());
  const char* const colon = value != nullptr ? strchr(value, ':') : nullptr;
  if (colon == nullptr || colon == value || colon - value >= static_cast<std::ptrdiff_t>(sizeof heritage.token)) return;
  if (colon[1] != '/' || strlen(colon + 1) >= sizeof heritage.directory) return;
  memcpy(heritage.token, value, static_cast<std::size_t>(colon - value));
  memcpy(heritage.directory, colon + 1, strlen(colon + 1));
}

bool find_spawned_config(char* path, std::size_t room) noexcept {
  Heritage heritage;
  read_heritage(heritage);
  char* const slash = strrchr(heritage.directory, '/');
  if (slash == nullptr) return false;
  *slash = '\0';
  return snprintf(path, room, "%s/%s", heritage.directory, kSpawnedConfig.data()) < static_cast<int>(room);
}

}  // namespace meridian
