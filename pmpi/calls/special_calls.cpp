// hot
// SPDX-License-Identifier: Apache-2.0

// Calls whose arguments have to be changed on their way: a status of our own in place of MPI_STATUS_IGNORE, because the
// source, tag and size of what was received are in the status alone.

#include "pmpi/calls/record_receive.hpp"
#include "pmpi/calls/traced.hpp"

#define MERIDIAN_EXPORT extern "C" [[gnu::visibility("default")]]

namespace meridian {
namespace {

/// The status to hand on: the caller's, or `own` where it wants none.
[[gnu::always_inline]] inline MPI_Status* seen(MPI_Status* status, MPI_Status& own) noexcept {
  return status != MPI_STATUS_IGNORE ? status : &own;
}

}  // namespace

using record::Exchanged;
using record::MatchedProbe;
using record::MatchedReceive;
using record::Receive;

// Plain and large-count forms differ in the type of their counts alone.
#define MERIDIAN_RECEIVING_CALLS(suffix, Count)                                                                        \
  MERIDIAN_IF(                                                                                                         \
      MERIDIAN_HAS_Recv##suffix,                                                                                       \
      MERIDIAN_EXPORT int MPI_Recv##suffix(void* buf, Count count, MPI_Datatype datatype, int source, int tag,         \
                                           MPI_Comm comm, MPI_Status* status) {                                        \
        MPI_Status own;                                                                                                \
        status = seen(status, own);                                                                                    \
        return traced<CallId::Recv##suffix>(Receive{count, datatype, source, tag, comm, status}, [&] {                 \
          return g_real.Recv##suffix(buf, count, datatype, source, tag, comm, status);                                 \
        });                                                                                                            \
      })                                                                                                               \
  MERIDIAN_IF(                                                                                                         \
      MERIDIAN_HAS_Mrecv##suffix, MERIDIAN_EXPORT int MPI_Mrecv##suffix(void* buf, Count count, MPI_Datatype datatype, \
                                                                        MPI_Message* message, MPI_Status* status) {    \
        MPI_Status own;                                                                                                \
        status = seen(status, own);                                                                                    \
        return traced<CallId::Mrecv##suffix>(MatchedReceive{count, datatype, message, status, nullptr}, [&] {          \
          return g_real.Mrecv##suffix(buf, count, datatype, message, status);                                          \
        });                                                                                                            \
      })                                                                                                               \
  MERIDIAN_IF(                                                                                                         \
      MERIDIAN_HAS_Imrecv##suffix,                                                                                     \
      MERIDIAN_EXPORT int MPI_Imrecv##suffix(void* buf, Count count, MPI_Datatype datatype, MPI_Message* message,      \
                                             MPI_Request* request) {                                                   \
        return traced<CallId::Imrecv##suffix>(MatchedReceive{count, datatype, message, nullptr, request}, [&] {        \
          return g_real.Imrecv##suffix(buf, count, datatype, message, request);                                        \
        });                                                                                                            \
      })                                                                                                               \
  MERIDIAN_IF(                                                                                                         \
      MERIDIAN_HAS_Sendrecv##suffix,                                                                                   \
      MERIDIAN_EXPORT int MPI_Sendrecv##suffix(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest,  \
                                               int sendtag, void* recvbuf, Count recvcount, MPI_Datatype recvtype,     \
                                               int source, int recvtag, MPI_Comm comm, MPI_Status* status) {           \
        MPI_Status own;                                                                                                \
        status = seen(status, own);                                                                                    \
        return traced<CallId::Sendrecv##suffix>(Exchanged{{sendcount, sendtype, dest, sendtag, comm, nullptr},         \
                                                          {recvcount, recvtype, source, recvtag, comm, nullptr},       \
                                                          status},                                                     \
                                                [&] {                                                                  \
                                                  return g_real.Sendrecv##suffix(                                      \
                                                      sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, \
                                                      recvtype, source, recvtag, comm, status);                        \
                                                });                                                                    \
      })                                                                                                               \
  MERIDIAN_IF(                                                                                                         \
      MERIDIAN_HAS_Sendrecv_replace##suffix, MERIDIAN_EXPORT int MPI_Sendrecv_replace##suffix(                         \
                                                 void* buf, Count count, MPI_Datatype datatype, int dest, int sendtag, \
                                                 int source, int recvtag, MPI_Comm comm, MPI_Status* status) {         \
        MPI_Status own;                                                                                                \
        status = seen(status, own);                                                                                    \
        return traced<CallId::Sendrecv_replace##suffix>(Exchanged{{count, datatype, dest, sendtag, comm, nullptr},     \
                                                                  {count, datatype, source, recvtag, comm, nullptr},   \
                                                                  status},                                             \
                                                        [&] {                                                          \
                                                          return g_real.Sendrecv_replace##suffix(                      \
                                                              buf, count, datatype, dest, sendtag, source, recvtag,    \
                                                              comm, status);                                           \
                                                        });                                                            \
      })                                                                                                               \
  MERIDIAN_IF(                                                                                                         \
      MERIDIAN_HAS_Isendrecv##suffix,                                                                                  \
      MERIDIAN_EXPORT int MPI_Isendrecv##suffix(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, \
                                                int sendtag, void* recvbuf, Count recvcount, MPI_Datatype recvtype,    \
                                                int source, int recvtag, MPI_Comm comm, MPI_Request* request) {        \
        return traced<CallId::Isendrecv##suffix>(Exchanged{{sendcount, sendtype, dest, sendtag, comm, request},        \
                                                           {recvcount, recvtype, source, recvtag, comm, request},      \
                                                           nullptr},                                                   \
                                                 [&] {                                                                 \
                                                   return g_real.Isendrecv##suffix(                                    \
                                                       sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,           \
                                                       recvcount, recvtype, source, recvtag, comm, request);           \
                                                 });                                                                   \
      })                                                                                                               \
  MERIDIAN_IF(                                                                                                         \
      MERIDIAN_HAS_Isendrecv_replace##suffix,                                                                          \
      MERIDIAN_EXPORT int MPI_Isendrecv_replace##suffix(void* buf, Count count, MPI_Datatype datatype, int dest,       \
                                                        int sendtag, int source, int recvtag, MPI_Comm comm,           \
                                                        MPI_Request* request) {                                        \
        return traced<CallId::Isendrecv_replace##suffix>(Exchanged{{count, datatype, dest, sendtag, comm, request},    \
                                                                   {count, datatype, source, recvtag, comm, request},  \
                                                                   nullptr},                                           \
                                                         [&] {                                                         \
                                                           return g_real.Isendrecv_replace##suffix(                    \
                                                               buf, count, datatype, dest, sendtag, source, recvtag,   \
                                                               comm, request);                                         \
                                                         });                                                           \
      })

MERIDIAN_RECEIVING_CALLS(, int)
MERIDIAN_RECEIVING_CALLS(_c, MPI_Count)

MERIDIAN_EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  status = seen(status, own);
  return traced<CallId::Probe>(Receive{0, g_mpi.datatype_null, source, tag, comm, status},
                               [&] { return g_real.Probe(source, tag, comm, status); });
}

MERIDIAN_EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  MPI_Status own;
  status = seen(status, own);
  return traced<CallId::Iprobe>(Receive{0, g_mpi.datatype_null, source, tag, comm, status, flag},
                                [&] { return g_real.Iprobe(source, tag, comm, flag, status); });
}

MERIDIAN_EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  MPI_Status own;
  status = seen(status, own);
  return traced<CallId::Mprobe>(MatchedProbe{source, tag, comm, status, message},
                                [&] { return g_real.Mprobe(source, tag, comm, message, status); });
}

MERIDIAN_EXPORT int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                                MPI_Status* status) {
  MPI_Status own;
  status = seen(status, own);
  return traced<CallId::Improbe>(MatchedProbe{source, tag, comm, status, message, flag},
                                 [&] { return g_real.Improbe(source, tag, comm, flag, message, status); });
}

}  // namespace meridian
