// hot
// SPDX-License-Identifier: Apache-2.0

// Calls on arrays of requests. Which request is which message is not looked up here: the handle, as it was before the
// call, goes into the record, and the merger knows what it meant at that time.

#include "pmpi/calls/request_list.hpp"
#include "pmpi/calls/traced.hpp"

#define MERIDIAN_EXPORT extern "C" [[gnu::visibility("default")]]

namespace meridian {

MERIDIAN_EXPORT int MPI_Startall(int count, MPI_Request* requests) {
  return traced_list<CallId::Startall>({count, requests, MPI_STATUSES_IGNORE, Completes::all_started},
                                       [=](MPI_Status*) { return g_next.Startall(count, requests); });
}

MERIDIAN_EXPORT int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return traced_list<CallId::Waitall>({count, requests, statuses, Completes::all},
                                      [=](MPI_Status* seen) { return g_next.Waitall(count, requests, seen); });
}

MERIDIAN_EXPORT int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return traced_list<CallId::Testall>({count, requests, statuses, Completes::all, flag},
                                      [=](MPI_Status* seen) { return g_next.Testall(count, requests, flag, seen); });
}

MERIDIAN_EXPORT int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  return traced_list<CallId::Waitany>({count, requests, status, Completes::one, nullptr, nullptr, index},
                                      [=](MPI_Status* seen) { return g_next.Waitany(count, requests, index, seen); });
}

MERIDIAN_EXPORT int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  return traced_list<CallId::Testany>(
      {count, requests, status, Completes::one, flag, nullptr, index},
      [=](MPI_Status* seen) { return g_next.Testany(count, requests, index, flag, seen); });
}

MERIDIAN_EXPORT int MPI_Waitsome(int incount, MPI_Request* requests, int* outcount, int* indices,
                                 MPI_Status* statuses) {
  return traced_list<CallId::Waitsome>(
      {incount, requests, statuses, Completes::some, nullptr, outcount, indices},
      [=](MPI_Status* seen) { return g_next.Waitsome(incount, requests, outcount, indices, seen); });
}

MERIDIAN_EXPORT int MPI_Testsome(int incount, MPI_Request* requests, int* outcount, int* indices,
                                 MPI_Status* statuses) {
  return traced_list<CallId::Testsome>(
      {incount, requests, statuses, Completes::some, nullptr, outcount, indices},
      [=](MPI_Status* seen) { return g_next.Testsome(incount, requests, outcount, indices, seen); });
}

}  // namespace meridian
