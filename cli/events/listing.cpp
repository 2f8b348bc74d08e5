// SPDX-License-Identifier: Apache-2.0
#include "cli/events/listing.hpp"

#include <memory>
#include <string>

#include "cli/events/event_text.hpp"
#include "query/event_walk.hpp"
#include "query/trace_tables.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

bool has_call(const EventFilter& filter, const MergedEvent& event) {
  const bool is_function =
      filter.functions.empty() || (event.call < filter.functions.size() && filter.functions[event.call]);
  return is_function && (!filter.thread || *filter.thread == event.thread);
}

bool passes(const EventFilter& filter, const EventTableRow& row) {
  return has_call(filter, row.event) && row.event.duration_ns >= filter.least_ns &&
         (!filter.peer || *filter.peer == row.event.peer);
}

bool passes(const EventFilter& filter, const WaitRow& row) {
  return has_call(filter, row.event) && row.wait.ns >= filter.least_ns &&
         (!filter.peer || (row.has_causer() && *filter.peer == row.causer.rank));
}

std::vector<std::string> text_cells(const EventTableRow& row) {
  return event_text_cells(row.event, *row.names, row.fields);
}

std::vector<std::string> text_cells(const WaitRow& row) {
  return {call_label(row.event),
          moment_text(row.start_ns),
          human_duration(static_cast<double>(row.wait.ns) * 1e-9),
          function_text(row.event, *row.names),
          std::string{kWaitKindNames[static_cast<std::size_t>(row.wait.kind)]},
          row.has_causer() ? call_label(row.causer) : std::string{},
          row.has_causer() ? function_text(row.causer, *row.names) : std::string{}};
}

Status no_value(Result<bool> result) { return result ? Status{} : Status{std::move(result).error()}; }

/// Gives the rows that pass the filter to `take`, until that is enough.
template <class Row>
Status take_rows(RowSource& source, const EventFilter& filter, auto&& take) {
  std::uint64_t rows = 0;
  while (rows < filter.most_rows) {
    MERIDIAN_TRY(const bool has_row, source.next());
    if (!has_row) break;
    const Row& row = *static_cast<const Row*>(source.row());
    if (!passes(filter, row)) continue;
    ++rows;
    MERIDIAN_TRY(const bool is_more_wanted, take(row));
    if (!is_more_wanted) break;
  }
  return {};
}

template <class Row>
Status list(const QueryTrace& trace, const QueryTable& table, const EventFilter& filter, ResultForm form,
            OutputBuffer& output, const std::vector<Table::Column>& text_columns) {
  MERIDIAN_TRY(const std::unique_ptr<RowSource> source, table.open(trace, filter.window));
  if (form == ResultForm::text) {
    LongTextTable text{output, text_columns};
    MERIDIAN_TRY_DO(take_rows<Row>(*source, filter, [&](const Row& row) { return text.add(text_cells(row)); }));
    MERIDIAN_TRY_DO(text.finish());
    return no_value(output.flush());
  }
  const auto writer = make_result_writer(form, output);
  std::vector<std::string> names;
  for (const QueryColumn& column : table.columns) names.emplace_back(column.column.name);
  MERIDIAN_TRY_DO(writer->begin(names));
  std::vector<QueryValue> values(names.size());
  MERIDIAN_TRY_DO(take_rows<Row>(*source, filter, [&](const Row& row) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = query_value(table.columns[i].column, &row);
    return writer->row(values);
  }));
  return writer->finish();
}

}  // namespace

Status list_events(const QueryTrace& trace, const EventFilter& filter, ResultForm form, OutputBuffer& output) {
  return list<EventTableRow>(trace, events_table(), filter, form, output, event_text_columns());
}

Status list_waits(const QueryTrace& trace, const EventFilter& filter, ResultForm form, OutputBuffer& output) {
  return list<WaitRow>(trace, waits_table(), filter, form, output,
                       {{"call", Align::left},
                        {"wait begins (s)"},
                        {"waited"},
                        {"function", Align::left, Shortening::function},
                        {"kind", Align::left},
                        {"for", Align::left},
                        {"which called", Align::left, Shortening::function}});
}

}  // namespace meridian
