// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/batch_rows.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

/// One event of the payload, without the rows that it refers to.
EventBatch event_of(Payload payload) {
  EventBatch batch;
  batch.enter_ticks = {1};
  batch.leave_ticks = {2};
  batch.call = {CallId::Send};
  batch.payload = {payload};
  batch.flags = {0};
  batch.completion_count = {0};
  return batch;
}

struct Needs {
  Payload payload;
  void (*add)(EventBatch&);  ///< the rows of one event
};
constexpr Needs kNeeds[] = {
    {Payload::p2p, [](EventBatch& batch) { batch.p2p.resize(1); }},
    {Payload::sendrecv, [](EventBatch& batch) { batch.p2p.resize(2); }},
    {Payload::coll, [](EventBatch& batch) { batch.coll.resize(1); }},
    {Payload::rma, [](EventBatch& batch) { batch.rma.resize(1); }},
    {Payload::io, [](EventBatch& batch) { batch.io.resize(1); }},
    {Payload::handle, [](EventBatch& batch) { batch.handles.resize(1); }},
    {Payload::lock, [](EventBatch& batch) { batch.locks.resize(1); }},
    {Payload::thread_op, [](EventBatch& batch) { batch.thread_ops.resize(1); }},
    {Payload::polls, [](EventBatch& batch) { batch.polls.resize(1); }},
    {Payload::user,
     [](EventBatch& batch) {
       batch.user.push_back({.definition = 1, .words = 2});
       batch.user_values.resize(2);
     }},
};

TEST(BatchRows, EachPayloadNeedsItsRowsAndNoOthers) {
  for (const Needs& needs : kNeeds) {
    EventBatch batch = event_of(needs.payload);
    EXPECT_FALSE(has_all_rows(batch)) << static_cast<int>(needs.payload);
    needs.add(batch);
    EXPECT_TRUE(has_all_rows(batch)) << static_cast<int>(needs.payload);
    batch.payload = {Payload::local};
    EXPECT_FALSE(has_all_rows(batch)) << static_cast<int>(needs.payload);
  }
  for (const Payload payload : {Payload::local, Payload::requests, Payload::comm})
    EXPECT_TRUE(has_all_rows(event_of(payload))) << static_cast<int>(payload);
}

TEST(BatchRows, CompletionsSitesAndValuesAreNeededToo) {
  EventBatch batch = event_of(Payload::requests);
  batch.completion_count = {2};
  EXPECT_FALSE(has_all_rows(batch));
  batch.completions.resize(2);
  EXPECT_TRUE(has_all_rows(batch));
  batch.flags = {kFlagSite};
  EXPECT_FALSE(has_all_rows(batch));
  batch.sites = {0x1000};
  EXPECT_TRUE(has_all_rows(batch));
  batch.nodes = {1, 2};
  EXPECT_FALSE(has_all_rows(batch));
  batch.nodes = {1};
  EXPECT_TRUE(has_all_rows(batch));
  batch.user_values = {7};
  EXPECT_FALSE(has_all_rows(batch));
}

TEST(BatchRows, ColumnsOfDifferentLengthsAreNoBatch) {
  EventBatch batch = event_of(Payload::local);
  EXPECT_TRUE(has_all_rows(batch));
  batch.leave_ticks.push_back(3);
  EXPECT_FALSE(has_all_rows(batch));
}

}  // namespace
}  // namespace meridian
