// SPDX-License-Identifier: Apache-2.0
#include "merger/output/merged_output.hpp"

#include "merged/model/merged_schema.hpp"
#include "merger/output/wait_table.hpp"
#include "summary/summary_file.hpp"
#include "trace/format/tables/table.hpp"

namespace meridian {

Result<CounterTable> CounterTable::create(ColumnParent file, const std::vector<std::string>& names,
                                          const std::vector<std::string>& units) {
  MERIDIAN_TRY_DO(h5::write_strings(file.id, "counters/name", names));
  MERIDIAN_TRY_DO(h5::write_strings(file.id, "counters/unit", units));
  MERIDIAN_TRY(NumberWriter event_step, create_numbers(file, kCounterEvents));
  MERIDIAN_TRY(auto counts, LongTableWriter<StoredCount>::create(file, kCounters, kCountColumns));
  return CounterTable{std::move(event_step), std::move(counts)};
}

Status CounterTable::append(std::uint64_t row, std::span<const StoredCount> counts) {
  MERIDIAN_TRY_DO(event_step_.push(static_cast<std::int64_t>(row - std::exchange(last_row_, row))));
  for (const StoredCount& count : counts) MERIDIAN_TRY_DO(counts_.push(count));
  return {};
}

Status CounterTable::finish() {
  MERIDIAN_TRY_DO(event_step_.finish());
  return counts_.finish();
}

Result<MergedOutput> MergedOutput::create(const std::filesystem::path& path) {
  const h5::Quiet quiet;
  std::filesystem::path name = path;
  name += ".part";
  MERIDIAN_TRY(h5::File file, h5::create_file(name));
  PartFile part{std::move(name)};
  MERIDIAN_TRY_DO(h5::write_attribute(file.get(), "schema", kMergedSchema));
  MERIDIAN_TRY_DO(h5::write_attribute(file.get(), "version", kMergedSchemaVersion));
  MERIDIAN_TRY(std::shared_ptr<TempFile> scratch, TempFile::create(path.parent_path()));
  return MergedOutput{path, std::move(part), std::move(file), std::move(scratch)};
}

Status MergedOutput::begin_counters(const std::vector<std::string>& names, const std::vector<std::string>& units) {
  MERIDIAN_TRY(counters_, CounterTable::create(columns(), names, units));
  return {};
}

Status MergedOutput::finish(const RowMap& map, Summary& summary, const Analyse& analyse) {
  const h5::Quiet quiet;
  const hid_t file = file_.get();
  MERIDIAN_TRY_DO(pool_->drain());
  if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0) return h5::failure(Errc::io, "cannot write the events");
  MERIDIAN_TRY_DO(messages_.write(columns(), map));
  MERIDIAN_TRY_DO(collectives_.write(columns(), map));
  MERIDIAN_TRY_DO(awaited_.write(columns(), map));
  MERIDIAN_TRY_DO(user_values_.write(columns(), map));
  if (counters_) MERIDIAN_TRY_DO(counters_->finish());
  MERIDIAN_TRY_DO(pool_->drain());
  WaitTable waits{file, *pool_, scratch_};
  if (analyse) {
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0) return h5::failure(Errc::io, "cannot write the merged file");
    MERIDIAN_TRY_DO(analyse(file, waits, summary));
  }
  if (!waits.is_stored()) MERIDIAN_TRY_DO(waits.store());
  MERIDIAN_TRY_DO(write_summary(file, summary));
  if (h5::exists(file, "summary/findings") &&
      H5Lcreate_hard(file, "summary/findings", file, "findings", H5P_DEFAULT, H5P_DEFAULT) < 0)
    return h5::failure(Errc::io, "cannot link '/findings'");
  MERIDIAN_TRY_DO(h5::put_in_place(file_, part_.path(), path_));
  part_.release();
  return {};
}

}  // namespace meridian
