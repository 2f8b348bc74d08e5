// Merges synthetic halo exchanges of growing length: calls per second (rank files to merged file, all passes) and peak
// memory, which must not grow with the trace. One line per size.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "merger/merge.hpp"
#include "synthetic_patterns.hpp"

int main(int argc, char** argv) {
  std::vector<double> millions;
  for (int i = 1; i < argc; ++i) millions.push_back(std::atof(argv[i]));
  if (millions.empty()) millions = {1, 8};
  constexpr std::int32_t kRanks = 4;
  for (const double million : millions) {
    const meridian::test::TempDir directory;
    const auto steps = static_cast<std::uint64_t>(million * 1e6 / (9.1 * kRanks));
    const std::uint64_t calls = meridian::test::write_halo(directory.path(), kRanks, steps);
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome = meridian::merge(directory.path());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (!outcome) {
      std::fprintf(stderr, "%s\n", outcome.error().what.c_str());
      return 1;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%9llu calls  %6.3f s  %5.2f M calls/s  %5.1f B/call in the merged file  peak %ld MB\n",
                static_cast<unsigned long long>(calls), taken.count(), static_cast<double>(calls) / taken.count() / 1e6,
                static_cast<double>(std::filesystem::file_size(outcome->path)) / static_cast<double>(calls),
                usage.ru_maxrss / 1024);
  }
}
