// SPDX-License-Identifier: Apache-2.0
#pragma once

// Regions and markers of other annotations as user events of the trace. Without a tracer in the process nothing happens.

#include "include/meridian/user_abi.h"

namespace meridian::annotations {

/// The gate of a definition; null: there is no tracer, or it is not ready yet. `level`: "kokkos", "nvtx" or "itt", for
/// MERIDIAN_LEVELS. Names are cut after kMostNameBytes.
const meridian_gate* gate_of(int kind, const char* level, const char* name) noexcept;

/// Begins or ends the region of a gate, or records its marker, if the gate is open. Null: nothing.
void record(const meridian_gate* gate, unsigned what) noexcept;

/// Regions of the calling thread, which end in reverse order; pop() ends the one that was begun last, if any is open.
void push(const char* level, const char* name) noexcept;
void pop() noexcept;

void mark(const char* level, const char* name) noexcept;

/// Switches recording in the whole process.
void switch_recording(bool is_on) noexcept;

}  // namespace meridian::annotations
