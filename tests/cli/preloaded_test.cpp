// SPDX-License-Identifier: Apache-2.0
#include "cli/support/preloaded.hpp"

#include <gtest/gtest.h>

namespace meridian::test {
namespace {

TEST(Preloaded, LibrariesAreKeptButTheTracer) {
  EXPECT_EQ(without_tracer(""), "");
  EXPECT_EQ(without_tracer("/opt/lib/meridian/mpich/libmeridian.so"), "");
  EXPECT_EQ(without_tracer("libmeridian.so libasan.so"), "libasan.so");
  EXPECT_EQ(without_tracer("/a/libtcmalloc.so:/b/libmeridian.so::/c/libmeridian.so.bak"),
            "/a/libtcmalloc.so:/c/libmeridian.so.bak");
  EXPECT_EQ(without_tracer("/a/libmeridian.so/libother.so"), "/a/libmeridian.so/libother.so");
}

}  // namespace
}  // namespace meridian::test
