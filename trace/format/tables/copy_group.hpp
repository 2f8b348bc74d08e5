// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format/tables/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian::h5 {

/// Copies the attributes, groups and datasets of a group (or of a file's root) into another, empty group. Compressed chunks are
/// copied as they are. Not H5Ocopy(), which in HDF5 1.10 crashes where reading or writing fails.
///
/// errors  damaged: something cannot be read, or is of a kind that our files do not have (links, lists of varying length,
///         data in other files); io: it cannot be written. After an error the new group is not complete.
Status copy_group(hid_t from, hid_t to);

}  // namespace meridian::h5
