// SPDX-License-Identifier: Apache-2.0
// A program that `meridian run` looks into.

#include "cli/run/elf_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const meridian::fuzz::InputFile input{data, size};
  if (const auto elf = meridian::read_elf(input.path()))
    for (const std::string& name : elf->needed)
      if (name.size() > size) std::abort();
  return 0;
}
