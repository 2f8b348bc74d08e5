// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The procedures that Fortran calls, as C functions: each takes so many words and hands them to one expression.

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
#define MERIDIAN_CAT(a, b) MERIDIAN_CAT_(a, b)
#define MERIDIAN_CAT_(a, b) a##b
#define MERIDIAN_TEXT(name) MERIDIAN_TEXT_(name)
#define MERIDIAN_TEXT_(name) #name

/// Words of the Fortran call whose C parameters are given.
#define MERIDIAN_WORDS(...) MERIDIAN_WORDS_(__VA_ARGS__, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4)
#define MERIDIAN_WORDS_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, words, ...) words

/// Defines procedure `symbol`, which takes `count` words. `call` sees `next`, the definition that ours stands before,
/// and `words`, the arguments.
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

/// A procedure of mpif.h and the module mpi, under every name that compilers make of `lower`.
#define MERIDIAN_F77(Result, lower, UPPER, count, call)                                                          \
  MERIDIAN_PROCEDURE(Result, MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), _), count, call)                            \
  MERIDIAN_ALSO(Result, MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), _), MERIDIAN_CAT(mpi_, lower), count)            \
  MERIDIAN_ALSO(Result, MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), _), MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), __), \
                count)                                                                                           \
  MERIDIAN_ALSO(Result, MERIDIAN_CAT(MERIDIAN_CAT(mpi_, lower), _), MERIDIAN_CAT(MPI_, UPPER), count)

// What the C call returns, Fortran returns too, unless it is the error.
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

/// What a row that C's special_calls.cpp and requests.cpp write by hand records: here it follows from the arguments,
/// too. ByHand(): it does not, see requests.cpp, init.cpp and spawn.cpp.
#define MERIDIAN_SPECIAL_Recv Receive(count, datatype, source, tag, comm, status)
#define MERIDIAN_SPECIAL_Mrecv MatchedReceive(count, datatype, message, status, nullptr)
#define MERIDIAN_SPECIAL_Imrecv MatchedReceive(count, datatype, message, nullptr, request)
#define MERIDIAN_SPECIAL_Sendrecv                                       \
  Exchanged(Message(sendcount, sendtype, dest, sendtag, comm, nullptr), \
            Message(recvcount, recvtype, source, recvtag, comm, nullptr), status)
#define MERIDIAN_SPECIAL_Sendrecv_replace                           \
  Exchanged(Message(count, datatype, dest, sendtag, comm, nullptr), \
            Message(count, datatype, source, recvtag, comm, nullptr), status)
#define MERIDIAN_SPECIAL_Isendrecv                                      \
  Exchanged(Message(sendcount, sendtype, dest, sendtag, comm, request), \
            Message(recvcount, recvtype, source, recvtag, comm, request), nullptr)
#define MERIDIAN_SPECIAL_Isendrecv_replace                          \
  Exchanged(Message(count, datatype, dest, sendtag, comm, request), \
            Message(count, datatype, source, recvtag, comm, request), nullptr)
#define MERIDIAN_SPECIAL_Recv_c MERIDIAN_SPECIAL_Recv
#define MERIDIAN_SPECIAL_Mrecv_c MERIDIAN_SPECIAL_Mrecv
#define MERIDIAN_SPECIAL_Imrecv_c MERIDIAN_SPECIAL_Imrecv
#define MERIDIAN_SPECIAL_Sendrecv_c MERIDIAN_SPECIAL_Sendrecv
#define MERIDIAN_SPECIAL_Sendrecv_replace_c MERIDIAN_SPECIAL_Sendrecv_replace
#define MERIDIAN_SPECIAL_Isendrecv_c MERIDIAN_SPECIAL_Isendrecv
#define MERIDIAN_SPECIAL_Isendrecv_replace_c MERIDIAN_SPECIAL_Isendrecv_replace
#define MERIDIAN_SPECIAL_Probe Receive(0, g_mpi.datatype_null, source, tag, comm, status)
#define MERIDIAN_SPECIAL_Iprobe Receive(0, g_mpi.datatype_null, source, tag, comm, status, flag)
#define MERIDIAN_SPECIAL_Mprobe MatchedProbe(source, tag, comm, status, message)
#define MERIDIAN_SPECIAL_Improbe MatchedProbe(source, tag, comm, status, message, flag)
#define MERIDIAN_SPECIAL_Wait OneRequest(request, status, nullptr)
#define MERIDIAN_SPECIAL_Test OneRequest(request, status, flag)
#define MERIDIAN_SPECIAL_Start AboutRequest(request)
#define MERIDIAN_SPECIAL_Cancel AboutRequest(request)
#define MERIDIAN_SPECIAL_Request_free AboutRequest(request)
#define MERIDIAN_SPECIAL_Request_get_status Local()
#define MERIDIAN_SPECIAL_Request_get_status_all Local()
#define MERIDIAN_SPECIAL_Request_get_status_any Local()
#define MERIDIAN_SPECIAL_Request_get_status_some Local()
#define MERIDIAN_SPECIAL_Abort ByHand()
#define MERIDIAN_SPECIAL_Session_init ByHand()
#define MERIDIAN_SPECIAL_Session_finalize ByHand()
#define MERIDIAN_SPECIAL_Waitall ByHand()
#define MERIDIAN_SPECIAL_Waitany ByHand()
#define MERIDIAN_SPECIAL_Waitsome ByHand()
#define MERIDIAN_SPECIAL_Testall ByHand()
#define MERIDIAN_SPECIAL_Testany ByHand()
#define MERIDIAN_SPECIAL_Testsome ByHand()
#define MERIDIAN_SPECIAL_Startall ByHand()
#define MERIDIAN_SPECIAL_Init ByHand()
#define MERIDIAN_SPECIAL_Init_thread ByHand()
#define MERIDIAN_SPECIAL_Finalize ByHand()
#define MERIDIAN_SPECIAL_Pcontrol ByHand()
#define MERIDIAN_SPECIAL_Comm_spawn ByHand()
#define MERIDIAN_SPECIAL_Comm_spawn_multiple ByHand()

// Fortran has no argc and argv to pass: by hand, too.
#undef MERIDIAN_HAS_F77_Info_create_env
#undef MERIDIAN_HAS_F08_Info_create_env
#define MERIDIAN_HAS_F77_Info_create_env 0
#define MERIDIAN_HAS_F08_Info_create_env 0

// MERIDIAN_FORTRAN_ROW: use(type, name, params, recorded) for a row of the table, with the expression from above where
// the table says Special(), and nothing where that is ByHand().
#define MERIDIAN_SECOND(first, second, ...) second
#define MERIDIAN_SECOND_OR_0(...) MERIDIAN_SECOND(__VA_ARGS__, 0, ~)
#define MERIDIAN_PROBE_Special() ~, 1
#define MERIDIAN_PROBE_ByHand() ~, 1
#define MERIDIAN_FORTRAN_ROW(use, type, name, params, recorded) \
  MERIDIAN_CAT(MERIDIAN_ROW_, MERIDIAN_SECOND_OR_0(MERIDIAN_PROBE_##recorded))(use, type, name, params, recorded)
#define MERIDIAN_ROW_0(use, type, name, params, recorded) use(type, name, params, recorded)
#define MERIDIAN_ROW_1(use, type, name, params, recorded) \
  MERIDIAN_SPECIAL_ROW(use, type, name, params, MERIDIAN_SPECIAL_##name)
#define MERIDIAN_SPECIAL_ROW(use, type, name, params, recorded) MERIDIAN_SPECIAL_ROW_(use, type, name, params, recorded)
#define MERIDIAN_SPECIAL_ROW_(use, type, name, params, recorded)                       \
  MERIDIAN_CAT(MERIDIAN_SPECIAL_ROW_, MERIDIAN_SECOND_OR_0(MERIDIAN_PROBE_##recorded)) \
  (use, type, name, params, recorded)
#define MERIDIAN_SPECIAL_ROW_0(use, type, name, params, recorded) use(type, name, params, recorded)
#define MERIDIAN_SPECIAL_ROW_1(use, type, name, params, recorded)

// A procedure written by hand as `function`(next, words), in all its forms. `taken`: words of the call.
#define MERIDIAN_BY_HAND_F77(name, taken, function) \
  MERIDIAN_IF(MERIDIAN_HAS_F77_##name,              \
              MERIDIAN_F77(void, MERIDIAN_LOWER_##name, MERIDIAN_UPPER_##name, taken, (function(next, words))))
#define MERIDIAN_BY_HAND_F08(name, taken, function) \
  MERIDIAN_IF(MERIDIAN_HAS_F08_##name, MERIDIAN_PROCEDURE(void, MERIDIAN_F08_##name, taken, (function(next, words))))
#define MERIDIAN_BY_HAND(name, taken, function) \
  MERIDIAN_BY_HAND_F77(name, taken, function)   \
  MERIDIAN_BY_HAND_F08(name, taken, function)

// In a row, the null communicator stands for "no parent". Open MPI's is an address that is known at run time only.
#undef MPI_COMM_NULL
#define MPI_COMM_NULL g_mpi.comm_null
