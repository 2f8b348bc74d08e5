// SPDX-License-Identifier: Apache-2.0
#include "processes/shared_cpus.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace meridian {
namespace {

/// The processors of a process; none if they are unknown.
struct HostCpus {
  cpu_set_t cpus{};
  std::string host;
};

HostCpus own_cpus() {
  HostCpus own;
  CPU_ZERO(&own.cpus);
  (void)::sched_getaffinity(0, sizeof own.cpus, &own.cpus);  // fails with more than CPU_SETSIZE processors
  std::array<char, 256> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  own.host = name.data();
  return own;
}

Message message_of(const HostCpus& given) {
  Message message(sizeof given.cpus + given.host.size());
  std::memcpy(message.data(), &given.cpus, sizeof given.cpus);
  std::memcpy(message.data() + sizeof given.cpus, given.host.data(), given.host.size());
  return message;
}

HostCpus cpus_in(const Message& message) {
  HostCpus given;
  CPU_ZERO(&given.cpus);
  if (message.size() < sizeof given.cpus) return given;
  std::memcpy(&given.cpus, message.data(), sizeof given.cpus);
  given.host.assign(message.begin() + sizeof given.cpus, message.end());
  return given;
}

void run_on(const cpu_set_t& cpus) {
  if (CPU_COUNT(&cpus) != 0) (void)::sched_setaffinity(0, sizeof cpus, &cpus);
}

}  // namespace

Status share_cpus(Processes& processes) {
  const HostCpus own = own_cpus();
  if (processes.rank() != 0) {
    MERIDIAN_TRY_DO(processes.send(0, message_of(own)));
    MERIDIAN_TRY(const Message all, processes.receive(0));
    run_on(cpus_in(all).cpus);
    return {};
  }
  std::vector<HostCpus> given{own};
  for (int other = 1; other < processes.count(); ++other) {
    MERIDIAN_TRY(const Message message, processes.receive(other));
    given.push_back(cpus_in(message));
  }
  std::map<std::string, cpu_set_t> of_host;
  for (const HostCpus& each : given) {
    cpu_set_t& all = of_host.try_emplace(each.host).first->second;
    CPU_OR(&all, &all, &each.cpus);
  }
  for (int other = 1; other < processes.count(); ++other) {
    const std::string& host = given[static_cast<std::size_t>(other)].host;
    MERIDIAN_TRY_DO(processes.send(other, message_of({of_host[host], host})));
  }
  run_on(of_host[own.host]);
  return {};
}

}  // namespace meridian
