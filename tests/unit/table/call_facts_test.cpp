// SPDX-License-Identifier: Apache-2.0
#include "trace/model/call_facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "trace/model/lock_calls.hpp"

namespace meridian::test {
namespace {

using Shape = CollectiveShape;

std::set<std::string> words(const std::string& text) {
  std::istringstream stream{text};
  return {std::istream_iterator<std::string>{stream}, {}};
}

/// Names without "MPI_" and "_c". The oracle: MPI's naming is regular enough that roles follow from names.
const std::map<Role, std::set<std::string>> kNamed{
    {Role::send, words("Send Bsend Ssend Rsend")},
    {Role::receive, words("Recv")},
    {Role::sendrecv, words("Sendrecv Sendrecv_replace")},
    {Role::isend, words("Isend Ibsend Issend Irsend")},
    {Role::irecv, words("Irecv")},
    {Role::isendrecv, words("Isendrecv Isendrecv_replace")},
    {Role::send_init, words("Send_init Bsend_init Ssend_init Rsend_init")},
    {Role::recv_init, words("Recv_init")},
    {Role::psend_init, words("Psend_init")},
    {Role::precv_init, words("Precv_init")},
    {Role::probe, words("Probe Iprobe")},
    {Role::mprobe, words("Mprobe Improbe")},
    {Role::mrecv, words("Mrecv")},
    {Role::imrecv, words("Imrecv")},
    {Role::complete, words("Wait Waitany Waitall Waitsome Test Testany Testall Testsome")},
    {Role::start, words("Start Startall")},
    {Role::cancel, words("Cancel")},
    {Role::request_free, words("Request_free")},
    {Role::make_request, words("Grequest_start")},
    {Role::look_at, words("Request_get_status")},
    {Role::put, words("Put Rput Accumulate Raccumulate")},
    {Role::get, words("Get Rget")},
    {Role::exchange, words("Get_accumulate Rget_accumulate Fetch_and_op Compare_and_swap")},
    {Role::use_comm, words("Comm_set_name")},
    {Role::free_comm, words("Comm_free Comm_disconnect")},
    {Role::make_window, words("Win_create Win_create_dynamic Win_allocate Win_allocate_shared")},
    {Role::open_file, words("File_open")},
    {Role::init, words("Init Init_thread")},
    {Role::finalize, words("Finalize")},
    {Role::session_init, words("Session_init")},
    {Role::session_finalize, words("Session_finalize")},
};

/// Blocking collectives, without "MPI_" and "_c".
const std::map<std::string, std::tuple<Shape, BytesRule>> kCollectives{
    {"Barrier", {Shape::all_to_all, BytesRule::nothing}},
    {"Bcast", {Shape::one_to_all, BytesRule::broadcast}},
    {"Gather", {Shape::all_to_one, BytesRule::gather}},
    {"Gatherv", {Shape::all_to_one, BytesRule::gatherv}},
    {"Scatter", {Shape::one_to_all, BytesRule::scatter}},
    {"Scatterv", {Shape::one_to_all, BytesRule::scatterv}},
    {"Allgather", {Shape::all_to_all, BytesRule::allgather}},
    {"Allgatherv", {Shape::all_to_all, BytesRule::allgatherv}},
    {"Alltoall", {Shape::all_to_all, BytesRule::alltoall}},
    {"Alltoallv", {Shape::none, BytesRule::as_recorded}},
    {"Alltoallw", {Shape::none, BytesRule::as_recorded}},
    {"Reduce", {Shape::all_to_one, BytesRule::reduce}},
    {"Allreduce", {Shape::all_to_all, BytesRule::allreduce}},
    {"Reduce_scatter", {Shape::all_to_all, BytesRule::reduce_scatter}},
    {"Reduce_scatter_block", {Shape::all_to_all, BytesRule::reduce_scatter_block}},
    {"Scan", {Shape::prefix, BytesRule::scan}},
    {"Exscan", {Shape::prefix, BytesRule::exscan}},
    {"Neighbor_allgather", {Shape::none, BytesRule::over_neighbours}},
    {"Neighbor_allgatherv", {Shape::none, BytesRule::over_neighbours}},
    {"Neighbor_alltoall", {Shape::none, BytesRule::over_neighbours}},
    {"Neighbor_alltoallv", {Shape::none, BytesRule::over_neighbours}},
    {"Neighbor_alltoallw", {Shape::none, BytesRule::over_neighbours}},
};

bool drop_suffix(std::string& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.resize(name.size() - suffix.size());
  return true;
}

/// Calls on files other than MPI's.
const std::vector<std::pair<Role, std::set<std::string>>> kOfFiles{
    {Role::open_file, words("open open64 openat openat64 creat creat64 fopen fopen64 freopen freopen64")},
    {Role::get, words("read pread pread64 readv preadv preadv64 fread")},
    {Role::put, words("write pwrite pwrite64 writev pwritev pwritev64 fwrite")},
};

/// "Bcast" of "Ibcast".
std::string without_i(const std::string& name) {
  std::string rest = name.substr(1);
  if (!rest.empty()) rest[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0])));
  return rest;
}

struct Expected {
  Role role = Role::plain;
  Shape shape = Shape::none;
  BytesRule bytes = BytesRule::nothing;
};

Expected expected(CallId call) {
  std::string name{info(call).name};
  if (!is_mpi(call)) {
    for (const auto& [role, names] : kOfFiles)
      if (names.contains(name)) return {.role = role};
    return {};
  }
  name.erase(0, 4);
  drop_suffix(name, "_c");
  for (const auto& [role, names] : kNamed)
    if (names.contains(name)) return {.role = role};
  for (const auto& [start, role] : std::map<std::string, Role>{
           {"File_read", Role::get}, {"File_iread", Role::get}, {"File_write", Role::put}, {"File_iwrite", Role::put}})
    if (name.starts_with(start)) return {.role = role};
  Role role = drop_suffix(name, "_init") ? Role::collective_init : Role::collective;
  if (role == Role::collective && !kCollectives.contains(name) && name.starts_with('I')) {
    role = Role::icollective;
    name = without_i(name);
  }
  const auto found = kCollectives.find(name);
  if (found == kCollectives.end()) return {};
  return {role, std::get<Shape>(found->second), std::get<BytesRule>(found->second)};
}

TEST(CallFacts, EachCallHasTheRoleThatItsNameSays) {
  int others = 0;
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto call = static_cast<CallId>(i);
    const Expected as_named = expected(call);
    EXPECT_EQ(facts_of(call).role, as_named.role) << info(call).name;
    EXPECT_EQ(facts_of(call).shape, as_named.shape) << info(call).name;
    EXPECT_EQ(facts_of(call).bytes, as_named.bytes) << info(call).name;
    others += as_named.role != Role::plain ? 1 : 0;
  }
  EXPECT_EQ(others, 287 + 10 + 7 + 7);
}

TEST(CallFacts, EachCallOfTheGroupsOfMessagesAndCollectivesHasOne) {
  const std::set<std::string> plain = words("MPI_Pready MPI_Pready_range MPI_Pready_list MPI_Parrived");
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto& [name, group] = kCalls[i];
    if (group != CallGroup::coll && group != CallGroup::p2p) continue;
    const bool is_plain = plain.contains(std::string{name}) || name.find("uffer") != std::string_view::npos;
    EXPECT_EQ(facts_of(static_cast<CallId>(i)).role == Role::plain, is_plain) << name;
  }
}

TEST(CallFacts, AllFormsOfACollectiveAreOfOneKindAndOthersOfAnother) {
  std::map<std::string, std::set<int>> kinds;
  for (const auto& [name, rule] : kCollectives) {
    for (const std::string& form :
         {name, name + "_c",
          std::string{"I"}.append(1, static_cast<char>(std::tolower(name[0]))).append(name.substr(1)), name + "_init",
          name + "_init_c"}) {
      const CallId call = call_by_name("MPI_" + form);
      if (call != CallId::none) kinds[name].insert(facts_of(call).kind);
    }
  }
  std::set<int> seen{facts_of(CallId::Send).kind};
  for (const auto& [name, kind] : kinds) {
    EXPECT_EQ(kind.size(), 1U) << name;
    EXPECT_TRUE(seen.insert(*kind.begin()).second) << name;
  }
  EXPECT_EQ(seen.size(), 23U);
}

TEST(CallFacts, WhatIsNoCallIsPlain) {
  EXPECT_EQ(facts_of(CallId::none).role, Role::plain);
  EXPECT_EQ(facts_of(CallId::count_).role, Role::plain);
  EXPECT_EQ(facts_of(CallId::pthread_mutex_lock).role, Role::plain);
}

TEST(CallFacts, ACallBlocksIfItReturnsOnlyAfterOthersHaveActed) {
  const std::set<std::string> others = words("Recv Recv_c Wait Waitall Probe Mprobe");
  const std::set<std::string> sends =
      words("Send Send_c Rsend Rsend_c Sendrecv Sendrecv_c Sendrecv_replace Sendrecv_replace_c");
  for (std::size_t i = 1; i <= kMpiCallCount; ++i) {
    const auto call = static_cast<CallId>(i);
    const std::string name{info(call).name.substr(4)};
    const Role role = expected(call).role;
    Blocks blocks = Blocks::no;
    if (role == Role::collective || others.contains(name)) blocks = Blocks::for_all;
    if (name == "Waitany" || name == "Waitsome") blocks = Blocks::for_any;
    if (name == "Ssend" || name == "Ssend_c") blocks = Blocks::for_receive;
    if (sends.contains(name)) blocks = Blocks::for_receive_or_copy;
    EXPECT_EQ(facts_of(call).blocks, blocks) << name;
    EXPECT_EQ(is_blocking_probe(facts_of(call)), name == "Probe" || name == "Mprobe") << name;
  }
}

TEST(CallFacts, AProgramPollsWithTheCallsThatSayWhetherSomethingHasHappenedAndNoOthers) {
  const std::map<Poll, std::set<std::string>> polls{
      {Poll::message, words("Iprobe Improbe")},
      {Poll::request, words("Test Testany Testall Testsome Parrived Request_get_status Request_get_status_any "
                            "Request_get_status_all Request_get_status_some")},
      {Poll::epoch, words("Win_test")}};
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto call = static_cast<CallId>(i);
    const std::string name{is_mpi(call) ? info(call).name.substr(4) : info(call).name};
    const auto found = std::ranges::find_if(polls, [&](const auto& row) { return row.second.contains(name); });
    EXPECT_EQ(facts_of(call).poll, found == polls.end() ? Poll::no : found->first) << name;
  }
}

TEST(CallFacts, TheFactsOfMpiIoFollowFromTheNamesOfItsProcedures) {
  EXPECT_TRUE(facts_of("MPI_File_write_all_begin").facts.is_collective_io);
  EXPECT_FALSE(facts_of("MPI_File_write_shared").facts.is_collective_io);
  EXPECT_FALSE(facts_of("MPI_File_seek").facts.is_collective_io);
  for (const char* const name : {"MPI_File_seek_shared", "MPI_File_set_atomicity", "MPI_File_set_info"}) {
    EXPECT_TRUE(facts_of(name).facts.starts_collective_io) << name;
  }
  EXPECT_TRUE(facts_of("MPI_File_iread_at_all").facts.requests_collective_io);
  EXPECT_FALSE(facts_of("MPI_File_iread_at_all").facts.starts_collective_io);
  EXPECT_FALSE(facts_of("MPI_File_iread_shared").facts.requests_collective_io);
  EXPECT_FALSE(facts_of("MPI_File_write_all_begin").facts.requests_collective_io);
  EXPECT_TRUE(facts_of("MPI_File_set_size").facts.is_metadata_io);
  EXPECT_FALSE(facts_of("MPI_File_set_view").facts.is_metadata_io);
  EXPECT_FALSE(facts_of("MPI_Barrier").facts.is_collective_io);
}

TEST(CallFacts, ANameThatThisBuildDoesNotKnowHasNoFacts) {
  const NamedFacts unknown = facts_of("MPI_Of_the_future");
  EXPECT_EQ(unknown.id, CallId::none);
  EXPECT_EQ(unknown.group, CallGroup::none);
  EXPECT_EQ(unknown.facts.role, Role::plain);
  EXPECT_TRUE(is_mpi_name("MPI_Of_the_future"));
  EXPECT_FALSE(is_mpi_name("pthread_join"));
}

TEST(CallFacts, GroupsAreFoundByNameAndTheseMoveData) {
  std::set<std::string> moving;
  for (std::size_t i = 1; i < kGroups.size(); ++i) {
    const CallGroup group = group_by_name(kGroups[i].name);
    EXPECT_EQ(static_cast<std::size_t>(group), i);
    if (moves_data(group)) moving.emplace(kGroups[i].name);
  }
  EXPECT_EQ(moving, words("p2p request coll rma io"));
  EXPECT_EQ(group_by_name("nbcoll"), CallGroup::none);
}

TEST(LockFacts, TheEffectOfACallOnItsObjectIsThatWhichItsNameSays) {
  const std::vector<std::pair<std::string_view, LockUseKind>> ends{{"_init", LockUseKind::birth},
                                                                   {"_destroy", LockUseKind::death},
                                                                   {"_open", LockUseKind::open},
                                                                   {"_close", LockUseKind::close},
                                                                   {"unlock", LockUseKind::release},
                                                                   {"unset_lock", LockUseKind::release},
                                                                   {"unset_nest_lock", LockUseKind::release},
                                                                   {"critical_end", LockUseKind::release},
                                                                   {"_post", LockUseKind::wake_one},
                                                                   {"_signal", LockUseKind::wake_one},
                                                                   {"_broadcast", LockUseKind::wake_all},
                                                                   {"lock", LockUseKind::take},
                                                                   {"wait", LockUseKind::take},
                                                                   {"omp_critical", LockUseKind::take},
                                                                   {"omp_ordered", LockUseKind::take},
                                                                   {"omp_barrier", LockUseKind::take},
                                                                   {"implicit_barrier", LockUseKind::take}};
  for (std::size_t i = kMpiCallCount + 1; i < kCallCount; ++i) {
    const std::string_view name = kCalls[i].name;
    const auto found = std::ranges::find_if(ends, [&](const auto& row) { return name.ends_with(row.first); });
    EXPECT_EQ(lock_facts(static_cast<CallId>(i)).use, found == ends.end() ? LockUseKind::other : found->second) << name;
  }
  EXPECT_EQ(lock_facts(CallId::Win_lock).use, LockUseKind::other) << "no lock of threads";
  EXPECT_EQ(lock_facts(CallId::none).use, LockUseKind::other);
}

TEST(LockFacts, ACallWithATimeLimitWaitsForTheSameAsThatWithout) {
  for (std::size_t i = kMpiCallCount + 1; i < kCallCount; ++i) {
    const std::string name{kCalls[i].name};
    const ThreadAwaits waits = lock_facts(static_cast<CallId>(i)).waits;
    for (const std::string_view limit : {"timed", "clock"}) {
      std::string plain = name;
      const std::size_t at = plain.find(limit);
      if (at == std::string::npos) continue;
      const CallId without = call_by_name(plain.erase(at, limit.size()).substr(0, plain.find("_np")));
      if (without == CallId::none || lock_facts(without).waits == ThreadAwaits::no) continue;
      EXPECT_EQ(waits, lock_facts(without).waits == ThreadAwaits::thread ? ThreadAwaits::timed_thread
                                                                         : ThreadAwaits::timed_object)
          << name;
    }
    if (name.find("try") != std::string::npos) {
      EXPECT_EQ(waits, ThreadAwaits::no) << name;
    }
    if (name.ends_with("join")) {
      EXPECT_EQ(waits, ThreadAwaits::thread) << name;
    }
  }
}

}  // namespace
}  // namespace meridian::test
