// SPDX-License-Identifier: Apache-2.0
// The procedures of the cards on simulators whose answers are known in closed form.

#include "adapters/conformance/peer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/models/friction/dahl.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <cmath>
#include <stdexcept>

namespace asperity::peers {
namespace {

// Coulomb friction in implicit steps: it holds every force below its limit.
class coulomb : public slider {
 public:
  coulomb() {
    mass = 2;
    limit = 2.5;
  }
  void restart() override { x_ = v_ = 0; }
  void step(double pull) override {
    const double free = v_ + timestep / mass * pull, most = timestep / mass * limit;
    v_ = free - std::clamp(free, -most, most);
    x_ += timestep * v_;
  }
  double x() const override { return x_; }
  double v() const override { return v_; }

 private:
  double x_ = 0, v_ = 0;
};

TEST(peer, CoulombFrictionMeetsTheHoldingCards) {
  coulomb body;
  EXPECT_EQ(hold_for_an_hour(body)["drift"], 0);
  EXPECT_EQ(drift_under_vibration(body)["drift"], 0);
  const auto broken = break_away(body);
  EXPECT_NEAR(broken["slow"], 1, 1e-9);
  EXPECT_NEAR(broken["most"], 1, 1e-9);
}

// A damper is no friction: its speed is pull/c.
class damper : public slider {
 public:
  static constexpr double c = 40;
  damper() { timestep = 0.05; }
  void restart() override { x_ = v_ = 0; }
  void step(double pull) override {
    v_ = pull / c;
    x_ += timestep * v_;
  }
  double x() const override { return x_; }
  double v() const override { return v_; }

 private:
  double x_ = 0, v_ = 0;
};

TEST(peer, ADamperDriftsByItsSpeed) {
  damper body;
  // A sample a second: tenths of the hour begin at 1800 s and 3240 s, and in the last one, of 360
  // samples, it goes on.
  const double held = 0.96 * body.limit / damper::c;
  EXPECT_NEAR(hold_for_an_hour(body)["drift"], held * (1440 - 0.5 * 359), 1e-9);
  // Tenths of the periods begin at the 40th and the 90th, 10 s each.
  const double swung = 0.68 * body.limit / damper::c;
  EXPECT_NEAR(drift_under_vibration(body)["drift"], swung * (500 - 0.5 * 90), 1e-9);
}

// Coulomb friction under a force that it follows within a step, as closed form: at rest until the
// force passes the limit at t = 1/rate, then v = rate F/m (t - 1/rate)^2/2.
class follower : public slider {
 public:
  follower() { timestep = 1e-4; }
  void restart() override {
    t_ = 0;
    force_ = nullptr;
  }
  bool follows(const std::function<double(double)>& force) override {
    force_ = force;
    return true;
  }
  void step(double) override { t_ += timestep; }
  double x() const override { return rate() * limit / mass * std::pow(sliding(), 3) / 6; }
  double v() const override { return rate() * limit / mass * std::pow(sliding(), 2) / 2; }

 private:
  double t_ = 0;
  std::function<double(double)> force_;
  double rate() const { return force_ ? force_(1) / limit : 0; }
  double sliding() const { return rate() > 0 ? std::max(0.0, t_ - 1 / rate()) : 0; }
};

TEST(peer, ForcesThatAreFollowedBreakAwayAtTheLimit) {
  follower body;
  const auto broken = break_away(body);
  EXPECT_NEAR(broken["slow"], 1, 1e-6);
  EXPECT_NEAR(broken["most"], 1, 1e-6);
}

TEST(peer, CardsAreMeasuredWhereTheyAreWanted) {
  const char* const words[] = {"program", "--steps", "0.5", "break_away", "stick_slip_cycle"};
  const auto wanted = read_wishes(5, words);
  EXPECT_EQ(wanted.steps, 0.5);
  coulomb body;
  json cards;
  slide_cards(cards, body, wanted);
  EXPECT_EQ(cards.size(), 2);
  EXPECT_TRUE(cards.contains("break_away"));
  EXPECT_TRUE(cards.contains("stick_slip_cycle"));
  EXPECT_TRUE(read_wishes(1, words).has("two_brakes"));
  for (const char* wrong : {"", "0", "-1", "inf", "half", "0.5x"}) {
    const char* const bad[] = {"program", "--steps", wrong};
    EXPECT_THROW(read_wishes(3, bad), std::runtime_error) << wrong;
  }
  EXPECT_THROW(read_wishes(2, words), std::runtime_error);  // --steps of nothing
  const char* const unknown[] = {"program", "no_card"};
  EXPECT_THROW(read_wishes(2, unknown), std::runtime_error);
}

TEST(peer, CoulombFrictionHasNeitherPreslidingNorLag) {
  coulomb body;
  EXPECT_TRUE(presliding_memory(body).contains("does_not_apply"));
  const auto moved = stribeck_and_lag(body);
  EXPECT_NEAR(moved["fall"], 0, 1e-9);
  EXPECT_EQ(moved["lag"], 0);
  EXPECT_TRUE(stick_slip_cycle(body).contains("does_not_apply"));
}

// A law of this library with one state, in explicit steps so short that they do not show.
template <class Law>
class bristle : public slider {
 public:
  explicit bristle(double at_most) {
    limit = at_most;
    timestep = 2e-4;
  }
  Law law;
  void restart() override { x_ = v_ = z_[0] = 0; }
  void step(double pull) override {
    constexpr int parts = 5;
    const double h = timestep / parts;
    for (int i = 0; i < parts; ++i) {
      const auto now = law(z_, drive<double>{x_, v_, 1});
      v_ += h / mass * (pull - now.f);
      z_[0] += h * now.rate[0];
      x_ += h * v_;
    }
  }
  double x() const override { return x_; }
  double v() const override { return v_; }

 private:
  double x_ = 0, v_ = 0;
  vec<double, 1> z_{};
};

// The numbers of the card, which were found in two ways.
TEST(peer, LugreFallsAndLagsAsItsCardSays) {
  bristle<lugre<double>> body(1.5);
  const auto moved = stribeck_and_lag(body);
  EXPECT_NEAR(moved["fall"], 0.33227, 5e-3);  // steady to 2e-3
  EXPECT_NEAR(moved["lag"], 0.0800, 4e-4);
}

// Steady friction does not depend on the stiffness of bristles, of which these are so soft that
// friction grows by less than 1 % of its limit in a second at the slowest speed.
TEST(peer, SoftBristlesAreMovedUntilTheySlide) {
  bristle<lugre<double>> body(1.5);
  body.timestep = 1e-3;
  body.law.sigma_0 = 1e4;
  body.presliding = std::log(2.0) * body.limit / body.law.sigma_0;
  EXPECT_NEAR(stribeck_and_lag(body)["fall"], 0.33227, 2e-3);
}

// f = 1 - exp(-x/z) from rest, and from (x_0, f_0) towards s: f = s + (f_0 - s) exp(-|x - x_0|/z).
TEST(peer, LoopsOfDahlAreThoseOfItsClosedForm) {
  bristle<dahl<double>> body(dahl<double>().F_c);
  const double way = std::log(2.0);  // in units of z
  double f = 0, x = 0, at_3[2], at_2[2];
  int threes = 0, twos = 0;
  for (const double point : {3.0, 0.5, 2.0, 1.0, 2.0, 3.0, 4.0}) {
    const double s = point > x ? 1 : -1;
    f = s + (f - s) * std::exp(-std::abs(point - x) * way);
    x = point;
    if (point == 3) at_3[threes++] = f;
    if (point == 2) at_2[twos++] = f;
  }
  const double direct = 1 - std::exp(-4 * way);
  const auto found = presliding_memory(body);
  EXPECT_NEAR(found["closure"], std::max(std::abs(at_3[1] - at_3[0]), std::abs(at_2[1] - at_2[0])),
              1e-3);
  EXPECT_NEAR(found["wiping_out"], std::abs(f - direct), 1e-3);
}

// More at rest than in motion: the cycle of the card's closed form.
class two_levels : public slider {
 public:
  two_levels() { timestep = 1e-5; }
  static constexpr double moving = 0.6;
  void restart() override { x_ = v_ = 0; }
  void step(double pull) override {
    const double most = v_ == 0 ? limit : moving;
    const double free = v_ + timestep / mass * pull, stop = timestep / mass * most;
    v_ = free - std::clamp(free, -stop, stop);
    x_ += timestep * v_;
  }
  double x() const override { return x_; }
  double v() const override { return v_; }

 private:
  double x_ = 0, v_ = 0;
};

TEST(peer, RigidStickSlipIsTheReferenceOfItsCard) {
  two_levels body;
  const auto found = stick_slip_cycle(body);
  EXPECT_NEAR(found["period"], 1, 1e-3);
  EXPECT_NEAR(found["range"], 1, 2e-3);
}

// A rigid sphere on a plane: impulses of restitution and of sliding friction.
class rigid : public spheres {
 public:
  static constexpr double e = 0.7;
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    m_ = mass;
    R_ = radius;
    mu_ = mu;
    now_ = bodies.at(0);
  }
  void step() override {
    for (int k = 0; k < 3; ++k) now_.x[k] += timestep * now_.v[k];
    if (now_.x[2] > R_ || now_.v[2] >= 0) return;
    const double P = -m_ * (1 + e) * now_.v[2];
    now_.v[2] += P / m_;
    now_.v[0] -= mu_ * P / m_;
    now_.omega[1] += mu_ * P * R_ / (0.4 * m_ * R_ * R_);
  }
  body state(int) const override { return now_; }

 private:
  double m_ = 1, R_ = 1, mu_ = 0;
  body now_ = {};
};

TEST(peer, RigidImpactsAreTheReferenceOfTheirCards) {
  rigid world;
  const auto bounced = restitution_against_speed(world);
  EXPECT_NEAR(bounced["slow_loss"], 1 - rigid::e, 1e-12);
  EXPECT_NEAR(bounced["fall"], 0, 1e-12);
  EXPECT_NEAR(bounced["rise"], 0, 1e-12);
  const auto grazed = grazing_impact(world);
  EXPECT_NEAR(grazed["loss"], 1, 1e-9);
  EXPECT_NEAR(grazed["impulse"], 1, 1e-9);
  EXPECT_TRUE(touchdown(world).contains("does_not_apply"));
}

}  // namespace
}  // namespace asperity::peers
