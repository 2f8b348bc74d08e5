// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records of calls that receive, probe or refer to one request: a Completion from the status.

#include "pmpi/calls/record.hpp"

namespace meridian::record {

/// True if the error means that a message was longer than its buffer: the message was received nevertheless, and the
/// status has its source and tag.
[[gnu::cold, gnu::noinline]] bool is_truncated(int call_result) noexcept;

/// The source in a status. After the completion of a send it is undefined; it may be copied, but no branch may depend
/// on it.
[[gnu::always_inline]] inline std::int32_t status_source(const MPI_Status& status) noexcept {
  constexpr bool kIsSame = MPI_ANY_SOURCE == kAnySource && MPI_PROC_NULL == kProcNull;
  constexpr bool kIsSwapped = MPI_ANY_SOURCE == kProcNull && MPI_PROC_NULL == kAnySource;
  constexpr bool kIsHalf =
      halved_if_negative(MPI_ANY_SOURCE) == kAnySource && halved_if_negative(MPI_PROC_NULL) == kProcNull;
  static_assert(kIsSame || (kIsSwapped && (kAnySource ^ kProcNull) == 1) || kIsHalf);
  const auto source = static_cast<std::uint32_t>(status.MPI_SOURCE);
  if constexpr (kIsHalf) return halved_if_negative(status.MPI_SOURCE);
  return static_cast<std::int32_t>(kIsSame ? source : source ^ source >> 31);
}

[[gnu::always_inline]] inline void complete(Completion& entry, std::uint64_t request,
                                            const MPI_Status& status) noexcept {
  entry.request = request;
  const std::uint64_t source_and_tag = static_cast<std::uint32_t>(status_source(status)) |
                                       std::uint64_t{static_cast<std::uint32_t>(tag_word(status.MPI_TAG))} << 32;
  __builtin_memcpy(&entry.source, &source_and_tag, sizeof source_and_tag);  // see set_type_size()
  entry.bytes = status_bytes(status);
}

/// A blocking receive or a probe. `found`: the flag of Iprobe and Improbe, null for the others.
struct Receive : Message {
  static constexpr bool kReceives = true;
  static constexpr bool kMayComplete = true;
  static constexpr bool kMayTruncate = true;
  const MPI_Status* status;
  const int* found;

  Receive(std::int64_t count_, MPI_Datatype type_, int source, int tag_, MPI_Comm comm_, const MPI_Status* status_,
          const int* found_ = nullptr) noexcept
      : Message{count_, type_, source, tag_, comm_, nullptr}, status{status_}, found{found_} {}
  bool has_received() const noexcept { return found == nullptr || *found != 0; }
  [[gnu::always_inline]] std::uint64_t after(std::uint64_t* words) const noexcept {
    if (!has_received()) return 0;
    Message::after(words);
    complete(body<Completion>(words + words_of<PointToPoint>), 0, *status);
    return 1;
  }
  std::uint64_t failed(std::uint64_t* words, int result) const noexcept {
    return found == nullptr && is_truncated(result) ? after(words) : 0;
  }
};

[[gnu::always_inline]] inline Receive Recv(std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                           const MPI_Status* status) noexcept {
  return {count, type, source, tag, comm, status};
}
[[gnu::always_inline]] inline Receive Probe(int source, int tag, MPI_Comm comm, const MPI_Status* status) noexcept {
  return {0, g_mpi.datatype_null, source, tag, comm, status};
}
[[gnu::always_inline]] inline Receive Iprobe(int source, int tag, MPI_Comm comm, const int* flag,
                                             const MPI_Status* status) noexcept {
  return {0, g_mpi.datatype_null, source, tag, comm, status, flag};
}

/// Mprobe and Improbe: the message handle is the record's request.
struct MatchedProbe : Receive {
  static constexpr bool kMayTruncate = false;
  const MPI_Message* message;
  MatchedProbe(int source, int tag_, MPI_Comm comm_, const MPI_Status* status_, const MPI_Message* message_,
               const int* found_ = nullptr) noexcept
      : Receive{0, g_mpi.datatype_null, source, tag_, comm_, status_, found_}, message{message_} {}
  [[gnu::always_inline]] std::uint64_t after(std::uint64_t* words) const noexcept {
    const std::uint64_t completions = Receive::after(words);
    if (completions != 0) body<PointToPoint>(words).request = handle_word(*message);
    return completions;
  }
  std::uint64_t failed(std::uint64_t*, int) const noexcept { return 0; }
};

[[gnu::always_inline]] inline MatchedProbe Mprobe(int source, int tag, MPI_Comm comm, const MPI_Message* message,
                                                  const MPI_Status* status) noexcept {
  return {source, tag, comm, status, message};
}
[[gnu::always_inline]] inline MatchedProbe Improbe(int source, int tag, MPI_Comm comm, const int* flag,
                                                   const MPI_Message* message, const MPI_Status* status) noexcept {
  return {source, tag, comm, status, message, flag};
}

/// Mrecv (with a status) and Imrecv (with a request): the message handle stands in the place of the communicator.
struct MatchedReceive : With<PointToPoint> {
  static constexpr Payload kPayload = Payload::p2p;
  static constexpr bool kReceives = true;
  static constexpr bool kMayComplete = true;
  static constexpr bool kMayTruncate = true;
  std::int64_t count;
  MPI_Datatype type;
  std::uint64_t message;
  bool from_nobody;
  const MPI_Status* status;
  const MPI_Request* request;

  MatchedReceive(std::int64_t count_, MPI_Datatype type_, MPI_Message* message_, const MPI_Status* status_,
                 const MPI_Request* request_) noexcept
      : count{count_},
        type{type_},
        message{message_ != nullptr ? handle_word(*message_) : 0},
        from_nobody{message_ != nullptr && *message_ == g_mpi.message_no_proc},
        status{status_},
        request{request_} {}
  void before(std::uint64_t* words) const noexcept {
    auto& p2p = body<PointToPoint>(words);
    p2p.comm = message;
    p2p.peer = from_nobody ? kProcNull : kAnySource;
    p2p.tag = kAnyTag;
    p2p.count = count;
    p2p.type_size = 0;
    p2p.reserved = 0;
    p2p.request = 0;
  }
  std::uint64_t after(std::uint64_t* words) const noexcept {
    auto& p2p = body<PointToPoint>(words);
    set_type_size(p2p, type_bytes(type));
    if (request != nullptr) {
      p2p.request = handle_word(*request);
      return 0;
    }
    complete(body<Completion>(words + words_of<PointToPoint>), 0, *status);
    return 1;
  }
  std::uint64_t failed(std::uint64_t* words, int result) const noexcept {
    return request == nullptr && is_truncated(result) ? after(words) : 0;
  }
};

[[gnu::always_inline]] inline MatchedReceive Mrecv(std::int64_t count, MPI_Datatype type, MPI_Message* message,
                                                   const MPI_Status* status) noexcept {
  return {count, type, message, status, nullptr};
}
[[gnu::always_inline]] inline MatchedReceive Imrecv(std::int64_t count, MPI_Datatype type, MPI_Message* message,
                                                    const MPI_Request* request) noexcept {
  return {count, type, message, nullptr, request};
}

/// Sendrecv and Sendrecv_replace (with a status), Isendrecv* (with a request).
struct Exchanged : Basic {
  static constexpr Payload kPayload = Payload::sendrecv;
  static constexpr std::uint64_t kWords = words_of<RecordHead> + 2 * words_of<PointToPoint>;
  static constexpr bool kReceives = true;
  static constexpr bool kMayComplete = true;
  static constexpr bool kMayTruncate = true;
  Message sent;
  Message received;
  const MPI_Status* status;

  Exchanged(Message sent_, Message received_, const MPI_Status* status_) noexcept
      : sent{sent_}, received{received_}, status{status_} {}
  void before(std::uint64_t* words) const noexcept {
    sent.before(words);
    received.before(words + words_of<PointToPoint>);
  }
  std::uint64_t after(std::uint64_t* words) const noexcept {
    sent.after(words);
    received.after(words + words_of<PointToPoint>);
    if (status == nullptr) return 0;
    complete(body<Completion>(words + 2 * words_of<PointToPoint>), 0, *status);
    return 1;
  }
  std::uint64_t failed(std::uint64_t* words, int result) const noexcept {
    return status != nullptr && is_truncated(result) ? after(words) : 0;
  }
};

[[gnu::always_inline]] inline Exchanged Sendrecv(std::int64_t sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                                                 std::int64_t recvcount, MPI_Datatype recvtype, int source, int recvtag,
                                                 MPI_Comm comm, const MPI_Status* status) noexcept {
  return {{sendcount, sendtype, dest, sendtag, comm, nullptr},
          {recvcount, recvtype, source, recvtag, comm, nullptr},
          status};
}
[[gnu::always_inline]] inline Exchanged Isendrecv(std::int64_t sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                                                  std::int64_t recvcount, MPI_Datatype recvtype, int source,
                                                  int recvtag, MPI_Comm comm, MPI_Request* request) noexcept {
  return {{sendcount, sendtype, dest, sendtag, comm, request},
          {recvcount, recvtype, source, recvtag, comm, request},
          nullptr};
}

/// Wait and Test. `flag`: of Test, null for Wait.
struct OneRequest : Basic {
  static constexpr Payload kPayload = Payload::requests;
  static constexpr bool kReceives = true;
  static constexpr bool kMayComplete = true;
  static constexpr bool kMayTruncate = true;
  static constexpr std::uint64_t kPending = 1;
  const MPI_Request* request;
  MPI_Request handle;
  const MPI_Status* status;
  const int* flag;

  OneRequest(const MPI_Request* request_, const MPI_Status* status_, const int* flag_) noexcept
      : request{request_}, handle{request_ != nullptr ? *request_ : g_mpi.request_null}, status{status_}, flag{flag_} {}
  [[gnu::always_inline]] void before(std::uint64_t* words) const noexcept {
    body<Completion>(words) = {handle_word(handle), 0, 0, 0};
  }
  bool has_received() const noexcept { return flag == nullptr || *flag != 0; }
  [[gnu::always_inline]] std::uint64_t after(std::uint64_t* words) const noexcept {
    if (handle == g_mpi.request_null || !has_received()) return 0;
    complete(body<Completion>(words), handle_word(handle), *status);
    return 1;
  }
  /// The request is complete if it was set to null, whatever the error; a persistent request remains.
  std::uint64_t failed(std::uint64_t* words, int result) const noexcept {
    if (handle == g_mpi.request_null || request == nullptr) return 0;
    if (*request == handle && !is_truncated(result)) return 0;
    complete(body<Completion>(words), handle_word(handle), *status);
    return 1;
  }
};

[[gnu::always_inline]] inline OneRequest Wait(const MPI_Request* request, const MPI_Status* status) noexcept {
  return {request, status, nullptr};
}
[[gnu::always_inline]] inline OneRequest Test(const MPI_Request* request, const int* flag,
                                              const MPI_Status* status) noexcept {
  return {request, status, flag};
}

/// Request_get_status: as Test, but the request remains.
struct StatusOfRequest : Basic {
  static constexpr Payload kPayload = Payload::requests;
  static constexpr bool kReceives = true;
  static constexpr bool kMayComplete = true;
  MPI_Request handle;
  const int* flag;
  const MPI_Status* status;

  StatusOfRequest(MPI_Request request, const int* flag_, const MPI_Status* status_) noexcept
      : handle{request}, flag{flag_}, status{status_} {}
  bool has_received() const noexcept { return flag != nullptr && *flag != 0; }
  std::uint64_t after(std::uint64_t* words) const noexcept {
    if (handle == g_mpi.request_null || !has_received()) return 0;
    complete(body<Completion>(words), handle_word(handle), *status);
    return 1;
  }
};
[[gnu::always_inline]] inline StatusOfRequest Status(MPI_Request request, const int* flag,
                                                     const MPI_Status* status) noexcept {
  return {request, flag, status};
}

/// Start, Cancel, Request_free: the request as it was before the call.
struct AboutRequest : Basic {
  static constexpr Payload kPayload = Payload::requests;
  static constexpr bool kMayComplete = true;
  static constexpr std::uint64_t kPending = 1;
  MPI_Request handle;

  explicit AboutRequest(const MPI_Request* request) noexcept
      : handle{request != nullptr ? *request : g_mpi.request_null} {}
  [[gnu::always_inline]] void before(std::uint64_t* words) const noexcept {
    body<Completion>(words) = {handle_word(handle), 0, 0, 0};
  }
  [[gnu::always_inline]] std::uint64_t after(std::uint64_t*) const noexcept {
    return handle != g_mpi.request_null ? 1 : 0;
  }
};
[[gnu::always_inline]] inline AboutRequest Start(const MPI_Request* request) noexcept { return AboutRequest{request}; }
[[gnu::always_inline]] inline AboutRequest Cancel(const MPI_Request* request) noexcept { return AboutRequest{request}; }
[[gnu::always_inline]] inline AboutRequest FreeRequest(const MPI_Request* request) noexcept {
  return AboutRequest{request};
}

}  // namespace meridian::record
