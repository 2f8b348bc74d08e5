// hot
// SPDX-License-Identifier: Apache-2.0

// Completion, start, cancel and free of requests. Which request is which message is not looked up here: the handle, as
// it was before the call, goes into the record, and the merger knows what it meant at that time.

#include "pmpi/calls/record_receive.hpp"
#include "pmpi/calls/request_list.hpp"
#include "pmpi/calls/traced.hpp"

#define MERIDIAN_EXPORT extern "C" [[gnu::visibility("default")]]

namespace meridian {

using record::AboutRequest;
using record::OneRequest;

MERIDIAN_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  return traced<CallId::Wait>(OneRequest{request, status, nullptr}, [&] { return g_real.Wait(request, status); });
}

MERIDIAN_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  return traced<CallId::Test>(OneRequest{request, status, flag}, [&] { return g_real.Test(request, flag, status); });
}

MERIDIAN_EXPORT int MPI_Start(MPI_Request* request) {
  return traced<CallId::Start>(AboutRequest{request}, [&] { return g_real.Start(request); });
}

MERIDIAN_EXPORT int MPI_Cancel(MPI_Request* request) {
  return traced<CallId::Cancel>(AboutRequest{request}, [&] { return g_real.Cancel(request); });
}

MERIDIAN_EXPORT int MPI_Request_free(MPI_Request* request) {
  return traced<CallId::Request_free>(AboutRequest{request}, [&] { return g_real.Request_free(request); });
}

MERIDIAN_EXPORT int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return traced<CallId::Request_get_status>(record::Local(),
                                            [&] { return g_real.Request_get_status(request, flag, status); });
}

MERIDIAN_EXPORT int MPI_Startall(int count, MPI_Request* requests) {
  return traced_list<CallId::Startall>({count, requests, MPI_STATUSES_IGNORE, Completes::all_started},
                                       [&](MPI_Status*) { return g_real.Startall(count, requests); });
}

MERIDIAN_EXPORT int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return traced_list<CallId::Waitall>({count, requests, statuses, Completes::all},
                                      [&](MPI_Status* seen) { return g_real.Waitall(count, requests, seen); });
}

MERIDIAN_EXPORT int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return traced_list<CallId::Testall>({count, requests, statuses, Completes::all, flag},
                                      [&](MPI_Status* seen) { return g_real.Testall(count, requests, flag, seen); });
}

MERIDIAN_EXPORT int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  return traced_list<CallId::Waitany>({count, requests, status, Completes::one, nullptr, nullptr, index},
                                      [&](MPI_Status* seen) { return g_real.Waitany(count, requests, index, seen); });
}

MERIDIAN_EXPORT int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  return traced_list<CallId::Testany>(
      {count, requests, status, Completes::one, flag, nullptr, index},
      [&](MPI_Status* seen) { return g_real.Testany(count, requests, index, flag, seen); });
}

MERIDIAN_EXPORT int MPI_Waitsome(int incount, MPI_Request* requests, int* outcount, int* indices,
                                 MPI_Status* statuses) {
  return traced_list<CallId::Waitsome>(
      {incount, requests, statuses, Completes::some, nullptr, outcount, indices},
      [&](MPI_Status* seen) { return g_real.Waitsome(incount, requests, outcount, indices, seen); });
}

MERIDIAN_EXPORT int MPI_Testsome(int incount, MPI_Request* requests, int* outcount, int* indices,
                                 MPI_Status* statuses) {
  return traced_list<CallId::Testsome>(
      {incount, requests, statuses, Completes::some, nullptr, outcount, indices},
      [&](MPI_Status* seen) { return g_real.Testsome(incount, requests, outcount, indices, seen); });
}

MERIDIAN_IF(
    MERIDIAN_HAS_Request_get_status_all,
    MERIDIAN_EXPORT int MPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag,
                                                   MPI_Status statuses[]) {
      return traced<CallId::Request_get_status_all>(
          record::Local(), [&] { return g_real.Request_get_status_all(count, requests, flag, statuses); });
    })
MERIDIAN_IF(
    MERIDIAN_HAS_Request_get_status_any,
    MERIDIAN_EXPORT int MPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag,
                                                   MPI_Status* status) {
      return traced<CallId::Request_get_status_any>(
          record::Local(), [&] { return g_real.Request_get_status_any(count, requests, index, flag, status); });
    })
MERIDIAN_IF(
    MERIDIAN_HAS_Request_get_status_some,
    MERIDIAN_EXPORT int MPI_Request_get_status_some(int incount, const MPI_Request requests[], int* outcount,
                                                    int indices[], MPI_Status statuses[]) {
      return traced<CallId::Request_get_status_some>(record::Local(), [&] {
        return g_real.Request_get_status_some(incount, requests, outcount, indices, statuses);
      });
    })

}  // namespace meridian
