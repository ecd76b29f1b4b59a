#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
TEST(catalogue, FindsLugre) {
  EXPECT_EQ(asperity::find_model("lugre").key, "lugre");
  asperity::any_model m(asperity::find_model("lugre"));
  m.set("F_s", 2.0);
  EXPECT_EQ(m.get("F_s")[0], 2.0);
  EXPECT_ANY_THROW(m.set("F_s", -1));
}

// A model that contains a Stribeck curve takes every curve by name, starts fine with each, and
// begins with the one its header names.
TEST(catalogue, EveryCurveFitsEveryModelThatTakesOne) {
  std::vector<std::string> curves;
  for (const auto* entry : asperity::catalogue())
    if (entry->family == "curve") curves.push_back(entry->key);
  ASSERT_GE(curves.size(), 7U);
  for (const char* key : {"lugre", "dai_multistate", "dai_stribeck", "elastoplastic", "scbm"})
    for (const auto& curve : curves) {
      const asperity::any_model model(asperity::find_model(key), curve);
      EXPECT_EQ(model.curve(), curve);
      EXPECT_EQ(model.check(), "") << key << " with " << curve;
    }
  EXPECT_EQ(asperity::any_model(asperity::find_model("lugre")).curve(), "stribeck_exponential");
  EXPECT_EQ(asperity::any_model(asperity::find_model("scbm")).curve(), "stribeck_sech");
}

// Inside a model every curve starts with the friction at rest and the viscous friction of that
// model.
TEST(catalogue, CurvesStartFromTheValuesOfTheirModel) {
  const auto& lugre = asperity::find_model("lugre");
  for (const auto& variant : lugre.variants) {
    const asperity::any_model model(lugre, variant.curve);
    EXPECT_DOUBLE_EQ(model.force_bound(0, 0, 1), 1.5) << variant.curve;
    EXPECT_EQ(model.get("sigma_2").front(), 0.4) << variant.curve;
  }
}
