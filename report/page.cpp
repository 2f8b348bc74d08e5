// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "report/data/encoding.hpp"
#include "report/data/page_clocks.hpp"
#include "report/page_files.hpp"
#include "report/private_names.hpp"
#include "summary/summary_tables.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

/// JSON that no HTML parser mistakes for markup: ASCII, without "<", ">" and "&".
std::string inert(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string data_element(std::string_view id, const std::string& text) {
  std::string element = "<script type=\"application/json\" id=\"";
  element += id;
  element += "\">";
  element += text;
  return element + "</script>\n";
}

/// Names, headings and columns of tables, and how many rows they have.
template <class Wanted>
Json describe_tables(const Summary& summary, Wanted wanted) {
  Json list = Json::array();
  for (const SummaryTable& table : summary_tables()) {
    if ((table.outputs & kInJson) == 0 || table.shape == SummaryTable::Shape::one_row || !wanted(table)) continue;
    Json& added = list.emplace_back(Json{{"name", table.name}, {"text", table.text}, {"rows", table.count(summary)}});
    if (table.heading != nullptr) added["heading"] = table.heading;
    Json& columns = added["columns"] = Json::array();
    for (const AnyColumn& column : table.columns)
      if (column.is_shown_in(kInJson))
        columns.push_back({{"name", column.name}, {"unit", column.unit}, {"text", column.text}});
  }
  return list;
}

void replace_mark(std::string& page, std::string_view mark, std::string_view text) {
  if (const std::size_t at = page.find(mark); at != std::string::npos) page.replace(at, mark.size(), text);
}

/// shows  the part of the report that the page consists of: "all", "clocks", "runs"
std::string put_together(std::string_view mark, std::string_view shows, Json tables, const Json& timeline,
                         const PageText& text) {
  Json about{{"title", text.title},
             {"headline", text.headline},
             {"version", text.version},
             {"shows", shows},
             {"is_served", text.is_served},
             {"is_profile", text.is_profile},
             {"rows_of_tables", kMostPageRows},
             {"tables", std::move(tables)}};
  if (text.beside)
    about["beside"] = {
        {"origin_s", text.beside->origin_s}, {"before_s", text.beside->before_s}, {"after_s", text.beside->after_s}};
  std::string data = data_element("data-about", inert(about));
  std::string packed_summary{'"'};
  packed_summary += packed_text(text.summary_json);
  packed_summary += '"';
  data += data_element("data-summary", packed_summary);
  data += data_element("data-timeline", inert(timeline));

  std::string scripts;
  for (const PageFile& script : page_scripts()) {
    scripts += "<script>\n";
    scripts += script.text;
    scripts += "</script>\n";
  }
  std::string page{mark};
  page += page_markup();
  // The data come last: nothing in them is taken for a mark.
  std::string style{"<style>\n"};
  style += page_style();
  style += "</style>";
  replace_mark(page, "<!-- style -->", style);
  replace_mark(page, "<!-- scripts -->", scripts);
  replace_mark(page, "<!-- data -->", data);
  return page;
}

}  // namespace

Result<std::string> report_page(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows,
                                const PageText& text, const PageProgress& progress, const PageBudget& budget) {
  MERIDIAN_TRY(Json timeline, page_timeline(trace, summary, rows, budget, progress));
  PageText shown = text;
  if (text.is_private) {
    const PrivateNames names{summary};
    names.apply_to_timeline(timeline);
    Json about_run = Json::parse(text.summary_json);
    names.apply_to_summary(about_run);
    shown.summary_json = about_run.dump();
    shown.headline = names.in(text.headline);
  }
  return put_together(kPageMark, "all", describe_tables(summary, [](const SummaryTable&) { return true; }), timeline,
                      shown);
}

std::string runs_page(const PageText& text, std::span<const std::string> pages) {
  Json packed = Json::array();
  for (const std::string& page : pages) packed.push_back(packed_text(page));
  return put_together(kPageMark, "runs", Json::array(), packed, text);
}

Result<std::string> clock_page(const MergedTrace& trace, const Summary& summary, const PageText& text) {
  std::int64_t begin_ns = 0;
  if (trace.events() > 0) {
    MERIDIAN_TRY(const MergedEvent first, trace.event(0));
    begin_ns = first.enter_ns;
  }
  const double length_ns = std::clamp(summary.run.time_s * kNsPerSecond, 1.0, 9e18);
  Json timeline{{"begin_ns", begin_ns}, {"end_ns", begin_ns + static_cast<std::int64_t>(length_ns)}};
  MERIDIAN_TRY(timeline["bounds"], page_bounds(trace));
  MERIDIAN_TRY(timeline["clocks"], page_clocks(trace));
  const auto is_on_clocks = [](const SummaryTable& table) {
    const std::string_view name{table.name};
    return name == "clocks" || name == "clock_models";
  };
  return put_together(kClockPageMark, "clocks", describe_tables(summary, is_on_clocks), timeline, text);
}

}  // namespace meridian
