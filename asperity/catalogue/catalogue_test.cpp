#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
TEST(catalogue, FindsLugre) {
  EXPECT_EQ(asperity::find_model("lugre").key, "lugre");
  asperity::any_model m(asperity::find_model("lugre"));
  m.set("F_s", 2.0);
  EXPECT_EQ(m.get("F_s")[0], 2.0);
  EXPECT_ANY_THROW(m.set("F_s", -1));
}
