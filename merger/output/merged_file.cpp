// SPDX-License-Identifier: Apache-2.0
#include "merger/output/merged_file.hpp"

#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "merger/containers/temp_file.hpp"
#include "merger/output/event_table.hpp"
#include "merger/output/link_tables.hpp"
#include "merger/output/merged_definitions.hpp"
#include "merger/output/wait_table.hpp"
#include "summary/summary_file.hpp"
#include "trace/format/chunks/chunk_pool.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/table.hpp"
#include "trace/format/tables/temporary_files.hpp"

namespace meridian {
namespace {

/// The columns of /counters, which exist only if the trace has counters.
struct CounterColumns {
  NumberWriter event_step;
  LongTableWriter<StoredCount> counts;
  std::uint64_t last_row = 0;

  Status finish() {
    MERIDIAN_TRY_DO(event_step.finish());
    return counts.finish();
  }
};

Result<CounterColumns> open_counters(ColumnParent file) {
  MERIDIAN_TRY(NumberWriter event_step, create_numbers(file, kCounterEvents));
  MERIDIAN_TRY(auto counts, LongTableWriter<StoredCount>::create(file, kCounters, kCountColumns));
  return CounterColumns{std::move(event_step), std::move(counts)};
}

/// Removes the file unless it is released.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path) : path_{std::move(path)} {}
  PartFile(PartFile&& other) noexcept : path_{other.release()} {}
  PartFile& operator=(PartFile&&) = delete;
  ~PartFile() {
    std::error_code ignored;
    if (path_.empty()) return;
    std::filesystem::remove(path_, ignored);
    forget_temporary_file(path_);
  }
  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path release() noexcept { return std::exchange(path_, {}); }

 private:
  std::filesystem::path path_;
};

}  // namespace

struct MergedFileWriter::Impl {
  std::filesystem::path path;
  PartFile part;  // removed after the file is closed
  h5::File file;
  std::unique_ptr<ChunkPool> pool;
  std::shared_ptr<TempFile> scratch;
  EventTable events;
  MessageLinks messages;
  CollectiveLinks collectives;
  AwaitedLinks awaited;
  std::optional<CounterColumns> counters;

  ColumnParent columns() const { return {file.get(), pool.get()}; }
};

MergedFileWriter::MergedFileWriter(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
MergedFileWriter::MergedFileWriter(MergedFileWriter&&) noexcept = default;
MergedFileWriter& MergedFileWriter::operator=(MergedFileWriter&&) noexcept = default;
MergedFileWriter::~MergedFileWriter() = default;

Result<MergedFileWriter> MergedFileWriter::create(const std::filesystem::path& path, const Trace& trace) {
  const h5::Quiet quiet;
  std::filesystem::path name = path;
  name += ".part";
  MERIDIAN_TRY(h5::File file, h5::create_file(name));
  PartFile part{std::move(name)};
  MERIDIAN_TRY_DO(h5::write_attribute(file.get(), "schema", kMergedSchema));
  MERIDIAN_TRY_DO(h5::write_attribute(file.get(), "version", kMergedSchemaVersion));
  auto pool = std::make_unique<ChunkPool>();
  MERIDIAN_TRY(EventTable events, EventTable::create({file.get(), pool.get()}, trace, path.parent_path()));
  MERIDIAN_TRY(const std::shared_ptr<TempFile> scratch, TempFile::create(path.parent_path()));
  return MergedFileWriter{std::unique_ptr<Impl>{new Impl{path,
                                                         std::move(part),
                                                         std::move(file),
                                                         std::move(pool),
                                                         scratch,
                                                         std::move(events),
                                                         MessageLinks{scratch},
                                                         CollectiveLinks{scratch},
                                                         AwaitedLinks{scratch},
                                                         {}}}};
}

void MergedFileWriter::add_paths(std::span<const std::uint32_t> sites) { impl_->events.add_paths(sites); }

Status MergedFileWriter::append(std::span<const EventRow> rows) { return impl_->events.append(rows); }

Status MergedFileWriter::append(std::span<const MatchedMessage> rows) {
  return impl_->messages.append(rows, impl_->events);
}

Status MergedFileWriter::append(std::span<const CollectivePart> rows) {
  return impl_->collectives.append(rows, impl_->events);
}

Status MergedFileWriter::append(std::span<const AwaitedCall> rows) {
  return impl_->awaited.append(rows, impl_->events);
}

Status MergedFileWriter::write_counter_names(const CounterTotals& totals) {
  const hid_t file = impl_->file.get();
  MERIDIAN_TRY_DO(h5::write_strings(file, "counters/name", totals.names));
  MERIDIAN_TRY_DO(h5::write_strings(file, "counters/unit", totals.units));
  MERIDIAN_TRY(impl_->counters, open_counters(impl_->columns()));
  return {};
}

Status MergedFileWriter::append(const CounterRows& rows) {
  CounterColumns& columns = *impl_->counters;
  const std::size_t counters = rows.sequence.empty() ? 0 : rows.value.size() / rows.sequence.size();
  for (std::size_t i = 0; i < rows.sequence.size(); ++i) {
    MERIDIAN_TRY(const std::uint64_t slot, impl_->events.slot({rows.rank, rows.thread, rows.sequence[i]}));
    const std::uint64_t row = impl_->events.row(slot);
    MERIDIAN_TRY_DO(columns.event_step.push(static_cast<std::int64_t>(row - std::exchange(columns.last_row, row))));
    for (std::size_t c = i * counters; c < (i + 1) * counters; ++c)
      MERIDIAN_TRY_DO(columns.counts.push({rows.value[c], rows.between[c]}));
  }
  impl_->events.release_pages();
  return {};
}

Status MergedFileWriter::write_definitions(const Trace& trace, std::span<const SourcePlace> places) {
  return write_merged_definitions(impl_->file.get(), trace, places);
}

Status MergedFileWriter::write_clocks(const ClockReport& report) {
  return write_clock_report(impl_->file.get(), report);
}

Status MergedFileWriter::finish(Summary& summary, const Analyse& analyse) {
  const h5::Quiet quiet;
  const hid_t file = impl_->file.get();
  MERIDIAN_TRY_DO(impl_->events.finish());
  MERIDIAN_TRY_DO(impl_->pool->drain());
  if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0) return h5::failure(Errc::io, "cannot write the events");
  MERIDIAN_TRY_DO(impl_->messages.write(impl_->columns(), impl_->events));
  MERIDIAN_TRY_DO(impl_->collectives.write(impl_->columns(), impl_->events));
  MERIDIAN_TRY_DO(impl_->awaited.write(impl_->columns(), impl_->events));
  if (impl_->counters) MERIDIAN_TRY_DO(impl_->counters->finish());
  MERIDIAN_TRY_DO(impl_->pool->drain());
  WaitTable waits{file, *impl_->pool, impl_->scratch};
  if (analyse) {
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0) return h5::failure(Errc::io, "cannot write the merged file");
    MERIDIAN_TRY_DO(analyse(file, waits, summary));
  }
  if (!waits.is_stored()) MERIDIAN_TRY_DO(waits.store());
  MERIDIAN_TRY_DO(write_summary(file, summary));
  if (h5::exists(file, "summary/findings") &&
      H5Lcreate_hard(file, "summary/findings", file, "findings", H5P_DEFAULT, H5P_DEFAULT) < 0)
    return h5::failure(Errc::io, "cannot link '/findings'");
  MERIDIAN_TRY_DO(h5::put_in_place(impl_->file, impl_->part.path(), impl_->path));
  impl_->part.release();
  return {};
}

}  // namespace meridian
