// SPDX-License-Identifier: Apache-2.0
#pragma once

// Summaries made by hand, for tests of output and storage.

#include "summary/summary.hpp"

namespace meridian::samples {

/// A run that recorded nothing.
Summary empty_run();

/// One rank, mostly computing, two functions.
Summary one_rank();

/// Four ranks on two hosts; rank 3 computes twice as long as the others, one message was not received.
Summary four_ranks();

/// Two ranks that counted instructions, cycles and time; their surroundings and what they used.
Summary counted();

/// The four ranks as a program of one that started two, of which one started another, with a program of a long name.
Summary several_worlds();

/// 10 000 ranks on 100 hosts, a ring; every number is a function of the rank.
Summary ten_thousand_ranks();

/// Everything that a damaged or malicious trace can hold: escape sequences, broken UTF-8, numbers that are none.
Summary hostile();

}  // namespace meridian::samples
