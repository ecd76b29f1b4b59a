// SPDX-License-Identifier: Apache-2.0
// Cards can be read, their references hold, and models do on them what physics says of their laws.

#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/publish/conformance.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace asperity {
namespace {

namespace fs = std::filesystem;
using verdict = conformance_verdict;

const std::string folder = ASPERITY_SOURCE_DIR "/conformance";

conformance_result put(const std::string& card, const std::string& model) {
  const auto cards = read_conformance_cards(folder, {card});
  return run_conformance(cards, {model})[0].results[0];
}

// A card of ours with one line changed.
std::string complaint_about(const std::string& line, const std::string& instead) {
  const fs::path copy = fs::path(::testing::TempDir()) / "asperity_conformance_card";
  fs::create_directories(copy);
  std::ifstream in(folder + "/hold_for_an_hour.toml");
  std::string text(std::istreambuf_iterator<char>(in), {});
  const auto place = text.find(line);
  EXPECT_NE(place, std::string::npos) << line;
  text.replace(place, line.size(), instead);
  std::ofstream(copy / "hold_for_an_hour.toml") << text;
  std::string said;
  try {
    static_cast<void>(read_conformance_cards(copy.string(), {"hold_for_an_hour"}));
  } catch (const error& problem) {
    said = problem.what();
  }
  fs::remove_all(copy);
  return said;
}

TEST(conformance, EveryCardHasARowAndEveryRowACard) {
  std::set<std::string> files, rows;
  for (const auto& entry : fs::directory_iterator(folder))
    files.insert(entry.path().stem().string());
  for (const auto* each : conformance_rows()) rows.insert(each->name);
  EXPECT_EQ(files, rows);
  EXPECT_EQ(read_conformance_cards(folder).size(), rows.size());
}

TEST(conformance, BadCardsAreRefusedWithThePlace) {
  EXPECT_NE(complaint_about("mass = \"1 kg\"", "mass = \"1 m\"").find("hold_for_an_hour.toml:"),
            std::string::npos);
  EXPECT_NE(complaint_about("mass = ", "mas = ").find("mas"), std::string::npos);
  EXPECT_NE(complaint_about("at_most = 1e-9", "").find("at_least"), std::string::npos);
  EXPECT_NE(complaint_about("name = \"drift\"", "name = \"creep\"").find("drift"),
            std::string::npos);
  // Two ways, and both within the error.
  EXPECT_NE(complaint_about("value = 0", "value = 1").find("error"), std::string::npos);
  EXPECT_NE(complaint_about("unit = \"m\"", "unit = \"furlong\"").find("furlong"),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(read_conformance_cards(folder, {"hold_for_a_day"})), error);
  EXPECT_THROW(static_cast<void>(conformance_folder("/nowhere/at/all")), error);
}

// ---- what is known of the laws ------------------------------------------------------------------

// By their claims, no list of names: laws that promise to hold do.
TEST(conformance, LawsThatClaimNotToDriftHold) {
  const auto cards =
      read_conformance_cards(folder, {"hold_for_an_hour", "drift_under_vibration", "two_brakes"});
  int held = 0;
  for (const catalogue_entry* each : catalogue()) {
    if (each->family != "friction" || (any_model(*each).describe().claims & no_drift) == 0)
      continue;
    const auto row = run_conformance(cards, {each->key});
    for (const auto& r : row[0].results) {
      EXPECT_EQ(r.verdict, verdict::met) << each->key << " on " << r.card << ": " << r.why;
      ++held;
    }
  }
  EXPECT_GE(held, 21);
}

TEST(conformance, LuGreAndDahlDriftUnderVibration) {
  for (const char* law : {"lugre", "dahl"}) {
    const auto r = put("drift_under_vibration", law);
    EXPECT_EQ(r.verdict, verdict::not_met) << law;
    // On and on in the direction of the mean force: the second half of the periods as the first.
    EXPECT_GT(r.outcome.y.back(), 0) << law;
    EXPECT_GT(r.outcome.values[0], 1e-6) << law;
  }
}

// F v/V: at 96 % of the limit it creeps with 0.96 V for ever.
TEST(conformance, RegularisedCoulombFrictionCreeps) {
  const auto r = put("hold_for_an_hour", "regularised_coulomb");
  EXPECT_EQ(r.verdict, verdict::not_met);
  const double V = any_model(find_entry("regularised_coulomb")).get("V")[0];
  // From the middle of one tenth of the hour to that of another, four tenths later, less half a tenth.
  EXPECT_NEAR(r.outcome.values[0], 0.96 * V * 0.35 * 3600, 1e-3 * V * 3600);
}

// One state forgets where it turned: along the path 1 - z halves with each presliding way, and so
// does 1 + z on the way back. That is dahl with the exponent 1 and lugre in slow motion.
TEST(conformance, LoopsOfOneStateDoNotClose) {
  const double path[] = {3, 0.5, 2, 1, 2, 3, 4};
  double z = 0, at = 0, turned[7];
  for (int i = 0; i < 7; ++i) {
    const double way = path[i] - at;
    z = way > 0 ? 1 - (1 - z) * std::exp2(-way) : (1 + z) * std::exp2(way) - 1;
    at = path[i];
    turned[i] = z;
  }
  const double closure = std::max(std::abs(turned[5] - turned[0]), std::abs(turned[4] - turned[2]));
  const auto r = put("presliding_memory", "lugre");
  EXPECT_EQ(r.verdict, verdict::not_met);
  EXPECT_NEAR(r.outcome.values[0], closure, 2e-3);
  EXPECT_EQ(put("presliding_memory", "maxwell_slip").verdict, verdict::met);
  EXPECT_EQ(put("presliding_memory", "coulomb").verdict, verdict::does_not_apply);
}

// B v at touchdown, of a force whose peak is known as well.
TEST(conformance, SpringAndDamperJumpAndPull) {
  const auto r = put("touchdown", "kelvin_voigt");
  EXPECT_EQ(r.verdict, verdict::not_met);
  const any_model law(find_entry("kelvin_voigt"));
  const double K = law.get("K")[0], B = law.get("B")[0], w = std::sqrt(K), zeta = B / (2 * w);
  // x = exp(-zeta w t) sin(w_d t)/w_d; the force, K x + B x', is highest where its rate is 0.
  const double root = std::sqrt(1 - zeta * zeta), w_d = w * root;
  double peak = 0;
  for (double t = 0; t < 4 / w; t += 1e-6) {
    const double decay = std::exp(-zeta * w * t);
    const double x = decay * std::sin(w_d * t) / w_d;
    const double v = decay * (std::cos(w_d * t) - zeta / root * std::sin(w_d * t));
    peak = std::max(peak, K * x + B * v);
  }
  EXPECT_NEAR(r.outcome.values[0], B / peak, 5e-3);
  EXPECT_GT(r.outcome.values[1], 0.01);
  for (const char* law : {"hertz", "hunt_crossley"})
    EXPECT_LT(put("touchdown", law).outcome.values[0], 0.01) << law;
  EXPECT_EQ(put("touchdown", "rigid").verdict, verdict::does_not_apply);
}

// ---- references ---------------------------------------------------------------------------------

const conformance_measure& measure_of(const conformance_card& card, const std::string& name) {
  for (const auto& each : card.measures)
    if (each.name == name) return each;
  throw error("no measure " + name);
}

// b v - ln(1 + b v) = -b e v - ln(1 - b e v).
TEST(conformance, RestitutionOfHuntAndCrossleyHasAClosedForm) {
  const double b = any_model(find_entry("hunt_crossley")).get("b")[0];
  const auto restitution = [&](double v) {
    const double s = b * v, wanted = s - std::log1p(s);
    const auto off = [&](double e) { return -s * e - std::log1p(-s * e) - wanted; };
    std::uintmax_t most = 200;
    return boost::math::tools::toms748_solve(off, 1e-9, std::min(1.0, (1 - 1e-15) / s),
                                             boost::math::tools::eps_tolerance<double>(50), most)
        .first;
  };
  const auto card = read_conformance_cards(folder, {"restitution_against_speed"})[0];
  const auto r = put("restitution_against_speed", "hunt_crossley");
  EXPECT_EQ(r.verdict, verdict::met);
  const double slow = 1 - restitution(1e-3), fall = restitution(1e-3) - restitution(10);
  EXPECT_NEAR(r.outcome.values[0], slow, 1e-9);
  EXPECT_NEAR(r.outcome.values[1], fall, 1e-7);
  EXPECT_NEAR(measure_of(card, "slow_loss").reference, slow, measure_of(card, "slow_loss").error);
  EXPECT_NEAR(measure_of(card, "fall").reference, fall, measure_of(card, "fall").error);
  EXPECT_EQ(put("restitution_against_speed", "kelvin_voigt").verdict, verdict::not_met);
}

// The phase of the linearised law, with its published parameters.
TEST(conformance, LagOfLuGreIsThatOfItsLinearisedLaw) {
  const auto card = read_conformance_cards(folder, {"stribeck_and_lag"})[0];
  const auto r = put("stribeck_and_lag", "lugre");
  EXPECT_EQ(r.verdict, verdict::met);
  for (const std::size_t i : {0U, 1U})
    EXPECT_NEAR(r.outcome.values[i], card.measures[i].reference, 2 * card.measures[i].error);
  const double sigma_0 = 1e5, sigma_1 = std::sqrt(1e5), sigma_2 = 0.4,
               v = 1e-3 * std::pow(10, -0.1);
  const double u = v / 1e-3, g = 1 + 0.5 * std::exp(-u * u), slope = -u * std::exp(-u * u) / 1e-3;
  const std::complex<double> s(0, 2 * std::acos(-1.0));
  const auto z = (v * slope / g) / (s + sigma_0 * v / g);
  const auto f = sigma_0 * z + sigma_1 * s * z + sigma_2;
  EXPECT_NEAR(f.imag() / std::abs(f), card.measures[1].ways[0].value, 1e-6);
  EXPECT_EQ(put("stribeck_and_lag", "coulomb").outcome.values[0], 0);
}

TEST(conformance, RigidStictionHasTheClosedFormCycle) {
  const auto r = put("stick_slip_cycle", "stiction");
  EXPECT_EQ(r.verdict, verdict::met);
  EXPECT_NEAR(r.outcome.values[0], 1, 2e-3);
  EXPECT_NEAR(r.outcome.values[1], 1, 2e-3);
}

TEST(conformance, DiscEndsWithTheRatioOfFarkas) {
  const auto card = read_conformance_cards(folder, {"slide_and_spin"})[0];
  const auto r = put("slide_and_spin", "disc_coulomb");
  EXPECT_EQ(r.verdict, verdict::met) << r.why;
  EXPECT_NEAR(r.outcome.values[0], card.measures[0].reference, 2e-3);
  EXPECT_NEAR(r.outcome.values[1], card.measures[1].reference, 1e-3);
}

// ---- running and judging ------------------------------------------------------------------------

TEST(conformance, ThreadsChangeNothing) {
  const auto cards = read_conformance_cards(folder, {"touchdown", "presliding_memory"});
  const std::vector<std::string> models{"hertz", "dai", "lugre", "hunt_crossley"};
  const auto one = run_conformance(cards, models),
             three = run_conformance(cards, models, {.threads = 3});
  EXPECT_EQ(conformance_json(cards, one), conformance_json(cards, three));
}

TEST(conformance, AnInterruptEndsIt) {
  const std::atomic<bool> stop = true;
  const auto cards = read_conformance_cards(folder, {"touchdown"});
  EXPECT_ANY_THROW(static_cast<void>(run_conformance(cards, {"hertz"}, {.interrupt = &stop})));
}

class measured_file : public ::testing::Test {
 protected:
  const std::string file_ = ::testing::TempDir() + "asperity_measured.json";
  const std::vector<conformance_card> cards_ =
      read_conformance_cards(folder, {"hold_for_an_hour", "break_away"});
  ~measured_file() override { fs::remove(file_); }
  std::vector<conformance_subject> read(const std::string& text) const {
    std::ofstream(file_) << text;
    return read_measured(cards_, file_);
  }
  std::string complaint(const std::string& text) const {
    try {
      static_cast<void>(read(text));
    } catch (const error& problem) {
      return problem.what();
    }
    return {};
  }
};

TEST_F(measured_file, IsJudgedLikeAModel) {
  const auto of =
      read(R"({"simulator": "S", "settings": "none", "cards": {"hold_for_an_hour": {"drift": 0.1},
      "break_away": {"slow": 1, "most": null}}})");
  ASSERT_EQ(of.size(), 1U);
  for (const auto& each : of[0].results) EXPECT_EQ(each.verdict, verdict::not_met) << each.card;
  const auto good = read(
      R"([{"simulator": "S", "settings": "none", "cards": {"hold_for_an_hour": {"drift": 0}}}])");
  for (const auto& each : good[0].results)
    EXPECT_EQ(each.verdict, each.card == "break_away" ? verdict::not_run : verdict::met);
  const auto without = read(R"({"simulator": "S", "settings": "none", "cards": {
      "break_away": {"does_not_apply": "no force"}, "hold_for_an_hour": {"not_run": "too slow"}}})");
  for (const auto& each : without[0].results) {
    const bool is_hold = each.card == "hold_for_an_hour";
    EXPECT_EQ(each.verdict, is_hold ? verdict::not_run : verdict::does_not_apply) << each.card;
    EXPECT_EQ(each.why, is_hold ? "too slow" : "no force");
  }
}

TEST_F(measured_file, IsRefusedWhereItIsWrong) {
  for (
      const char* bad :
      {"", "[]", "3", "{}", R"({"simulator": "S"})", R"({"simulator": "S", "settings": "none"})",
       R"({"simulator": "S", "settings": "none", "cards": {"hold": {}}})",
       R"({"simulator": "S", "settings": "none", "cards": {"hold_for_an_hour": {}}})",
       R"({"simulator": "S", "settings": "none", "cards": {"hold_for_an_hour": {"drift": "0"}}})",
       R"({"simulator": "S", "settings": "none", "cards": {"hold_for_an_hour": {"drift": 0, "x": 1}}})",
       R"({"simulator": "S", "settings": "", "cards": {}})"})
    EXPECT_NE(complaint(bad).find(file_), std::string::npos) << bad;
  fs::remove(file_);
  EXPECT_THROW(static_cast<void>(read_measured(cards_, file_)), error);
}

}  // namespace
}  // namespace asperity
