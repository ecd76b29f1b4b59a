// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/sweep/stepped_models.hpp>
#include <cmath>

namespace asperity {
namespace {

const auto always = [] { return true; };

struct motion {
  std::vector<double> t, v;
  explicit motion(std::size_t rows, double speed = 2e-3) {
    for (std::size_t i = 0; i < rows; ++i) {
      t.push_back(0.01 * static_cast<double>(i));
      v.push_back(speed * std::sin(9 * t.back()));
    }
  }
  sampled_inputs of(const any_model& model) const { return {model, t, {nullptr, v.data()}}; }
};

std::vector<instruction_set> sets_of_this_machine() {
  std::vector<instruction_set> sets{instruction_set::baseline};
  if (widest_instructions() >= instruction_set::avx2) sets.push_back(instruction_set::avx2);
  if (widest_instructions() >= instruction_set::avx512) sets.push_back(instruction_set::avx512);
  return sets;
}

// The first parameter that is a single number, and values around what it is.
std::string spread(const any_model& model, std::size_t count, std::vector<double>& values) {
  for (const auto& p : model.describe().parameters) {
    if (p.is_list || p.count != nullptr || p.whole != nullptr || *p.value[0] == 0) continue;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(*p.value[0] * (1 + 0.01 * static_cast<double>(i)));
    return p.name;
  }
  return {};
}

// Two ways to the same numbers, for every law of sliding, in every width.
TEST(stepped_models, AreSteppedAsEachAlone) {
  const motion moves(150);
  constexpr std::size_t count = 37;  // lanes are left over in every width
  int packed = 0;
  for (const catalogue_entry* entry : catalogue()) {
    const any_model like(*entry);
    std::vector<double> values;
    const std::string name = spread(like, count, values);
    if (!like.at().is_sliding() || name.empty()) continue;
    SCOPED_TRACE(entry->key + "." + name);
    const auto given = moves.of(like);
    std::vector<std::vector<double>> alone;
    try {
      for (const double value : values) {
        any_model one = like;
        one.set(name, value);
        stepped_model stepped(one);
        alone.emplace_back(given.rows());
        ASSERT_EQ(sample(stepped, given, true, alone.back().data(), always).how,
                  outcome::completed);
      }
    } catch (const error&) {
      continue;  // a rule between parameters; tested below
    }
    // The last bit of exp also moves the lengths of steps; where a law switches steeply, as far as
    // their own tolerance.
    const double tolerance =
        entry->key == "gms_smoothed" ? stepped_model::relative_tolerance : 1e-10;
    double largest = 0;
    for (const auto& each : alone)
      for (const double f : each) largest = std::max(largest, std::abs(f));
    std::vector<double> of_baseline;
    for (const instruction_set use : sets_of_this_machine()) {
      const stepped_models::values varied[] = {{name, values.data()}};
      stepped_models many(like, varied, count, use);
      std::vector<double> out(count * given.rows());
      ASSERT_EQ(many.sample(given, true, out.data(), always).how, outcome::completed);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t row = 0; row < given.rows(); ++row)
          ASSERT_NEAR(out[i * given.rows() + row], alone[i][row], tolerance * largest)
              << i << " " << row;
      packed += many.is_in_packs() && use == instruction_set::baseline ? 1 : 0;
      // All widths have the same bits.
      if (of_baseline.empty()) of_baseline = out;
      ASSERT_EQ(out, of_baseline);
    }
  }
  EXPECT_GT(packed, 12);
}

// Without exp nothing differs: steps, their lengths, and what is rejected.
TEST(stepped_models, HaveTheSameBitsWithoutExp) {
  const motion moves(150);
  for (const char* key : {"lugre", "elastoplastic", "gms_smoothed"}) {
    const any_model like(find_entry(key), "stribeck_lorentzian");
    std::vector<double> values;
    for (int i = 0; i < 20; ++i) values.push_back(1.5 + 0.02 * i);
    const stepped_models::values varied[] = {{"F_s", values.data()}};
    stepped_models many(like, varied, values.size());
    ASSERT_TRUE(many.is_in_packs()) << key;
    const auto given = moves.of(like);
    std::vector<double> out(values.size() * given.rows()), alone(given.rows());
    ASSERT_EQ(many.sample(given, true, out.data(), always).how, outcome::completed);
    for (std::size_t i = 0; i < values.size(); ++i) {
      any_model one = like;
      one.set("F_s", values[i]);
      stepped_model stepped(one);
      ASSERT_EQ(sample(stepped, given, true, alone.data(), always).how, outcome::completed);
      for (std::size_t row = 0; row < alone.size(); ++row)
        ASSERT_EQ(out[i * alone.size() + row], alone[row]) << key << " " << i << " " << row;
    }
  }
}

TEST(stepped_models, GoOnAndKeepTheirStates) {
  const any_model like(find_entry("lugre"));
  const motion moves(101);
  const std::vector<double> limits{1.1, 1.5, 2.0};
  const stepped_models::values varied[] = {{"F_s", limits.data()}};
  stepped_models whole(like, varied, 3), parts(like, varied, 3);
  ASSERT_TRUE(whole.is_in_packs());
  std::vector<double> all(303), first(153), rest(153);
  ASSERT_EQ(whole.sample(moves.of(like), true, all.data(), always).how, outcome::completed);
  const sampled_inputs begin(like, {moves.t.data(), 51}, {nullptr, moves.v.data()});
  const sampled_inputs end(like, {moves.t.data() + 50, 51}, {nullptr, moves.v.data() + 50});
  ASSERT_EQ(parts.sample(begin, true, first.data(), always).how, outcome::completed);
  ASSERT_EQ(parts.sample(end, false, rest.data(), always).how, outcome::completed);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t row = 0; row < 51; ++row) {
      EXPECT_EQ(first[i * 51 + row], all[i * 101 + row]);
      EXPECT_EQ(rest[i * 51 + row], all[i * 101 + 50 + row]);
    }
  EXPECT_EQ(parts.state(1), whole.state(1));
  parts.set_state(1, std::vector{1e-6});
  EXPECT_EQ(parts.state(1), std::vector{1e-6});
  EXPECT_EQ(parts.state(2), whole.state(2));
  EXPECT_THROW(parts.set_state(1, std::vector{1.0, 2.0}), error);
}

TEST(stepped_models, RefuseWhatOneRefuses) {
  const any_model like(find_entry("lugre"));
  for (const double bad : {-1.0, 0.5, std::nan("")}) {  // below F_c, too
    const std::vector<double> limits{1.5, 1.6, bad};
    const stepped_models::values varied[] = {{"F_s", limits.data()}};
    try {
      const stepped_models many(like, varied, 3);
      ADD_FAILURE() << bad;
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find("F_s"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("model 2 of 3"), std::string::npos) << e.what();
    }
  }
  const std::vector<double> any{1.0, 2.0};
  const stepped_models::values unknown[] = {{"F_q", any.data()}};
  EXPECT_THROW(stepped_models(like, unknown, 2), error);
}

TEST(stepped_models, SayWhichFailedAndWhere) {
  const any_model like(find_entry("lugre"));
  const std::vector<double> limits{1.5, 1.6};
  const stepped_models::values varied[] = {{"F_s", limits.data()}};
  stepped_models many(like, varied, 2);
  motion moves(20);
  moves.v[7] = std::nan("");
  std::vector<double> out(40);
  const auto end = many.sample(moves.of(like), true, out.data(), always);
  EXPECT_EQ(end.how, outcome::not_finite);
  EXPECT_EQ(end.row, 7U);
  moves.v[7] = 0;
  EXPECT_EQ(many.sample(moves.of(like), true, out.data(), [] { return false; }).how,
            outcome::interrupted);
  EXPECT_EQ(many.sample(moves.of(like), true, out.data(), always).how, outcome::completed);
}

}  // namespace
}  // namespace asperity
