// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/query/result_writer.hpp"
#include "query/query_table.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Prints the calls that are connected with one another.
///
/// what    RANK:CALL or RANK.THREAD:CALL: a call with its messages, collectives and waits; message:NUMBER: both ends of a
///         message; collective:NUMBER: the calls of all ranks in it
/// errors  invalid_argument: none of these; not_found: the trace has no such thing; damaged, io
Status follow_call(const QueryTrace& trace, const std::string& what, ResultForm form, OutputBuffer& output);

}  // namespace meridian
