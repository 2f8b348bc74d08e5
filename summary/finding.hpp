// SPDX-License-Identifier: Apache-2.0
#pragma once

// A flaw of a trace.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

enum class Severity : std::uint8_t { info = 0, data_loss = 1, error = 2 };
inline constexpr std::array<std::string_view, 3> kSeverityNames{"info", "data_loss", "error"};

/// A flaw of the trace. Name, severity, text and remedy come from merger/model/findings.def.
struct Finding {
  std::string name;
  Severity severity{};
  std::uint64_t count = 0;
  std::string text;    ///< description of the flaw
  std::string remedy;  ///< action for the user
  std::string detail;  ///< the first affected objects; may be empty

  template <class Row = Finding>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "of the finding"),
      column<&Row::severity>("severity", "", "info, data_loss, error").with_words(kSeverityNames),
      column<&Row::count>("count", "", "cases"),
      column<&Row::text>("text", "", "what it is"),
      column<&Row::remedy>("remedy", "", "what to do"),
      column<&Row::detail>("detail", "", "the first cases"),
  };
};

}  // namespace meridian
