// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Stores the files that are loaded and their addresses, one text "module" each, so that return addresses can be
/// resolved later. Omits files that are already stored. Cold: takes the dynamic linker's lock.
void store_modules() noexcept;

}  // namespace meridian
