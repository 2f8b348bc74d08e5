// SPDX-License-Identifier: Apache-2.0
// Takes the place of the other files of this folder in a build without libotf2.
#include "import/import.hpp"

namespace meridian {

Result<Imported> import_otf2(const std::filesystem::path&, const std::filesystem::path&, const ImportProgress&) {
  return Error{Errc::unsupported, "this build of meridian has no OTF2",
               "install libotf2 (Debian: libotf2-trace-dev) and build again"};
}

}  // namespace meridian
