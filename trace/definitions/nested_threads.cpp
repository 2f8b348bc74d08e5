// SPDX-License-Identifier: Apache-2.0
#include "trace/definitions/nested_threads.hpp"

#include <charconv>

#include "trace/model/event.hpp"

namespace meridian {

std::map<std::uint32_t, std::uint32_t> nested_threads(const RankMeta& meta) {
  std::map<std::uint32_t, std::uint32_t> around;  // one depth less
  for (const TextRow& text : meta.texts) {
    std::uint32_t outer = 0;
    const char* const end = text.value.data() + text.value.size();
    const auto thread = static_cast<std::uint32_t>(text.handle);
    if (text.key != kInsideKey || std::from_chars(text.value.data(), end, outer).ec != std::errc{}) continue;
    if (outer < thread) around[thread] = outer;  // otherwise the text is damaged
  }
  // An outer thread has a lower number and is resolved before.
  for (auto& [thread, outer] : around)
    if (const auto outermost = around.find(outer); outermost != around.end()) outer = outermost->second;
  return around;
}

}  // namespace meridian
