// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys of the texts of a rank about samples (MERIDIAN_SAMPLES).

namespace meridian {

/// Value: the reason as the kernel names it, "EACCES: perf_event_paranoid is 3". The rank has no or fewer samples.
inline constexpr const char* kSamplesRefusedKey = "samples.refused";
/// The thread (the handle) has computed without a sample, because it blocks the signal that takes them. Value: nothing.
inline constexpr const char* kSamplesBlockedKey = "samples.blocked";
/// Value: the reason why the kernel does not let the writer read which lines of Python the samples are in.
inline constexpr const char* kPythonRefusedKey = "samples.python_refused";
/// Value: number of samples that the kernel dropped, because its buffer was full.
inline constexpr const char* kSamplesLostKey = "samples.lost";
/// Value: processor time of a thread (the handle) in ns that its samples stand for: the sum of their steps.
inline constexpr const char* kSamplesProcessorKey = "samples.processor_ns";
/// Value: the reason why the kernel says of no or not all threads when they had a processor, although it permits samples.
inline constexpr const char* kProcessorRefusedKey = "processor.refused";
/// Value: number of switches between threads that the kernel dropped, because its buffer was full.
inline constexpr const char* kProcessorLostKey = "processor.lost";

}  // namespace meridian
