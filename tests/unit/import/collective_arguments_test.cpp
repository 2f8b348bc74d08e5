// SPDX-License-Identifier: Apache-2.0
#include "import/collective_arguments.hpp"

#include <gtest/gtest.h>

#include "trace/model/collective_bytes.hpp"

namespace meridian::imported {
namespace {

constexpr BytesRule kRules[] = {
    BytesRule::nothing,     BytesRule::broadcast,       BytesRule::gather,
    BytesRule::gatherv,     BytesRule::scatter,         BytesRule::scatterv,
    BytesRule::allgather,   BytesRule::allgatherv,      BytesRule::alltoall,
    BytesRule::as_recorded, BytesRule::over_neighbours, BytesRule::reduce,
    BytesRule::allreduce,   BytesRule::reduce_scatter,  BytesRule::reduce_scatter_block,
    BytesRule::scan,        BytesRule::exscan,
};

TEST(CollectiveArguments, GiveTheBytesThatTheArchiveHas) {
  constexpr std::uint64_t kRanks = 4;
  for (const BytesRule rule : kRules)
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(kRanks); ++rank)
      for (const std::int32_t root : {kNoRoot, 0, 2}) {
        const Collective program{1, root, 0, 24, 40, 0};
        const CollectiveBytes bytes = collective_bytes(rule, program, kRanks, rank, false);
        Collective imported{1, root, 0, 0, 0, 0};
        set_collective_arguments(imported, rule, bytes.sent, bytes.received, kRanks, rank, false);
        const CollectiveBytes again = collective_bytes(rule, imported, kRanks, rank, false);
        EXPECT_EQ(again.sent, bytes.sent) << "rule " << static_cast<int>(rule) << " rank " << rank << " root " << root;
        EXPECT_EQ(again.received, bytes.received)
            << "rule " << static_cast<int>(rule) << " rank " << rank << " root " << root;
      }
}

TEST(CollectiveArguments, AreWholeBlocksIfTheArchiveCountsOtherwise) {
  Collective allreduce{1, kNoRoot, 0, 0, 0, 0};
  set_collective_arguments(allreduce, BytesRule::allreduce, 8, 8, 4, 0, false);  // one block, not one for each rank
  EXPECT_EQ(allreduce.send_bytes, 2U);
}

}  // namespace
}  // namespace meridian::imported
