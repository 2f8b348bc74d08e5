// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Stores which files are loaded where, one text "module" each, so that return addresses can be resolved later. Only
/// those that were not stored before. Cold: takes the dynamic linker's lock.
void store_modules() noexcept;

}  // namespace meridian
