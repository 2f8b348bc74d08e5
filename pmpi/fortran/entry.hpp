// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The procedures that Fortran calls, as C functions: each takes a number of words and passes them to one expression.

#include "pmpi/calls/rows.hpp"
#include "pmpi/fortran/call.hpp"

// Parameters and array elements w0, w1... A Fortran call has kExtraWords more words than the C call has parameters.
#define MERIDIAN_TAKE_3 Word w0, Word w1, Word w2
#define MERIDIAN_GIVE_3 w0, w1, w2
#define MERIDIAN_TAKE_4 MERIDIAN_TAKE_3, Word w3
#define MERIDIAN_GIVE_4 MERIDIAN_GIVE_3, w3
#define MERIDIAN_TAKE_5 MERIDIAN_TAKE_4, Word w4
#define MERIDIAN_GIVE_5 MERIDIAN_GIVE_4, w4
#define MERIDIAN_TAKE_6 MERIDIAN_TAKE_5, Word w5
#define MERIDIAN_GIVE_6 MERIDIAN_GIVE_5, w5
#define MERIDIAN_TAKE_7 MERIDIAN_TAKE_6, Word w6
#define MERIDIAN_GIVE_7 MERIDIAN_GIVE_6, w6
#define MERIDIAN_TAKE_8 MERIDIAN_TAKE_7, Word w7
#define MERIDIAN_GIVE_8 MERIDIAN_GIVE_7, w7
#define MERIDIAN_TAKE_9 MERIDIAN_TAKE_8, Word w8
#define MERIDIAN_GIVE_9 MERIDIAN_GIVE_8, w8
#define MERIDIAN_TAKE_10 MERIDIAN_TAKE_9, Word w9
#define MERIDIAN_GIVE_10 MERIDIAN_GIVE_9, w9
#define MERIDIAN_TAKE_11 MERIDIAN_TAKE_10, Word w10
#define MERIDIAN_GIVE_11 MERIDIAN_GIVE_10, w10
#define MERIDIAN_TAKE_12 MERIDIAN_TAKE_11, Word w11
#define MERIDIAN_GIVE_12 MERIDIAN_GIVE_11, w11
#define MERIDIAN_TAKE_13 MERIDIAN_TAKE_12, Word w12
#define MERIDIAN_GIVE_13 MERIDIAN_GIVE_12, w12
#define MERIDIAN_TAKE_14 MERIDIAN_TAKE_13, Word w13
#define MERIDIAN_GIVE_14 MERIDIAN_GIVE_13, w13
#define MERIDIAN_TAKE_15 MERIDIAN_TAKE_14, Word w14
#define MERIDIAN_GIVE_15 MERIDIAN_GIVE_14, w14
#define MERIDIAN_TAKE_16 MERIDIAN_TAKE_15, Word w15
#define MERIDIAN_GIVE_16 MERIDIAN_GIVE_15, w15
#define MERIDIAN_TAKE_17 MERIDIAN_TAKE_16, Word w16
#define MERIDIAN_GIVE_17 MERIDIAN_GIVE_16, w16
#define MERIDIAN_TEXT(name) MERIDIAN_TEXT_(name)
#define MERIDIAN_TEXT_(name) #name

/// Number of words of the Fortran call with these C parameters.
#define MERIDIAN_WORDS(...) MERIDIAN_WORDS_(__VA_ARGS__, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4)
#define MERIDIAN_WORDS_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, words, ...) words

/// Defines procedure `symbol`, which takes `count` words. `call` can use `next`, the next definition, and `words`, the
/// arguments.
#define MERIDIAN_PROCEDURE(Result, symbol, count, call) MERIDIAN_PROCEDURE_(Result, symbol, count, call)
#define MERIDIAN_PROCEDURE_(Result, symbol, count, call)                                         \
  extern "C" [[gnu::visibility("default")]] Result symbol(MERIDIAN_CAT(MERIDIAN_TAKE_, count)) { \
    static constinit NextProcedure next{MERIDIAN_TEXT(symbol)};                                  \
    Word words[]{MERIDIAN_CAT(MERIDIAN_GIVE_, count)};                                           \
    return call;                                                                                 \
  }
#define MERIDIAN_ALSO(Result, symbol, other, count) MERIDIAN_ALSO_(Result, symbol, other, count)
#define MERIDIAN_ALSO_(Result, symbol, other, count) \
  extern "C" [[gnu::visibility("default"), gnu::alias(#symbol)]] Result other(MERIDIAN_CAT(MERIDIAN_TAKE_, count));

/// A procedure of mpif.h and the module mpi, under every name that compilers generate for `lower`.
#define MERIDIAN_F77(Result, lower, UPPER, count, call)                                                          \
  MERIDIAN_PROCEDURE(Result, MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), _), count, call)                            \
  MERIDIAN_ALSO(Result, MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), _), MERIDIAN_CAT(mpi_, lower), count)            \
  MERIDIAN_ALSO(Result, MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), _), MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), __), \
                count)                                                                                           \
  MERIDIAN_ALSO(Result, MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), _), MERIDIAN_CAT(MPI_, UPPER), count)

// Fortran returns the value of the C call unless it is the error.
namespace meridian::fortran {
template <class Result>
struct Returned {
  using Type = Result;
};
template <>
struct Returned<int> {
  using Type = void;
};
}  // namespace meridian::fortran
#define MERIDIAN_RETURNED(type) typename meridian::fortran::Returned<type>::Type

// MERIDIAN_FORTRAN_ROW: use(type, name, params, recorded) for a row of the table, unless its wrapper is handwritten
// (requests.cpp, init.cpp, spawn.cpp). A status of ours needs no form of its own: see arguments.hpp.
#define MERIDIAN_FORTRAN_ROW(use, type, name, params, recorded) \
  MERIDIAN_CAT(MERIDIAN_FORTRAN_, MERIDIAN_FORM(recorded))(use, type, name, params, recorded)
#define MERIDIAN_FORTRAN_plain(use, type, name, params, recorded) use(type, name, params, recorded)
#define MERIDIAN_FORTRAN_with_status(use, type, name, params, recorded) \
  use(type, name, params, MERIDIAN_INNER(recorded))
#define MERIDIAN_FORTRAN_no_f08(use, type, name, params, recorded) use(type, name, params, MERIDIAN_INNER(recorded))
#define MERIDIAN_FORTRAN_by_hand(use, type, name, params, recorded)
#define MERIDIAN_FORTRAN_c_only(use, type, name, params, recorded)

// A handwritten procedure `function`(next, words), in all its forms. `taken`: words of the call.
#define MERIDIAN_BY_HAND_F77(name, taken, function) \
  MERIDIAN_IF(MERIDIAN_HAS_F77_##name,              \
              MERIDIAN_F77(void, MERIDIAN_LOWER_##name, MERIDIAN_UPPER_##name, taken, (function(next, words))))
#define MERIDIAN_BY_HAND_F08(name, taken, function) \
  MERIDIAN_IF(MERIDIAN_HAS_F08_##name, MERIDIAN_PROCEDURE(void, MERIDIAN_F08_##name, taken, (function(next, words))))
#define MERIDIAN_BY_HAND(name, taken, function) \
  MERIDIAN_BY_HAND_F77(name, taken, function)   \
  MERIDIAN_BY_HAND_F08(name, taken, function)
