// SPDX-License-Identifier: Apache-2.0
#include "merger/output/merged_file.hpp"

#include <string>
#include <utility>
#include <vector>

#include "merger/output/event_table.hpp"
#include "merger/output/merged_definitions.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {

struct MergedFileWriter::Impl {
  MergedOutput output;
  EventTable events;
};

MergedFileWriter::MergedFileWriter(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
MergedFileWriter::MergedFileWriter(MergedFileWriter&&) noexcept = default;
MergedFileWriter& MergedFileWriter::operator=(MergedFileWriter&&) noexcept = default;
MergedFileWriter::~MergedFileWriter() = default;

Result<MergedFileWriter> MergedFileWriter::create(const std::filesystem::path& path, const Trace& trace) {
  const h5::Quiet quiet;
  MERIDIAN_TRY(MergedOutput output, MergedOutput::create(path));
  MERIDIAN_TRY(EventTable events, EventTable::create(output.columns(), trace, path.parent_path()));
  return MergedFileWriter{std::unique_ptr<Impl>{new Impl{std::move(output), std::move(events)}}};
}

void MergedFileWriter::add_paths(std::span<const std::uint32_t> sites) { impl_->events.add_paths(sites); }

Status MergedFileWriter::append(std::span<const EventRow> rows) { return impl_->events.append(rows); }

Status MergedFileWriter::append(std::span<const MatchedMessage> rows) {
  return impl_->output.messages().append(rows, impl_->events);
}

Status MergedFileWriter::append(std::span<const CollectivePart> rows) {
  return impl_->output.collectives().append(rows, impl_->events);
}

Status MergedFileWriter::append(std::span<const AwaitedCall> rows) {
  return impl_->output.awaited().append(rows, impl_->events);
}

Status MergedFileWriter::append(const EventRef& event, std::span<const std::uint64_t> words) {
  MERIDIAN_TRY(const std::uint64_t slot, impl_->events.slot(event));
  for (const std::uint64_t word : words) impl_->output.user_values().append({slot, word});
  return {};
}

Status MergedFileWriter::seal_user_values() { return impl_->output.user_values().seal(); }

Status MergedFileWriter::write_counter_names(const CounterTotals& totals) {
  return impl_->output.begin_counters(totals.names, totals.units);
}

Status MergedFileWriter::append(const CounterRows& rows) {
  const std::size_t counters = rows.sequence.empty() ? 0 : rows.value.size() / rows.sequence.size();
  std::vector<StoredCount> counts(counters);
  for (std::size_t i = 0; i < rows.sequence.size(); ++i) {
    MERIDIAN_TRY(const std::uint64_t slot, impl_->events.slot({rows.rank, rows.thread, rows.sequence[i]}));
    for (std::size_t c = 0; c < counters; ++c)
      counts[c] = {rows.value[i * counters + c], rows.between[i * counters + c]};
    MERIDIAN_TRY_DO(impl_->output.counters().append(impl_->events.rows().row(slot), counts));
  }
  impl_->events.rows().release_pages();
  return {};
}

Status MergedFileWriter::write_definitions(const Trace& trace, std::span<const SourcePlace> places) {
  return write_merged_definitions(impl_->output.id(), definitions_of(trace, places), trace.clocks.bounds);
}

std::int64_t MergedFileWriter::id() const { return impl_->output.id(); }

Status MergedFileWriter::write_clocks(const ClockReport& report) {
  return write_clock_report(impl_->output.id(), report);
}

Status MergedFileWriter::finish(Summary& summary, const Analyse& analyse) {
  const h5::Quiet quiet;
  MERIDIAN_TRY_DO(impl_->events.finish());
  return impl_->output.finish(impl_->events.rows(), summary, analyse);
}

}  // namespace meridian
