// SPDX-License-Identifier: Apache-2.0
#include "merger/model/call_roles.hpp"

#include <array>
#include <string_view>

namespace meridian {
namespace {

struct NamedRole {
  std::string_view name;
  Role role;
};

// Without "MPI_" and without the "_c" of large-count forms.
constexpr NamedRole kNamedRoles[] = {
    {"Send", Role::send},
    {"Bsend", Role::send},
    {"Ssend", Role::send},
    {"Rsend", Role::send},
    {"Recv", Role::receive},
    {"Sendrecv", Role::sendrecv},
    {"Sendrecv_replace", Role::sendrecv},
    {"Isend", Role::isend},
    {"Ibsend", Role::isend},
    {"Issend", Role::isend},
    {"Irsend", Role::isend},
    {"Irecv", Role::irecv},
    {"Isendrecv", Role::isendrecv},
    {"Isendrecv_replace", Role::isendrecv},
    {"Send_init", Role::send_init},
    {"Bsend_init", Role::send_init},
    {"Ssend_init", Role::send_init},
    {"Rsend_init", Role::send_init},
    {"Recv_init", Role::recv_init},
    {"Psend_init", Role::psend_init},
    {"Precv_init", Role::precv_init},
    {"Probe", Role::probe},
    {"Iprobe", Role::probe},
    {"Mprobe", Role::mprobe},
    {"Improbe", Role::mprobe},
    {"Mrecv", Role::mrecv},
    {"Imrecv", Role::imrecv},
    {"Wait", Role::complete},
    {"Waitany", Role::complete},
    {"Waitall", Role::complete},
    {"Waitsome", Role::complete},
    {"Test", Role::complete},
    {"Testany", Role::complete},
    {"Testall", Role::complete},
    {"Testsome", Role::complete},
    {"Start", Role::start},
    {"Startall", Role::start},
    {"Cancel", Role::cancel},
    {"Request_free", Role::request_free},
    {"Put", Role::put},
    {"Rput", Role::put},
    {"Accumulate", Role::put},
    {"Raccumulate", Role::put},
    {"Get", Role::get},
    {"Rget", Role::get},
    {"Get_accumulate", Role::exchange},
    {"Rget_accumulate", Role::exchange},
    {"Fetch_and_op", Role::exchange},
    {"Compare_and_swap", Role::exchange},
    {"Comm_free", Role::use_comm},
    {"Comm_disconnect", Role::use_comm},
    {"Comm_set_name", Role::use_comm},
    {"Win_create", Role::make_window},
    {"Win_create_dynamic", Role::make_window},
    {"Win_allocate", Role::make_window},
    {"Win_allocate_shared", Role::make_window},
    {"File_open", Role::open_file},
};

struct CollectiveRow {
  std::string_view name;
  CollectiveShape shape;
  BytesRule bytes;
};
using enum CollectiveShape;
constexpr CollectiveRow kCollectives[] = {
    {"Barrier", all_to_all, BytesRule::nothing},
    {"Bcast", one_to_all, BytesRule::broadcast},
    {"Gather", all_to_one, BytesRule::gather},
    {"Gatherv", all_to_one, BytesRule::gatherv},
    {"Scatter", one_to_all, BytesRule::scatter},
    {"Scatterv", one_to_all, BytesRule::scatterv},
    {"Allgather", all_to_all, BytesRule::allgather},
    {"Allgatherv", all_to_all, BytesRule::allgatherv},
    {"Alltoall", all_to_all, BytesRule::alltoall},
    // Which pairs of ranks exchange data is not recorded, and no rank waits for a pair that does not.
    {"Alltoallv", CollectiveShape::none, BytesRule::as_recorded},
    {"Alltoallw", CollectiveShape::none, BytesRule::as_recorded},
    {"Reduce", all_to_one, BytesRule::reduce},
    {"Allreduce", all_to_all, BytesRule::allreduce},
    {"Reduce_scatter", all_to_all, BytesRule::reduce_scatter},
    {"Reduce_scatter_block", all_to_all, BytesRule::reduce_scatter_block},
    {"Scan", prefix, BytesRule::scan},
    {"Exscan", prefix, BytesRule::exscan},
    {"Neighbor_allgather", CollectiveShape::none, BytesRule::as_recorded},
    {"Neighbor_allgatherv", CollectiveShape::none, BytesRule::as_recorded},
    {"Neighbor_alltoall", CollectiveShape::none, BytesRule::as_recorded},
    {"Neighbor_alltoallv", CollectiveShape::none, BytesRule::as_recorded},
    {"Neighbor_alltoallw", CollectiveShape::none, BytesRule::as_recorded},
};

constexpr bool drop_prefix(std::string_view& text, std::string_view prefix) noexcept {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}
constexpr bool drop_suffix(std::string_view& text, std::string_view suffix) noexcept {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

/// "bcast" is "Bcast" behind the I of a non-blocking name.
constexpr bool equal_but_first_case(std::string_view lower, std::string_view name) noexcept {
  return lower.size() == name.size() && !lower.empty() && lower[0] == name[0] - 'A' + 'a' &&
         lower.substr(1) == name.substr(1);
}

constexpr CallRole collective_role(std::string_view name) noexcept {
  Role role = Role::collective;
  if (drop_suffix(name, "_init")) role = Role::collective_init;
  std::uint8_t kind = 0;
  for (const CollectiveRow& row : kCollectives) {
    ++kind;
    if (name == row.name) return {role, row.shape, row.bytes, kind};
    if (role == Role::collective && name.starts_with('I') && equal_but_first_case(name.substr(1), row.name))
      return {Role::icollective, row.shape, row.bytes, kind};
  }
  return {};
}

constexpr CallRole find_role(std::string_view name) noexcept {
  if (!drop_prefix(name, "MPI_")) return {};
  drop_suffix(name, "_c");
  for (const NamedRole& row : kNamedRoles)
    if (name == row.name) return {.role = row.role};
  if (drop_prefix(name, "File_")) {
    if (name.starts_with("read") || name.starts_with("iread")) return {.role = Role::get};
    if (name.starts_with("write") || name.starts_with("iwrite")) return {.role = Role::put};
    return {};
  }
  return collective_role(name);
}

constexpr std::array<CallRole, kCallCount> kRoles = [] {
  std::array<CallRole, kCallCount> table{};
  for (std::size_t i = 1; i < kCallCount; ++i) table[i] = find_role(kCalls[i].name);
  return table;
}();

}  // namespace

CallRole role_by_name(std::string_view name) noexcept { return find_role(name); }

const CallRole& role_of(CallId call) noexcept {
  const auto index = static_cast<std::size_t>(call);
  return kRoles[index < kCallCount ? index : 0];
}

}  // namespace meridian
