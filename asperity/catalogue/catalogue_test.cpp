#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
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

// A law over cells is built of its keys once, when all are set, and answers as before until then.
TEST(catalogue, LawsOverCellsAreBuiltOfTheirKeys) {
  asperity::any_model model(asperity::find_entry("patch_dai"));
  const double in[7] = {0, 0, 0, 0.01, 0, 0.3, 1};
  const auto force = [&](const asperity::any_model& m) {
    std::vector<double> state(static_cast<std::size_t>(m.states())), rate(state.size());
    double out[3] = {};
    m.initial(in, state.data());
    m.respond(in, state.data(), out, rate.data());
    return out[2];
  };
  const int cells = model.states();
  const double before = force(model);
  model.choose("shape", "ring");
  model.set("cells", 10);
  EXPECT_EQ(model.states(), cells);
  EXPECT_EQ(force(model), before);
  EXPECT_THROW(static_cast<void>(model.check()), asperity::error);
  model.build();
  EXPECT_EQ(model.check(), "");
  EXPECT_LT(model.states(), cells);
  EXPECT_NE(force(model), before);

  // A copy has the same law, and parameters of its own.
  asperity::any_model copy = model;
  EXPECT_EQ(copy.law(), model.law());
  EXPECT_EQ(force(copy), force(model));
  copy.set("K", 1);
  copy.build();
  EXPECT_NE(copy.law(), model.law());
  EXPECT_EQ(model.get("K")[0], 1e5);

  // What does not fit is refused in words, and the law stays as it was.
  copy.set("inner_radius", 0.9);
  EXPECT_THROW(copy.build(), asperity::error);
  EXPECT_THROW(copy.choose("shape", "star"), asperity::error);
  EXPECT_THROW(copy.choose("K", "disc"), asperity::error);
  EXPECT_THROW(copy.set("cells", 91), asperity::error);
  EXPECT_THROW(copy.set("width", 0.1), asperity::error);  // of a rectangle
}

// Cells are padded to eight; those that are idle have no name, and are last in each list.
TEST(catalogue, IdleCellsHaveNoName) {
  asperity::any_model model(asperity::find_entry("patch_dai"));
  model.choose("shape", "rectangle");
  model.set("cells", 5);
  model.build();
  const auto names = model.state_names();
  ASSERT_EQ(names.size(), 64U);
  EXPECT_EQ(names[24], "b_x_25");
  EXPECT_EQ(names[25], "");
  EXPECT_EQ(names[32], "b_y_1");
  EXPECT_EQ(names[63], "");
}

// Another case is nearer than another letter.
TEST(catalogue, SuggestsTheSameNameInAnotherCase) {
  using asperity::nearest_names;
  EXPECT_EQ(nearest_names("Fs", {"F_c", "F_s", "F_v"}), "did you mean 'F_s'?");
  EXPECT_EQ(nearest_names("_", {"F_c", "F_s"}), "allowed: F_c, F_s");
  EXPECT_EQ(nearest_names("F_S", {"F_c", "F_s", "F_v"}), "did you mean 'F_s'?");
  EXPECT_EQ(nearest_names("f_C", {"F_s", "F_c"}), "did you mean 'F_c'?");
  EXPECT_EQ(nearest_names("LUGRE_CONTACT", {"lugre", "lugre_contact"}),
            "did you mean 'lugre_contact'?");
  EXPECT_EQ(nearest_names("k", {"beta", "K"}), "did you mean 'K'?");
  EXPECT_EQ(nearest_names("q", {"beta", "K"}), "allowed: K, beta");
  EXPECT_EQ(nearest_names("modles", {"methods", "models"}), "did you mean 'models'?");
  EXPECT_EQ(nearest_names("rnu", {"fmu", "run"}), "did you mean 'run'?");
  EXPECT_EQ(nearest_names("max", {"mean", "maximum"}), "did you mean 'maximum'?");
  EXPECT_EQ(nearest_names("Xiong", {"xia_2012", "xiong_2013/fig_3_4", "xiong_2013"}),
            "did you mean 'xiong_2013'?");
  EXPECT_EQ(nearest_names("ma", {"mean", "maximum"}), "allowed: mean, maximum");
}
