// SPDX-License-Identifier: Apache-2.0
#include "merger/output/wait_table.hpp"

#include <utility>

#include "merger/output/write_numbers.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {

Status WaitTable::append(const EventWait& wait) { return waits_.append({wait.row, wait.causer, wait.ns, wait.kind}); }

Status WaitTable::store() {
  const h5::Quiet quiet;
  is_stored_ = true;
  const ColumnParent file{file_, pool_};
  MERIDIAN_TRY(auto links, LongTableWriter<StoredLink>::create(file, kWaits, kWaitLinkColumns));
  MERIDIAN_TRY(auto rows, LongTableWriter<StoredWait>::create(file, kWaits, kWaitColumns));
  MERIDIAN_TRY(NumberWriter blocks, create_numbers(file, kIndexWait));
  std::uint64_t last = 0;
  const auto difference = [](std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); };
  const auto take = [&](const Wait& wait) -> Status {
    if (links.size() % kIndexRows == 0) MERIDIAN_TRY_DO(blocks.push(static_cast<std::int64_t>(wait.key)));
    MERIDIAN_TRY_DO(
        links.push({difference(wait.key, std::exchange(last, wait.key)), difference(wait.causer, wait.key), 0}));
    return rows.push({wait.ns, static_cast<std::int32_t>(wait.kind)});
  };
  MERIDIAN_TRY_DO(waits_.drain(take));
  MERIDIAN_TRY_DO(links.finish());
  MERIDIAN_TRY_DO(rows.finish());
  MERIDIAN_TRY_DO(blocks.finish());
  MERIDIAN_TRY_DO(pool_->drain());
  if (H5Fflush(file_, H5F_SCOPE_LOCAL) < 0) return h5::failure(Errc::io, "cannot write the waits");
  return {};
}

}  // namespace meridian
