// SPDX-License-Identifier: Apache-2.0
#include "export/formats.hpp"

#include "export/chrome.hpp"
#include "export/csv.hpp"
#include "export/folded.hpp"
#include "export/otf2.hpp"
#include "export/paje.hpp"
#include "export/paraver.hpp"
#include "export/perfetto.hpp"
#include "export/text.hpp"

namespace meridian {
namespace {

constexpr ExportFormat kFormats[] = {
    {"csv", "comma-separated values: events, messages, participants of collectives",
     "events.csv messages.csv collectives.csv", export_csv},
    {"chrome", "trace events in JSON, for chrome://tracing, ui.perfetto.dev and the like", "trace.json", export_chrome,
     true},
    {"folded", "samples of functions by their path, for flame graphs (FlameGraph, Speedscope)", "trace.folded",
     export_folded, true},
    {"otf2", "Open Trace Format 2, for Vampir, Scalasca and the like", "traces.otf2 traces.def traces", export_otf2},
    {"paje", "Paje, for ViTE and PajeNG", "trace.paje", export_paje},
    {"paraver", "Paraver: events, communications, labels", "trace.prv trace.pcf trace.row", export_paraver},
    {"perfetto", "protocol buffers for ui.perfetto.dev", "trace.perfetto-trace", export_perfetto, true},
    {"text", "lines of text by the rules of a file: --rules", "trace.txt", export_text, false, true},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

}  // namespace meridian
