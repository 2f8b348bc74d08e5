// SPDX-License-Identifier: Apache-2.0
// Variables and lines of a configuration file.

#include "tests/fuzz/fuzz_target.hpp"
#include "trace/model/options.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  const std::string text(reinterpret_cast<const char*>(data), size);
  OptionValues values = default_options();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line{text.data() + at, end - at};
    for (const Setting& setting : {parse_setting(line), parse_variable(line)})
      if (setting.is_ours) (void)assign(values, setting.key, setting.value, OptionSource::file);
    at = end + 1;
  }
  return 0;
}
