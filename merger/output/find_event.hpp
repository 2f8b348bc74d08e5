#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "merger/event_ref.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A call of the merged file.
struct FoundEvent {
  EventRef ref;
  std::string call;
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
};

/// Looks calls up by rank, thread and number; in the order given.
/// errors  not_found: there is no such call; damaged, io.
Result<std::vector<FoundEvent>> find_events(const std::filesystem::path& merged, const std::vector<EventRef>& refs);

}  // namespace meridian
