// SPDX-License-Identifier: Apache-2.0
#include "writer/kept_part.hpp"

#include <algorithm>

namespace meridian {

std::uint64_t KeptPart::surplus(std::uint64_t spool_bytes, std::uint64_t now_ns) {
  if (bytes_ != 0) return spool_bytes >= 2 * bytes_ ? spool_bytes - bytes_ : 0;
  if (marks_.empty() || now_ns - marks_.back().time_ns >= ns_ / kMarks) marks_.push_back({spool_bytes, now_ns});
  std::uint64_t old_bytes = 0;
  for (const Mark& mark : marks_)
    if (now_ns - mark.time_ns >= ns_) old_bytes = mark.bytes;
  return old_bytes >= std::max(kLeastBytes, spool_bytes / 2) ? old_bytes : 0;
}

void KeptPart::drop(std::uint64_t bytes) {
  while (!marks_.empty() && marks_.front().bytes <= bytes) marks_.pop_front();
  for (Mark& mark : marks_) mark.bytes -= bytes;
}

}  // namespace meridian
