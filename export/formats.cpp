// SPDX-License-Identifier: Apache-2.0
#include "export/formats.hpp"

#include "export/csv.hpp"

namespace meridian {
namespace {

constexpr ExportFormat kFormats[] = {
    {"csv", "comma-separated values: events, messages, participants of collectives",
     "events.csv messages.csv collectives.csv", export_csv},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

}  // namespace meridian
