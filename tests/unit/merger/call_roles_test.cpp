// SPDX-License-Identifier: Apache-2.0
#include "merger/model/call_roles.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>

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
  if (!is_mpi(call)) return {};
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

TEST(CallRoles, EachCallHasTheRoleThatItsNameSays) {
  int others = 0;
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto call = static_cast<CallId>(i);
    const Expected as_named = expected(call);
    EXPECT_EQ(role_of(call).role, as_named.role) << info(call).name;
    EXPECT_EQ(role_of(call).shape, as_named.shape) << info(call).name;
    EXPECT_EQ(role_of(call).bytes, as_named.bytes) << info(call).name;
    others += as_named.role != Role::plain ? 1 : 0;
  }
  EXPECT_EQ(others, 282);
}

TEST(CallRoles, EachCallOfTheGroupsOfMessagesAndCollectivesHasOne) {
  const std::set<std::string> plain = words("MPI_Pready MPI_Pready_range MPI_Pready_list MPI_Parrived");
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto& [name, group] = kCalls[i];
    if (group != CallGroup::coll && group != CallGroup::p2p) continue;
    const bool is_plain = plain.contains(std::string{name}) || name.find("uffer") != std::string_view::npos;
    EXPECT_EQ(role_of(static_cast<CallId>(i)).role == Role::plain, is_plain) << name;
  }
}

TEST(CallRoles, AllFormsOfACollectiveAreOfOneKindAndOthersOfAnother) {
  std::map<std::string, std::set<int>> kinds;
  for (const auto& [name, rule] : kCollectives) {
    for (const std::string& form :
         {name, name + "_c",
          std::string{"I"}.append(1, static_cast<char>(std::tolower(name[0]))).append(name.substr(1)), name + "_init",
          name + "_init_c"}) {
      const CallId call = call_by_name("MPI_" + form);
      if (call != CallId::none) kinds[name].insert(role_of(call).kind);
    }
  }
  std::set<int> seen{role_of(CallId::Send).kind};
  for (const auto& [name, kind] : kinds) {
    EXPECT_EQ(kind.size(), 1U) << name;
    EXPECT_TRUE(seen.insert(*kind.begin()).second) << name;
  }
  EXPECT_EQ(seen.size(), 23U);
}

TEST(CallRoles, WhatIsNoCallIsPlain) {
  EXPECT_EQ(role_of(CallId::none).role, Role::plain);
  EXPECT_EQ(role_of(CallId::count_).role, Role::plain);
  EXPECT_EQ(role_of(CallId::pthread_mutex_lock).role, Role::plain);
}

TEST(CallRoles, ACallBlocksIfItReturnsOnlyAfterOthersHaveActed) {
  const std::set<std::string> others = words("Wait Waitall Probe Mprobe");
  for (std::size_t i = 1; i <= kMpiCallCount; ++i) {
    const auto call = static_cast<CallId>(i);
    const std::string name{info(call).name.substr(4)};
    const Role role = expected(call).role;
    const bool is_for_all = role == Role::send || role == Role::receive || role == Role::sendrecv ||
                            role == Role::collective || others.contains(name);
    const bool is_for_any = name == "Waitany" || name == "Waitsome";
    EXPECT_EQ(role_of(call).blocks, is_for_any ? Blocks::for_any : is_for_all ? Blocks::for_all : Blocks::no) << name;
  }
}

}  // namespace
}  // namespace meridian::test
