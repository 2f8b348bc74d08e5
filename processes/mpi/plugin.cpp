// SPDX-License-Identifier: Apache-2.0
#include "processes/mpi/plugin.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

namespace meridian {
namespace {

// MPI counts in int, so a long message goes as a header with its length, and pieces. A receiver that takes any tag gets
// them in the order in which they were sent.
enum Tag : int { kWhole, kHeader, kPiece };

struct Sending {
  MPI_Request request = MPI_REQUEST_NULL;
  void* owner = nullptr;     ///< to be released with this piece; nullptr: pieces follow that have it
  std::uint64_t header = 0;  ///< what the request sends, if it is a header
};

struct Receiving {
  MPI_Request request = MPI_REQUEST_NULL;
  std::uint8_t* data = nullptr;
  std::uint64_t bytes = 0;     ///< of the whole message
  std::uint64_t received = 0;  ///< of these, without those of the request
  int requested = 0;
  bool is_open = false;  ///< the length is known, the message is not whole
};

MPI_Comm comm = MPI_COMM_NULL;
MPI_Request meeting = MPI_REQUEST_NULL;
bool has_met = false;
std::uint64_t piece_limit = 0;
void (*release_owner)(void*) = nullptr;
std::vector<std::deque<Sending>> sendings;  ///< for each process; a deque does not move what a request sends
Receiving receiving;
char reason[MPI_MAX_ERROR_STRING + 64];

const char* failed(const char* call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::snprintf(reason, sizeof reason, "%s: %s", call, text);
  return reason;
}

#define MERIDIAN_MPI_TRY(name, ...) \
  if (const int code = name(__VA_ARGS__); code != MPI_SUCCESS) return failed(#name, code)

const char* start(std::uint64_t piece_bytes, void (*release)(void*), std::int32_t* rank, std::int32_t* count) {
  int was_initialized = 0;
  MPI_Initialized(&was_initialized);
  if (was_initialized != 0) return "MPI is already initialized";
#ifdef OPEN_MPI
  // Between polls, the caller sleeps. Yielding in each poll as well would make a busy machine take its time slice away.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
#endif
  int provided = MPI_THREAD_SINGLE;
  MERIDIAN_MPI_TRY(MPI_Init_thread, nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MERIDIAN_MPI_TRY(MPI_Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_FUNNELED) return "this MPI library does not allow threads";
  MERIDIAN_MPI_TRY(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
  MERIDIAN_MPI_TRY(MPI_Comm_set_errhandler, comm, MPI_ERRORS_RETURN);
  MERIDIAN_MPI_TRY(MPI_Comm_rank, comm, rank);
  MERIDIAN_MPI_TRY(MPI_Comm_size, comm, count);
  piece_limit = std::clamp<std::uint64_t>(piece_bytes, 1, 1U << 30U);
  release_owner = release;
  sendings.resize(static_cast<std::size_t>(*count));
  return nullptr;
}

/// Releases sent pieces in order, up to the first one that is still under way.
const char* release_sent(std::deque<Sending>& queue, std::uint64_t& released) {
  while (!queue.empty()) {
    int is_done = 0;
    MERIDIAN_MPI_TRY(MPI_Test, &queue.front().request, &is_done, MPI_STATUS_IGNORE);
    if (is_done == 0) break;
    if (queue.front().owner != nullptr) release_owner(queue.front().owner);
    queue.pop_front();
    ++released;
  }
  return nullptr;
}

const char* send(std::int32_t to, const void* data, std::uint64_t bytes, void* owner) {
  std::deque<Sending>& queue = sendings[static_cast<std::size_t>(to)];
  if (bytes > piece_limit) {
    Sending& header = queue.emplace_back();
    header.header = bytes;
    MERIDIAN_MPI_TRY(MPI_Isend, &header.header, sizeof header.header, MPI_BYTE, to, kHeader, comm, &header.request);
  }
  const Tag tag = bytes > piece_limit ? kPiece : kWhole;
  std::uint64_t sent = 0;
  do {
    const std::uint64_t now = std::min(bytes - sent, piece_limit);
    Sending& piece = queue.emplace_back();
    MERIDIAN_MPI_TRY(MPI_Isend, static_cast<const std::uint8_t*>(data) + sent, static_cast<int>(now), MPI_BYTE, to, tag,
                     comm, &piece.request);
    sent += now;
    if (sent == bytes) piece.owner = owner;
  } while (sent < bytes);
  std::uint64_t released = 0;
  return release_sent(queue, released);
}

const char* open_message(std::uint64_t bytes, void* (*allocate)(void*, std::uint64_t), void* context) {
  receiving.data = static_cast<std::uint8_t*>(allocate(context, bytes));
  if (receiving.data == nullptr && bytes > 0) {
    std::snprintf(reason, sizeof reason, "no memory for a message of %llu bytes",
                  static_cast<unsigned long long>(bytes));
    return reason;
  }
  receiving.bytes = bytes;
  receiving.received = 0;
  receiving.is_open = true;
  return nullptr;
}

const char* receive(std::int32_t from, void* (*allocate)(void*, std::uint64_t), void* context, Arrival* arrival) {
  *arrival = Arrival::nothing;
  for (;;) {
    if (receiving.request != MPI_REQUEST_NULL) {
      int is_done = 0;
      MERIDIAN_MPI_TRY(MPI_Test, &receiving.request, &is_done, MPI_STATUS_IGNORE);
      if (is_done == 0) return nullptr;
      receiving.received += static_cast<std::uint64_t>(receiving.requested);
      *arrival = Arrival::part;
      if (receiving.received == receiving.bytes) {
        receiving.is_open = false;
        *arrival = Arrival::whole;
        return nullptr;
      }
    }
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MERIDIAN_MPI_TRY(MPI_Improbe, from, MPI_ANY_TAG, comm, &is_there, &message, &status);
    if (is_there == 0) return nullptr;
    int bytes = 0;
    MERIDIAN_MPI_TRY(MPI_Get_count, &status, MPI_BYTE, &bytes);
    if (status.MPI_TAG == kHeader && !receiving.is_open && bytes == sizeof(std::uint64_t)) {
      std::uint64_t length = 0;
      MERIDIAN_MPI_TRY(MPI_Mrecv, &length, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      if (const char* const problem = open_message(length, allocate, context)) return problem;
      continue;
    }
    if (status.MPI_TAG == kWhole && !receiving.is_open) {
      if (const char* const problem = open_message(static_cast<std::uint64_t>(bytes), allocate, context))
        return problem;
    } else if (status.MPI_TAG != kPiece || !receiving.is_open ||
               static_cast<std::uint64_t>(bytes) > receiving.bytes - receiving.received) {
      return "a message does not have the form that meridian gives it";
    }
    receiving.requested = bytes;
    MERIDIAN_MPI_TRY(MPI_Imrecv, receiving.data + receiving.received, bytes, MPI_BYTE, &message, &receiving.request);
  }
}

const char* advance(std::uint64_t* released, std::uint64_t* left) {
  *released = *left = 0;
  for (std::deque<Sending>& queue : sendings) {
    if (const char* const problem = release_sent(queue, *released)) return problem;
    *left += queue.size();
  }
  return nullptr;
}

const char* meet(bool* is_met) {
  if (!has_met && meeting == MPI_REQUEST_NULL) MERIDIAN_MPI_TRY(MPI_Ibarrier, comm, &meeting);
  int is_done = has_met ? 1 : 0;
  if (!has_met) MERIDIAN_MPI_TRY(MPI_Test, &meeting, &is_done, MPI_STATUS_IGNORE);
  *is_met = has_met = is_done != 0;
  return nullptr;
}

const char* finalize() {
  MERIDIAN_MPI_TRY(MPI_Comm_free, &comm);
  MERIDIAN_MPI_TRY(MPI_Finalize);
  return nullptr;
}

void abort(std::int32_t code) {
  int is_started = 0, is_over = 0;
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_over);
  if (is_started != 0 && is_over == 0) MPI_Abort(MPI_COMM_WORLD, code);
}

constexpr MpiPlugin kPlugin{.start = start,
                            .send = send,
                            .receive = receive,
                            .advance = advance,
                            .meet = meet,
                            .finalize = finalize,
                            .abort = abort};

}  // namespace
}  // namespace meridian

const meridian::MpiPlugin* meridian_mpi_plugin(std::int32_t version) {
  return version == meridian::kMpiPluginVersion ? &meridian::kPlugin : nullptr;
}
