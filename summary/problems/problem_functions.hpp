// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "summary/summary.hpp"

namespace meridian {

/// For each problem with a rank as its cause: in which functions of the program that rank spends more time than the others, in
/// the problem's text and in the table of problem_functions. Only where the samples tell: an excess of two standard errors, which
/// explains a part of the cost.
void name_functions(Summary& summary);

}  // namespace meridian
