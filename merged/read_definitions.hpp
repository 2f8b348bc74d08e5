// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merged/model/definitions.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// errors  damaged: a table is missing, or the columns of one differ in length; io.
Result<MergedDefinitions> read_definitions(hid_t file);

}  // namespace meridian
