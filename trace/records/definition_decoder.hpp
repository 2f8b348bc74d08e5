// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/records/record.hpp"

namespace meridian {

/// Stores the records of one slot other than calls in the tables of its rank. Texts and lists of members can continue
/// over several records.
class DefinitionDecoder {
 public:
  explicit DefinitionDecoder(RankMeta& meta) : meta_{meta} {}

  /// Another thread has taken over the slot: no record continues the previous one.
  void begin_thread();
  /// Takes a record of `thread` with its complete fixed part. False: it is damaged, or belongs to no table.
  bool take(const Record& record, std::uint32_t thread);
  /// Adds the communicator that a call of `thread` created; none if its handle is 0 or the call failed.
  void take_birth(const Record& record, std::uint32_t thread);

  /// Rows are stored as indexes into the tables, which are saved with them.
  template <class Archive>
  void archive(Archive& archive) {
    archive_flag(archive, is_text_open_);
    for (std::size_t* row : {&last_text_, &last_birth_, &last_members_}) archive_row(archive, *row);
  }
  /// Whether the tables have the rows to which a restored decoder refers.
  bool is_consistent() const noexcept;

 private:
  bool take_members(const Record& record);
  bool take_text(const Record& record);

  static constexpr std::size_t kNone = SIZE_MAX;
  RankMeta& meta_;
  bool is_text_open_ = false;  // the next text with the same key continues the last one
  std::size_t last_text_ = kNone;
  std::size_t last_birth_ = kNone;
  std::size_t last_members_ = kNone;
};

/// Call after the last record. Definitions of user events are stored as texts, because only texts can exceed a record:
/// they become RankMeta::user_definitions, by id. The resulting order does not depend on when rings were drained.
void complete_tables(RankMeta& meta);

}  // namespace meridian
