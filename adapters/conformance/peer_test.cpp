// SPDX-License-Identifier: Apache-2.0
// The procedures of the cards on simulators whose answers are known in closed form.

#include "adapters/conformance/peer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
