// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/format/rank_file.hpp"
#include "trace/format/state_archive.hpp"
#include "trace/records/record.hpp"

namespace meridian {

/// Puts the records of one slot that are not calls into the tables of its rank. Texts and lists of members go on over
/// several records.
class DefinitionDecoder {
 public:
  explicit DefinitionDecoder(RankMeta& meta) : meta_{meta} {}

  /// Another thread has taken over the slot: nothing of the one before goes on.
  void begin_thread();
  /// A record of `thread` that has its fixed part. False: it is damaged, or belongs to no table.
  bool take(const Record& record, std::uint32_t thread);
  /// The communicator that a call of `thread` made; none, if its handle is 0 or the call failed.
  void take_birth(const Record& record, std::uint32_t thread);

  /// Rows by their numbers in the tables: these are saved with them.
  template <class Archive>
  void archive(Archive& archive) {
    archive_flag(archive, is_text_open_);
    for (std::size_t* row : {&last_text_, &last_birth_, &last_members_}) archive_row(archive, *row);
  }
  /// Whether the tables have the rows that a restored decoder goes on with.
  bool is_consistent() const noexcept;

 private:
  bool take_members(const Record& record);
  bool take_text(const Record& record);

  static constexpr std::size_t kNone = SIZE_MAX;
  RankMeta& meta_;
  bool is_text_open_ = false;  // the next text of the same key goes on with the last
  std::size_t last_text_ = kNone;
  std::size_t last_birth_ = kNone;
  std::size_t last_members_ = kNone;
};

/// Once all records were taken. Definitions of user events come as texts, because only texts can be longer than a
/// record: they become RankMeta::user_definitions, by id. Then no order depends on when rings were drained.
void complete_tables(RankMeta& meta);

}  // namespace meridian
