// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/publish/conformance.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

// Two equal spheres in the plane of their motion. y = (x, y, v_x, v_y, omega) of each, then the
// states of the contact. They touch half way between their centres, in one point.
struct colliding_spheres {
  const any_model& law;
  double m, R, I;

  static constexpr int capacity = 10 + any_model::max_states;
  int size() const { return 10 + law.states(); }

  struct contact {
    double normal[2], distance;
    double in[4];  // of the port: gap, its rate, slip along the tangent, and across the plane
  };
  contact look(const double* y) const {
    contact c;
    const double dx = y[5] - y[0], dy = y[6] - y[1];
    c.distance = std::hypot(dx, dy);
    c.normal[0] = dx / c.distance;
    c.normal[1] = dy / c.distance;
    const double u = y[7] - y[2], w = y[8] - y[3];
    c.in[0] = c.distance - 2 * R;
    c.in[1] = u * c.normal[0] + w * c.normal[1];
    c.in[2] = -u * c.normal[1] + w * c.normal[0] - 0.5 * c.distance * (y[4] + y[9]);
    c.in[3] = 0;
    return c;
  }
  void rates(double, const double* y, double* rate) const {
    const contact c = look(y);
    double f[3];
    law.respond(c.in, y + 10, f, rate + 10);
    const double push[2] = {f[0] * c.normal[0] + f[1] * c.normal[1],
                            f[0] * c.normal[1] - f[1] * c.normal[0]};
    for (int body = 0; body < 2; ++body) {
      const double sign = body == 0 ? -1 : 1;
      double* of = rate + 5 * body;
      for (int i = 0; i < 2; ++i) {
        of[i] = y[5 * body + 2 + i];
        of[2 + i] = sign * push[i] / m;
      }
      of[4] = 0.5 * c.distance * f[1] / I;
    }
  }

  struct sums {
    double p_x = 0, p_y = 0, L = 0;
  };
  sums momenta(const double* y) const {
    sums s;
    for (int body = 0; body < 2; ++body) {
      const double* of = y + 5 * body;
      s.p_x += m * of[2];
      s.p_y += m * of[3];
      s.L += m * (of[0] * of[3] - of[1] * of[2]) + I * of[4];
    }
    return s;
  }
};

class collision final : public conformance_test {
 public:
  explicit collision(reader& in)
      : mass_(in.number("mass", units::kilogram, positive)),
        radius_(in.number("radius", units::metre, positive)),
        speed_(in.number("speed", units::metre / units::second, positive)),
        offset_(in.number("offset", units::one, {0, 2})),
        mu_(in.number("mu", units::one, positive)),
        spin_(in.number("spin", units::radian / units::second, any_value)),
        duration_(in.number("duration", units::second, positive)) {}

  std::string why_not(const any_model& model) const override {
    const auto parameters = model.describe().parameters;
    const bool has_mu = std::any_of(parameters.begin(), parameters.end(),
                                    [](const auto& each) { return each.name == "mu"; });
    return has_mu ? std::string() : "the law has no coefficient of friction to set";
  }

  conformance_outcome run(const any_model& given,
                          const std::atomic<bool>* interrupt) const override {
    any_model model = given;
    model.set("mu", mu_);
    const colliding_spheres pair{model, mass_, radius_, 0.4 * mass_ * radius_ * radius_};
    constexpr double h = 1e-5;
    std::array<double, colliding_spheres::capacity> y{};
    // The second comes from the right, `offset` radii above the centre of the first, which spins.
    const double b = offset_ * radius_, apart = 2 * radius_ * 1.001;
    y[4] = spin_;
    y[5] = std::sqrt(apart * apart - b * b);
    y[6] = b;
    y[7] = -speed_;
    model.initial(pair.look(y.data()).in, y.data() + 10);
    const auto start = pair.momenta(y.data());
    const double p = mass_ * speed_, L = p * radius_;
    conformance_outcome found;
    double momentum = 0, angular = 0;
    const auto steps = static_cast<long>(std::lround(duration_ / h));
    for (long n = 1; n <= steps; ++n) {
      if (n % 1000 == 0 && is_set(interrupt)) throw interruption();
      asperity::rk4_step(pair, 0.0, h, y.data());
      model.remember(pair.look(y.data()).in, y.data() + 10);
      const auto now = pair.momenta(y.data());
      if (!std::isfinite(now.L)) throw error("the motion is not finite");
      momentum = std::max(momentum, std::hypot(now.p_x - start.p_x, now.p_y - start.p_y) / p);
      angular = std::max(angular, std::abs(now.L - start.L) / L);
      if (n % (steps / 500) == 0) {
        found.x.push_back(static_cast<double>(n) * h);
        found.y.push_back((now.L - start.L) / L);
      }
    }
    if (pair.look(y.data()).in[0] <= 0) throw error("the spheres do not part within the run");
    // Of a rigid impact that slides, with the restitution that the run itself shows: the normal
    // impulse of half the mass, mu times that along the surface.
    const double sine = 0.5 * offset_, towards = speed_ * std::sqrt(1 - sine * sine);
    const double away = pair.look(y.data()).in[1];
    const double wanted = mu_ * 0.5 * mass_ * (towards + away) * radius_ / pair.I;
    found.values = {angular, momentum, y[9] / wanted};
    return found;
  }

 private:
  double mass_, radius_, speed_, offset_, mu_, spin_, duration_;
};

}  // namespace

extern const conformance_row angular_momentum{
    .name = "angular_momentum",
    .at = &ports::touch,
    .measures = {"angular", "linear", "spin"},
    .x = {"time", units::second},
    .y = {"change of the angular momentum over m v R"},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<collision>(in);
    }};

}  // namespace asperity::detail
