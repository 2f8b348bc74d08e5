// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "summary/summary.hpp"

namespace meridian {

/// The summary as tables of comma-separated values (RFC 4180 quoting, lines end with "
/// "), described in docs/SUMMARY.md. A blank line separates the tables; each begins with its column names. The first
/// column is `section` and holds the table's name in every row. Control characters in names are escaped as by
/// printable().
std::string summary_csv(const Summary& summary);

}  // namespace meridian
