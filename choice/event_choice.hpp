// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "choice/row_bits.hpp"
#include "choice/selection.hpp"
#include "merged/merged_trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The rows that an export or edit keeps: those selected, and the calls at the other end of their messages and collectives.
class EventChoice {
 public:
  /// Reads all events, messages and participants once. scratch: folder for unnamed temporary files.
  static Result<EventChoice> make(const MergedTrace& trace, const TraceSelection& selection,
                                  const std::filesystem::path& scratch,
                                  const std::function<void(double, std::string_view)>& progress);

  bool keeps(std::uint64_t row) const noexcept { return kept_.has(row); }
  /// Messages and collectives are shown with all their ends if one of them is selected.
  bool shows_message(std::uint64_t number) const noexcept { return messages_.has(number); }
  bool shows_instance(std::uint64_t instance) const noexcept { return instances_.has(instance); }

  std::uint64_t kept() const noexcept { return kept_.count(); }
  std::uint64_t shown_messages() const noexcept { return messages_.count(); }
  std::uint64_t shown_instances() const noexcept { return instances_.count(); }

 private:
  EventChoice(RowBits kept, RowBits messages, RowBits instances)
      : kept_{std::move(kept)}, messages_{std::move(messages)}, instances_{std::move(instances)} {}
  RowBits kept_, messages_, instances_;
};

}  // namespace meridian
