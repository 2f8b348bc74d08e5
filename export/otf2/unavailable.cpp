// SPDX-License-Identifier: Apache-2.0
// Takes the place of the other files of this folder in a build without libotf2.
#include "export/otf2.hpp"

namespace meridian {

Status export_otf2(ExportSource&, ExportSink&) {
  return Error{Errc::unsupported, "this build of meridian has no OTF2",
               "install libotf2 (Debian: libotf2-trace-dev) and build again, or choose another --format"};
}

}  // namespace meridian
