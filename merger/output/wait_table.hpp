// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "merged/model/wait_sink.hpp"
#include "trace/containers/sorted_spool.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/format/chunks/chunk_pool.hpp"
#include "trace/format/tables/column.hpp"

namespace meridian {

/// Sorts waits on disk, and writes /waits. Without store() the table is not written.
class WaitTable final : public WaitSink {
 public:
  /// pool  of `file`, which outlives the table
  WaitTable(hid_t file, ChunkPool& pool, std::shared_ptr<TempFile> scratch)
      : file_{file}, pool_{&pool}, waits_{std::move(scratch)} {}
  Status append(const EventWait& wait) override;
  Status store() override;
  bool is_stored() const noexcept { return is_stored_; }

 private:
  struct Wait {
    std::uint64_t key = 0;  // row
    std::uint64_t causer = 0;
    std::int64_t ns = 0;
    WaitKind kind{};
  };

  hid_t file_;
  ChunkPool* pool_;
  SortedSpool<Wait> waits_;
  bool is_stored_ = false;
};

}  // namespace meridian
