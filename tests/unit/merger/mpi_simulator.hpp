// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small MPI: processes with threads that do random things, matched by the two queues that every MPI library has
// (posted receives, unexpected messages). It writes what a tracer would have seen, and knows which message went where.
// It shares no idea with the merger: the merger counts places in channels, this delivers messages one by one.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <random>
#include <vector>

#include "merged_reader.hpp"
#include "simulated_process.hpp"
#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {

struct SimulatorOptions {
  std::int32_t ranks = 3;
  std::uint32_t threads = 1;
  std::size_t steps = 400;
  bool has_cancel = true;
  std::int32_t tags = 2;
};

class MpiSimulator {
 public:
  /// (send rank, thread, call, receive rank, posting thread, call, completing thread, call)
  using Truth = std::array<std::int64_t, 8>;

  MpiSimulator(SyntheticRun& run, const SimulatorOptions& options, std::uint64_t seed)
      : run_{run}, options_{options}, random_{test::seeded(seed)}, processes_(static_cast<std::size_t>(options.ranks)) {
    for (Process& process : processes_) process.threads.resize(options.threads);
  }

  std::vector<Truth> play() {
    for (std::size_t step = 0; step < options_.steps; ++step) {
      const auto p = static_cast<std::int32_t>(below(processes_.size()));
      const auto t = static_cast<std::uint32_t>(below(options_.threads));
      if (!at(p).threads[t].is_blocked) act(p, t);
      while (below(3) != 0) deliver();
    }
    while (!in_flight_.empty()) deliver();
    for (std::int32_t p = 0; p < options_.ranks; ++p) finish(p);
    std::ranges::sort(truth_);
    return truth_;
  }

 private:
  using Message = simulated::Message;
  using Receive = simulated::Receive;
  using Request = simulated::Request;
  using Process = simulated::Process;
  static constexpr auto kNobody = simulated::kNobody;

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Process& at(std::int32_t p) { return processes_[static_cast<std::size_t>(p)]; }
  SyntheticThread& log(std::int32_t p, std::uint32_t t) { return run_[static_cast<std::size_t>(p)].thread(t); }
  EventRef next_ref(std::int32_t p, std::uint32_t t) { return {p, t, log(p, t).size()}; }
  /// Calls do not overlap unless one blocks: every act has its own moment.
  At now() {
    clock_ += 10;
    return {clock_, clock_ + 5};
  }
  std::int32_t some_rank() { return static_cast<std::int32_t>(below(static_cast<std::uint64_t>(options_.ranks))); }
  std::int32_t some_tag() { return static_cast<std::int32_t>(below(static_cast<std::uint64_t>(options_.tags))); }
  std::int32_t or_any(std::int32_t value) { return below(3) == 0 ? -1 : value; }

  std::uint64_t issue_send(const EventRef& call, std::int32_t p, std::int32_t dest, std::int32_t tag,
                           std::int64_t bytes) {
    in_flight_.push_back({++messages_, call, p, dest, tag, bytes});
    return messages_;
  }

  /// A random message arrives, but never before an earlier one of the same sender and receiver.
  void deliver() {
    if (in_flight_.empty()) return;
    auto chosen = in_flight_.begin() + static_cast<std::ptrdiff_t>(below(in_flight_.size()));
    for (auto first = in_flight_.begin(); first != chosen; ++first)
      if (first->source == chosen->source && first->dest == chosen->dest) {
        chosen = first;
        break;
      }
    const Message message = *chosen;
    in_flight_.erase(chosen);
    Process& process = at(message.dest);
    for (auto receive = process.posted.begin(); receive != process.posted.end(); ++receive)
      if (fits(**receive, message)) {
        const auto matched = *receive;
        process.posted.erase(receive);
        match(message.dest, matched, message);
        return;
      }
    process.unexpected.push_back(message);
  }

  void match(std::int32_t p, const std::shared_ptr<Receive>& receive, const Message& message) {
    receive->message = message;
    if (receive->blocked_thread != kNobody) finish_blocking(p, *receive);
  }

  void post(std::int32_t p, const std::shared_ptr<Receive>& receive) {
    Process& process = at(p);
    for (auto message = process.unexpected.begin(); message != process.unexpected.end(); ++message)
      if (fits(*receive, *message)) {
        const Message found = *message;
        process.unexpected.erase(message);
        match(p, receive, found);
        return;
      }
    process.posted.push_back(receive);
  }

  void know(const Message& message, const EventRef& posted, const EventRef& completed) {
    truth_.push_back({message.call.rank, message.call.thread, static_cast<std::int64_t>(message.call.event),
                      posted.rank, posted.thread, static_cast<std::int64_t>(posted.event), completed.thread,
                      static_cast<std::int64_t>(completed.event)});
  }

  /// The record of a blocking receive was begun when it was posted; its end is known now.
  void finish_blocking(std::int32_t p, Receive& receive) {
    EventBatch& batch = log(p, receive.blocked_thread).batch;
    const auto row = static_cast<std::size_t>(receive.post.event);
    clock_ += 10;
    batch.leave_ticks[row] = clock_;
    std::size_t completion = 0;
    for (std::size_t i = 0; i < row; ++i) completion += batch.completion_count[i];
    batch.completions[completion] = {0, receive.message->source, receive.message->tag, receive.message->bytes};
    know(*receive.message, receive.post, receive.post);
    at(p).threads[receive.blocked_thread].is_blocked = false;
    receive.blocked_thread = kNobody;
  }

  void act(std::int32_t p, std::uint32_t t) {
    switch (below(16)) {
      case 0:
      case 1:
        return send(p, t);
      case 2:
      case 3:
        return isend(p, t);
      case 4:
      case 5:
        return irecv(p, t);
      case 6:
        return receive(p, t);
      case 7:
      case 8:
      case 9:
      case 10:
        return complete(p, t);
      case 11:
        return make_persistent(p, t);
      case 12:
        return start(p, t);
      case 13:
        return probe(p, t);
      case 14:
        return receive_probed(p, t);
      default:
        if (options_.has_cancel) cancel(p, t);
    }
  }

  void send(std::int32_t p, std::uint32_t t) {
    const EventRef call = next_ref(p, t);
    const std::int32_t dest = some_rank(), tag = some_tag();
    const auto bytes = static_cast<std::int64_t>(below(1000));
    log(p, t).send(now(), dest, tag, bytes);
    issue_send(call, p, dest, tag, bytes);
  }

  void isend(std::int32_t p, std::uint32_t t) {
    Process& process = at(p);
    const EventRef call = next_ref(p, t);
    Request request;
    request.handle = process.new_handle();
    request.peer = some_rank();
    request.tag = some_tag();
    request.bytes = static_cast<std::int64_t>(below(1000));
    log(p, t).isend(now(), request.peer, request.tag, request.bytes, request.handle);
    request.message_id = issue_send(call, p, request.peer, request.tag, request.bytes);
    process.requests.push_back(request);
  }

  void irecv(std::int32_t p, std::uint32_t t) {
    Process& process = at(p);
    Request request;
    request.handle = process.new_handle();
    request.peer = or_any(some_rank());
    request.tag = or_any(some_tag());
    request.receive = simulated::new_receive(next_ref(p, t), request.peer, request.tag);
    log(p, t).irecv(now(), request.peer, request.tag, 1000, request.handle);
    post(p, request.receive);
    process.requests.push_back(request);
  }

  void receive(std::int32_t p, std::uint32_t t) {
    const auto posted = simulated::new_receive(next_ref(p, t), or_any(some_rank()), or_any(some_tag()));
    log(p, t).receive(now(), posted->source, posted->tag, {0, 0, 0});
    at(p).threads[t].is_blocked = true;
    posted->blocked_thread = t;
    post(p, posted);
  }

  /// Some of the requests that are done are seen to be done, in any order.
  void complete(std::int32_t p, std::uint32_t t) {
    Process& process = at(p);
    std::vector<std::list<Request>::iterator> done;
    for (auto request = process.requests.begin(); request != process.requests.end(); ++request)
      if (request->is_active && is_done(*request)) done.push_back(request);
    std::ranges::shuffle(done, random_);
    if (!done.empty()) done.resize(1 + below(done.size()));
    std::vector<Completion> completions;
    const EventRef call = next_ref(p, t);
    for (const auto request : done) {
      if (request->receive == nullptr || request->is_cancelled) {
        completions.push_back({request->handle, -1, -1, request->is_cancelled ? kCancelled : 0});
      } else {
        const Message& message = *request->receive->message;
        completions.push_back({request->handle, message.source, message.tag, message.bytes});
        know(message, request->receive->post, call);
      }
      if (request->is_persistent) {
        request->is_active = request->is_cancelled = false;
        if (request->receive != nullptr) request->receive = simulated::new_receive({}, request->peer, request->tag);
      } else {
        process.free_handles.push_back(request->handle);
        process.requests.erase(request);
      }
    }
    log(p, t).requests(CallId::Testsome, now(), completions);
  }

  void make_persistent(std::int32_t p, std::uint32_t t) {
    Process& process = at(p);
    Request request;
    request.handle = process.new_handle();
    request.is_persistent = true;
    request.is_active = false;
    const bool is_send = below(2) == 0;
    request.peer = is_send ? some_rank() : or_any(some_rank());
    request.tag = is_send ? some_tag() : or_any(some_tag());
    request.bytes = static_cast<std::int64_t>(below(1000));
    if (is_send) {
      log(p, t).isend(now(), request.peer, request.tag, request.bytes, request.handle, kWorld, CallId::Send_init);
    } else {
      log(p, t).irecv(now(), request.peer, request.tag, 1000, request.handle, kWorld, CallId::Recv_init);
      request.receive = simulated::new_receive({}, request.peer, request.tag);
    }
    process.requests.push_back(request);
  }

  void start(std::int32_t p, std::uint32_t t) {
    for (Request& request : at(p).requests) {
      if (!request.is_persistent || request.is_active || below(2) == 0) continue;
      const EventRef call = next_ref(p, t);
      request.is_active = true;
      log(p, t).start(now(), request.handle);
      if (request.receive == nullptr) {
        request.message_id = issue_send(call, p, request.peer, request.tag, request.bytes);
      } else {
        request.receive->post = call;
        post(p, request.receive);
      }
      return;
    }
  }

  void probe(std::int32_t p, std::uint32_t t) {
    Process& process = at(p);
    const auto wanted = simulated::new_receive({}, or_any(some_rank()), or_any(some_tag()));
    const bool takes = below(2) == 0;
    auto found = process.unexpected.begin();
    while (found != process.unexpected.end() && !fits(*wanted, *found)) ++found;
    SyntheticThread& thread = log(p, t);
    const CallId id = takes ? CallId::Improbe : CallId::Iprobe;
    if (found == process.unexpected.end()) {
      thread.call(id, now(), Payload::p2p);
      thread.side(kWorld, wanted->source, wanted->tag, 0);
      return;
    }
    thread.call(id, now(), Payload::p2p, 0, {{0, found->source, found->tag, found->bytes}});
    const std::uint64_t handle = takes ? 0x900000 + 16 * process.probed.size() : 0;
    thread.side(kWorld, wanted->source, wanted->tag, 0, handle);
    if (!takes) return;
    process.probed.emplace_back(handle, *found);
    process.unexpected.erase(found);
  }

  void receive_probed(std::int32_t p, std::uint32_t t) {
    Process& process = at(p);
    if (process.probed.empty()) return;
    const auto [handle, message] = process.probed.back();  // the handle is used anew by the next probe
    process.probed.pop_back();
    const EventRef call = next_ref(p, t);
    SyntheticThread& thread = log(p, t);
    if (below(2) == 0) {
      thread.call(CallId::Mrecv, now(), Payload::p2p, 0, {{0, message.source, message.tag, message.bytes}});
      thread.side(handle, -1, -1, 1000);
      know(message, call, call);
      return;
    }
    Request request;
    request.handle = process.new_handle();
    request.receive = simulated::new_receive(call, message.source, message.tag);
    request.receive->message = message;
    thread.call(CallId::Imrecv, now(), Payload::p2p);
    thread.side(handle, -1, -1, 1000, request.handle);
    process.requests.push_back(request);
  }

  void cancel(std::int32_t p, std::uint32_t t) {
    Process& process = at(p);
    if (process.requests.empty()) return;
    auto request = process.requests.begin();
    std::advance(request, static_cast<std::ptrdiff_t>(below(process.requests.size())));
    if (!request->is_active || request->is_cancelled) return;
    log(p, t).requests(CallId::Cancel, now(), {{request->handle, 0, 0, 0}});
    if (request->receive != nullptr) {
      const auto posted = std::ranges::find(process.posted, request->receive);
      if (posted == process.posted.end()) return;  // it has its message already
      process.posted.erase(posted);
      request->is_cancelled = true;
      return;
    }
    const auto is_it = [&](const Message& message) { return message.id == request->message_id; };
    const auto on_its_way = std::ranges::find_if(in_flight_, is_it);
    if (on_its_way != in_flight_.end()) {
      in_flight_.erase(on_its_way);
      request->is_cancelled = true;
      return;
    }
    auto& waiting = at(request->peer).unexpected;
    const auto arrived = std::ranges::find_if(waiting, is_it);
    if (arrived == waiting.end()) return;
    waiting.erase(arrived);
    request->is_cancelled = true;
  }

  /// Blocked calls stay unfinished. Completed requests are waited for: without that, a trace does not show what a wildcard
  /// received. A process without a thread that can still call gets one more.
  void finish(std::int32_t p) {
    Process& process = at(p);
    std::uint32_t awake = options_.threads;
    for (std::uint32_t t = options_.threads; t-- > 0;) {
      if (!process.threads[t].is_blocked) {
        awake = t;
        continue;
      }
      EventBatch& batch = log(p, t).batch;
      batch.leave_ticks.back() = 0;
      batch.flags.back() = kFlagUnfinished;
      batch.completions.pop_back();
      batch.completion_count.back() = 0;
    }
    const auto can_complete = [](const Request& request) { return request.is_active && is_done(request); };
    while (std::ranges::any_of(process.requests, can_complete)) complete(p, awake);
  }

  SyntheticRun& run_;
  SimulatorOptions options_;
  std::mt19937_64 random_;
  std::vector<Process> processes_;
  std::deque<Message> in_flight_;
  std::vector<Truth> truth_;
  std::uint64_t messages_ = 0;
  std::uint64_t clock_ = 1000;
};

}  // namespace meridian::test
