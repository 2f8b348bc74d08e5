// The clock report in the merged file: a group of columns for each of its tables.

#include <algorithm>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "merger/clocks/clock_report.hpp"
#include "trace/format/column.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 24;  // far more than report_clocks() makes

template <class Row, class T>
struct Field {
  const char* name;
  T Row::*member;
  const char* unit;
  const char* text;
};
template <class Row, class T>
Field(const char*, T Row::*, const char*, const char*) -> Field<Row, T>;

template <class T, bool = std::is_enum_v<T>>
struct StoredType {
  using Type = T;
};
template <class T>
struct StoredType<T, true> {
  using Type = std::underlying_type_t<T>;
};
template <class T>
using Stored = typename StoredType<T>::Type;

constexpr std::tuple kFit{
    Field{"domain", &ClockFitPoint::domain, "", "clock_domain of /ranks; ascends"},
    Field{"time_ns", &ClockFitPoint::time_ns, "ns", "global"},
    Field{"correction_ns", &ClockFitPoint::correction_ns, "ns", "added to the line between start and end"},
    Field{"drift_ppm", &ClockFitPoint::drift_ppm, "ppm", "from here to the next point"},
};
constexpr std::tuple kSamples{
    Field{"domain", &ClockSamplePoint::domain, "", "clock_domain of /ranks; ascends"},
    Field{"other", &ClockSamplePoint::other, "", "domain at the other end"},
    Field{"kind", &ClockSamplePoint::kind, "", "0: a round trip, 1: the correction is at least this, 2: at most this"},
    Field{"time_ns", &ClockSamplePoint::time_ns, "ns", "global; ascends within a domain"},
    Field{"correction_ns", &ClockSamplePoint::correction_ns, "ns", "that the sample asks for"},
    Field{"residual_ns", &ClockSamplePoint::residual_ns, "ns", "that, less the fitted one"},
};
constexpr std::tuple kRoundTrips{
    Field{"from", &RoundTripRow::from, "", "domain that asked"},
    Field{"to", &RoundTripRow::to, "", "domain that answered"},
    Field{"count", &RoundTripRow::count, "", ""},
    Field{"min_ns", &RoundTripRow::min_ns, "ns", "without the time that the other side held them"},
    Field{"p25_ns", &RoundTripRow::p25_ns, "ns", ""},
    Field{"median_ns", &RoundTripRow::median_ns, "ns", ""},
    Field{"p75_ns", &RoundTripRow::p75_ns, "ns", ""},
    Field{"p99_ns", &RoundTripRow::p99_ns, "ns", ""},
    Field{"max_ns", &RoundTripRow::max_ns, "ns", ""},
};
constexpr std::tuple kLengths{
    Field{"length_ns", &RoundTripBin::length_ns, "ns", "least of the bin, which ends 2^(1/8) times as far"},
    Field{"count", &RoundTripBin::count, "", "round trips of all pairs"},
};
constexpr std::tuple kLoops{
    Field{"from", &ClockLoop::from, "", "domain"},
    Field{"to", &ClockLoop::to, "", "domain"},
    Field{"is_messages", &ClockLoop::is_messages, "", "1: from messages both ways, 0: from round trips"},
    Field{"time_ns", &ClockLoop::time_ns, "ns", "global"},
    Field{"line_ns", &ClockLoop::line_ns, "ns", "direct offset less that of lines composed along the path"},
    Field{"fit_ns", &ClockLoop::fit_ns, "ns", "direct offset less that of the clocks as corrected"},
    Field{"doubt_ns", &ClockLoop::doubt_ns, "ns", "half of the smallest round trip"},
};

template <class Row, class T>
Status write_field(hid_t file, const std::string& group, const Field<Row, T>& field, const std::vector<Row>& rows) {
  std::vector<Stored<T>> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(static_cast<Stored<T>>(row.*field.member));
  MERIDIAN_TRY(ColumnWriter column,
               ColumnWriter::create(file, group + "/" + field.name, column_type<Stored<T>>,
                                    {.is_narrow = true, .unit = field.unit, .description = field.text}));
  MERIDIAN_TRY_DO(column.append(std::span<const Stored<T>>{values}));
  return column.finish();
}

template <class Row, class T>
Status read_field(hid_t file, const std::string& group, const Field<Row, T>& field, std::vector<Row>& rows) {
  const std::string path = group + "/" + field.name;
  MERIDIAN_TRY(ColumnReader column, ColumnReader::open(file, path));
  if (rows.empty()) rows.resize(static_cast<std::size_t>(std::min(column.size(), kMostRows)));
  if (column.size() != rows.size())
    return Error{Errc::damaged, "column '" + path + "' is longer or shorter than the others of its group",
                 "make the merged file again with `meridian merge`"};
  std::vector<Stored<T>> values(rows.size());
  MERIDIAN_TRY_DO(column.read(0, std::span<Stored<T>>{values}));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*field.member = static_cast<T>(values[i]);
  return {};
}

/// Calls action(field) for each, until one fails.
template <class Fields, class Action>
Status for_each_field(const Fields& fields, Action&& action) {
  return std::apply(
      [&](const auto&... field) {
        Status status;
        (void)((status = action(field), bool{status}) && ...);
        return status;
      },
      fields);
}

/// Calls action(name of the group, fields, rows) for each table.
template <class Report, class Action>
Status for_each_table(Report& report, Action&& action) {
  MERIDIAN_TRY_DO(action("clocks/fit", kFit, report.fit));
  MERIDIAN_TRY_DO(action("clocks/samples", kSamples, report.samples));
  MERIDIAN_TRY_DO(action("clocks/round_trips", kRoundTrips, report.round_trips));
  MERIDIAN_TRY_DO(action("clocks/round_trip_lengths", kLengths, report.lengths));
  return action("clocks/loops", kLoops, report.loops);
}

}  // namespace

Status write_clock_report(hid_t file, const ClockReport& report) {
  return for_each_table(report, [&](const std::string& group, const auto& fields, const auto& rows) {
    return for_each_field(fields, [&](const auto& field) { return write_field(file, group, field, rows); });
  });
}

Result<ClockReport> read_clock_report(const std::filesystem::path& merged) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(merged));
  ClockReport report;
  MERIDIAN_TRY_DO(for_each_table(report, [&](const std::string& group, const auto& fields, auto& rows) {
    if (!h5::exists(file.get(), group)) return Status{};
    return for_each_field(fields, [&](const auto& field) { return read_field(file.get(), group, field, rows); });
  }));
  return report;
}

}  // namespace meridian
