// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/call_id.hpp"

namespace meridian {

/// What may be missing from a trace because of a function whose calls are not recorded.
struct MissingEffect {
  bool sends = false;
  bool receives = false;
  bool collectives = false;
  bool comms = false;   ///< communicators are created
  bool others = false;  ///< requests, windows, files, or it is not known what
  bool is_any() const noexcept { return sends || receives || collectives || comms || others; }
};

MissingEffect effect_of(CallId call) noexcept;
/// name: "MPI_Send_c". For a name of a later standard, which the table does not have, it is a guess by its words. Local
/// functions, conversions of handles and the tool interface have no effect.
MissingEffect effect_of(std::string_view name) noexcept;

/// Functions with an effect whose calls through this file are not recorded.
struct UnrecordedCalls {
  std::string path;
  std::vector<std::string> names;  ///< ascending
};
/// The functions that the tracer does not wrap.
std::vector<UnrecordedCalls> unwrapped_calls(const RankMeta& meta);
/// Those, and functions of the program that hide the tracer's.
std::vector<UnrecordedCalls> unrecorded_calls(const RankMeta& meta);

}  // namespace meridian
