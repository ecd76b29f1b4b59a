// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/memory.hpp>
#include <cmath>

namespace asperity {
namespace {

TEST(memory, AmountsAreReadWithTheirUnits) {
  EXPECT_EQ(parse_bytes("1000"), 1000);
  EXPECT_EQ(parse_bytes("2 GB"), 2e9);
  EXPECT_EQ(parse_bytes("2GB"), 2e9);
  EXPECT_EQ(parse_bytes("1.5 kB"), 1500);
  EXPECT_EQ(parse_bytes("1 MiB"), 1048576);
  EXPECT_EQ(parse_bytes("1e3 MB"), 1e9);
  for (const char* wrong :
       {"", "GB", "2 G", "2 gb", "-1 GB", "0", "nan", "inf", "1e308 TB", "2 GB x"})
    EXPECT_THROW(parse_bytes(wrong), error) << wrong;
}

TEST(memory, SomeIsFree) {
  EXPECT_GT(free_memory(), 1e6);
  EXPECT_TRUE(std::isfinite(free_memory()));
  EXPECT_EQ(free_memory(), free_memory());
}

}  // namespace
}  // namespace asperity
