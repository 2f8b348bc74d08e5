// SPDX-License-Identifier: Apache-2.0
// write_sample NAME json|csv|text, or NAME h5 PATH: one of the hand-made summaries, for readers that are not ours.

#include <cstdio>
#include <map>
#include <string>

#include "cli/summary/csv.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/summary_file.hpp"
#include "tests/unit/summary/sample_summaries.hpp"
#include "trace/format/tables/h5.hpp"

namespace {

using namespace meridian;

int write_file(const Summary& summary, const std::string& path) {
  auto file = h5::create_file(path);
  if (!file) return 1;
  const Status written = write_summary(file->get(), summary);
  const Status closed = h5::close_file(*file, path);
  if (!written) std::fprintf(stderr, "%s\n", written.error().what.c_str());
  return written && closed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, Summary (*)()> samples{{"empty_run", &samples::empty_run},
                                                     {"one_rank", &samples::one_rank},
                                                     {"four_ranks", &samples::four_ranks},
                                                     {"counted", &samples::counted},
                                                     {"ten_thousand_ranks", &samples::ten_thousand_ranks},
                                                     {"hostile", &samples::hostile}};
  const auto sample = samples.find(argc > 2 ? argv[1] : "");
  if (sample == samples.end()) return 1;
  const Summary summary = sample->second();
  const std::string format = argv[2];
  if (format == "h5") return argc > 3 ? write_file(summary, argv[3]) : 1;
  const std::string text = format == "json"  ? summary_json(summary)
                           : format == "csv" ? summary_csv(summary)
                                             : summary_text(summary, Paint{false});
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
