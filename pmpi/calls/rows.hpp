// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How wrappers follow from the column `recorded` of mpi_calls.def: C's in calls/wrappers.cpp, Fortran's in
// fortran/entry.hpp.

#define MERIDIAN_CAT(a, b) MERIDIAN_CAT_(a, b)
#define MERIDIAN_CAT_(a, b) a##b

/// The form of a row, determined by its outermost word: with_status, by_hand, c_only, no_f08; for all others plain.
#define MERIDIAN_FORM(recorded) MERIDIAN_SECOND_OR_PLAIN(MERIDIAN_FORM_##recorded)
#define MERIDIAN_SECOND_OR_PLAIN(...) MERIDIAN_SECOND(__VA_ARGS__, plain, ~)
#define MERIDIAN_SECOND(first, second, ...) second
#define MERIDIAN_FORM_WithStatus(...) ~, with_status
#define MERIDIAN_FORM_ByHand(...) ~, by_hand
#define MERIDIAN_FORM_COnly(...) ~, c_only
#define MERIDIAN_FORM_NoF08(...) ~, no_f08

/// The recorded data, without that word.
#define MERIDIAN_INNER(recorded) MERIDIAN_INNER_##recorded
#define MERIDIAN_INNER_WithStatus(...) __VA_ARGS__
#define MERIDIAN_INNER_COnly(...) __VA_ARGS__
#define MERIDIAN_INNER_NoF08(...) __VA_ARGS__

// In a row, the null communicator means "no parent". Open MPI's is an address that is known only at run time.
#include <mpi.h>
#undef MPI_COMM_NULL
#define MPI_COMM_NULL g_mpi.comm_null
