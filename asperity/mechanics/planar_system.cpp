// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <cmath>

namespace asperity {

namespace {

using v3 = vec<double, 3>;

bool moves(const v3& u) { return u[0] != 0 || u[1] != 0 || u[2] != 0; }

constexpr double no_number = __builtin_nan("");
constexpr unit speed_unit = units::metre / units::second;
constexpr unit spin_unit = units::radian / units::second;

class planar_body_system final : public planar_contact_system {
 public:
  explicit planar_body_system(planar_setup setup) : s_(std::move(setup)) {
    card_.kind = s_.kind;
    const char* velocity[] = {"v_x", "v_y", "omega"};
    const unit in[] = {speed_unit, speed_unit, spin_unit};
    add_state("x", units::metre, s_.q[0]);
    add_state("y", units::metre, s_.q[1]);
    add_state("theta", units::radian, s_.q[2]);
    for (int i = 0; i < 3; ++i) {
      if (s_.is_moved)
        add_output(velocity[i], in[i]);
      else
        add_state(velocity[i], in[i], s_.u[i]);
    }
    // Cells of a patch are kept without names.
    for (const auto& each : s_.friction->shown_states()) card_.add_state(each);
    initial_.resize(initial_.size() + static_cast<std::size_t>(s_.friction->states()));
    s_.friction->initial(s_.q, bristles(initial_.data()));
    knows_slip_ = s_.friction->slipping(s_.q, s_.u, bristles(initial_.data()), 1) >= 0;

    if (!s_.is_moved) {
      add_output("push_x", units::newton);
      add_output("push_y", units::newton);
      add_output("push_torque", units::torque);
    }
    add_output("f_x", units::newton);
    add_output("f_y", units::newton);
    add_output("torque", units::torque);
    add_output("speed", speed_unit);
    add_output("rim_speed", speed_unit);
    add_output("eps", units::one);
    if (knows_slip_) add_output("slipping", units::one);

    has_stage_ = !s_.is_moved && s_.friction->has_stage();
    const char* keys[] = {"velocity_x", "velocity_y", "spin"};
    const char* pushes[] = {"force_x", "force_y", "torque"};
    const unit push_in[] = {units::newton, units::newton, units::torque};
    for (int i = 0; i < 3; ++i) {
      if (s_.is_moved)
        add_input(keys[i], in[i], s_.motion[i], false);
      else
        add_input(pushes[i], push_in[i], s_.push[i], false);
    }
    add_input("load", units::one, s_.load, false);

    energy_terms all;
    if (!s_.is_moved) all.held = {"kinetic", "rotational", "potential"};
    all.supplies = {s_.is_moved ? "motion" : "push"};
    all.elements.push_back({"friction", ""});
    set_energy(std::move(all));
  }

  std::unique_ptr<workspace> new_workspace() const override { return std::make_unique<memo>(); }
  void complete_start(double* y) const override {
    if (s_.friction->shown_states().empty()) s_.friction->initial(place(y), bristles(y));
  }

  void rates(double t, const double* y, double* rate, workspace& w) const override {
    const v3 q = place(y), u = velocities(t, y);
    const v3 f = respond(t, q, u, bristles(y), bristles(rate), w);
    for (int i = 0; i < 3; ++i) {
      rate[i] = u[i];
      if (!s_.is_moved) rate[3 + i] = (push(t)[i] - f[i]) / inertia()[i];
    }
  }

  void solve_stage(double t, double h, const double* start, double* y,
                   workspace& w) const override {
    v3 u;
    const bool solved = stage(t, h, start, bristles(y), u, w);
    for (int i = 0; i < 3; ++i) {
      y[3 + i] = solved ? u[i] : __builtin_nan("");
      y[i] = start[i] + h * y[3 + i];
    }
    // Methods that choose their steps take shorter ones by themselves.
    if (!solved && w.complaint.empty() && has_fixed_step(w.setting))
      w.complaint = fmt::format("a step of {:g} s did not converge: take a shorter integrator.step",
                                w.setting.step);
  }

  void observe(double t, const double* y, double* out, workspace& w) const override {
    const v3 u = velocities(t, y), f = force(t, y, w);
    const v3 given = s_.is_moved ? u : push(t);
    for (int i = 0; i < 3; ++i) *out++ = given[i];
    for (int i = 0; i < 3; ++i) *out++ = f[i];
    const double speed = std::hypot(u[0], u[1]), rim = s_.R * std::abs(u[2]);
    *out++ = speed;
    *out++ = rim;
    *out++ = rim > 0 ? speed / rim : 0;  // 0 at rest and in pure sliding
    if (knows_slip_) *out++ = slipping(t, y, w);
  }

  std::vector<event> events(workspace& w) const override {
    std::vector<event> all;
    if (s_.friction->least_load() > 0) {  // where the contact opens, bristles spring back
      event lifted;
      lifted.value = [this, &w](double t, const double*) { return is_open(t, w) ? -1.0 : 1.0; };
      lifted.crossing = event::direction::falling;
      lifted.change = [this](double, double* y) { s_.friction->initial(place(y), bristles(y)); };
      lifted.element = 0;
      all.push_back(std::move(lifted));
    }
    if (!knows_slip_ || s_.is_moved) return all;
    const auto margin = [this, &w](double t, const double* y) {
      const double share = slipping(t, y, w);
      return share > 0 ? share : -1.0;
    };
    all.push_back({"slip", margin, event::direction::rising});
    all.push_back({"stick", margin, event::direction::falling});
    return all;
  }
  complaint check_inputs(double duration) const override {
    return {"load", reason_load_is_refused(s_.load, duration)};
  }
  std::vector<std::string> doubts(const run_setting& setting) const override {
    if (s_.is_moved || !s_.friction->is_set_valued() || setting.method->is_closed_form()) return {};
    return {
        fmt::format("this friction is set-valued at rest, where method {} can only chatter: use "
                    "trbdf2",
                    setting.method->name)};
  }

  void energies(double, const double* y, double* out, workspace&) const override {
    if (!s_.is_moved) {
      *out++ = 0.5 * s_.m * (y[3] * y[3] + y[4] * y[4]);
      *out++ = 0.5 * s_.I * y[5] * y[5];
      *out++ = s_.m * s_.gravity * y[1];
    }
    *out = s_.friction->stored(place(y), bristles(y));
  }
  void powers(double t, const double* y, double* out, workspace& w) const override {
    balance(t, velocities(t, y), respond(t, place(y), velocities(t, y), bristles(y), nullptr, w),
            out);
  }
  // A set-valued law has no force of its own at rest: it is what the step's momentum says.
  void stage_powers(double t, double h, const double* start, const double* y, double* out,
                    workspace&) const override {
    const v3 u = velocities(t, y), given = push(t);
    v3 f;
    for (int i = 0; i < 3; ++i) f[i] = given[i] - inertia()[i] * (u[i] - start[3 + i]) / h;
    balance(t, u, f, out);
  }

  const planar_setup& setup() const { return s_; }
  const patch_dai* cells() const override { return s_.friction->cells(); }
  std::vector<double> utilisation(double t, const double* y, workspace& w) const override {
    if (is_open(t, w))
      return std::vector<double>(static_cast<std::size_t>(cells() ? cells()->cells() : 0),
                                 slipping(t, y, w) > 0 ? HUGE_VAL : 0.0);
    return s_.friction->utilisation(place(y), velocities(t, y), bristles(y), load(t, w));
  }

  std::optional<hold> what_holds(const double* start, double duration) const override {
    if (s_.is_moved || cells() == nullptr) return {};
    const patch_dai& patch = *cells();
    const double K = patch.with().K;
    // Cells and their centre as seen from the centre of mass, in axes that do not turn.
    const bool is_carried = s_.mount == planar_mount::carried;
    const v3 q = place(start), u = velocities(0, start);
    const double angle = is_carried ? q[2] : 0, c = std::cos(angle), s = std::sin(angle);
    const vec<double, 2> from{{is_carried ? 0 : q[0], is_carried ? 0 : q[1]}};
    const auto cell = [&](int i) {
      const double x = patch.x()[i], y = patch.y()[i];
      return vec<double, 2>{{c * x - s * y, s * x + c * y}} - from;
    };
    vec<double, 2> centre;
    double arm = 0, square = 0, reach = 0, most = 0;
    for (int i = 0; i < patch.cells(); ++i) centre = centre + patch.share()[i] * cell(i);
    for (int i = 0; i < patch.cells(); ++i) {
      arm += patch.share()[i] * norm(cell(i) - centre);
      square += patch.share()[i] * dot(cell(i), cell(i));
      reach = std::max(reach, norm(cell(i)));
    }
    const long looks = looks_in(duration);
    const auto time_of = [duration, looks](long i) {
      return duration * static_cast<double>(i) / static_cast<double>(looks);
    };
    for (long i = 0; i <= looks; ++i) most = std::max(most, s_.load.value(time_of(i)));
    const double deflection = patch.with().g.highest() * most / K;
    const double moving = s_.m * (u[0] * u[0] + u[1] * u[1]) + s_.I * u[2] * u[2];
    // The limit surface is convex, and holds a force alone up to its limit and a torque alone up to
    // its own: a wrench whose shares of both add up to less than 1 is inside.
    const auto share = [this, time_of, looks, centre, arm, level = patch.with().g.level(0)] {
      double highest = 0;
      for (long i = 0; i <= looks && highest < 1; ++i) {
        const double t = time_of(i), limit = level * s_.load.value(t);
        const v3 w = push(t);
        const double torque = std::abs(w[2] - (centre[0] * w[1] - centre[1] * w[0]));
        highest =
            std::max(highest, (std::hypot(w[0], w[1]) + (torque > 0 ? torque / arm : 0)) / limit);
      }
      return highest;
    };
    return hold{std::sqrt(K / s_.m),
                std::sqrt(K * square / s_.I),
                deflection,
                reach,
                moving > 2 * K * deflection * deflection,
                share};
  }

 private:
  planar_setup s_;
  bool knows_slip_ = false;
  // The earliest load below 0 that a run came across.
  struct memo : workspace {
    double refused_at = unbounded;
  };

  // NaN where it is below 0: no law has an answer, and the run ends with a complaint.
  double load(double t, workspace& w) const {
    const double value = s_.load.value(t);
    if (value > no_load) return value;
    const std::string why = reason_load_is_refused(t, value);
    if (why.empty()) return 0;
    auto& earliest = static_cast<memo&>(w).refused_at;
    if (t < earliest) {
      earliest = t;
      w.complaint = "load: " + why;
    }
    return no_number;
  }
  bool is_open(double t, workspace& w) const { return load(t, w) == 0; }
  v3 respond(double t, const v3& q, const v3& u, const double* z, double* rate,
             workspace& w) const {
    const double at = load(t, w);
    if (!std::isnan(at)) return respond_under_load<double>(*s_.friction, q, u, z, at, rate);
    if (rate != nullptr) std::fill_n(rate, s_.friction->states(), no_number);
    return {{no_number, no_number, no_number}};
  }

  // What the push supplies (gravity is an energy of the body) and friction takes.
  void balance(double t, const v3& u, const v3& f, double* out) const {
    v3 given = push(t);
    given[1] += s_.m * s_.gravity;
    out[1] = dot(f, u);
    out[0] = s_.is_moved ? out[1] : dot(given, u);
  }
  // Often enough to see every swing of what is given.
  long looks_in(double duration) const {
    double shortest = s_.load.shortest_period();
    for (const auto& each : s_.push) shortest = std::min(shortest, each.shortest_period());
    return std::lround(std::clamp(32 * duration / shortest, 1e3, 2e6));
  }
  int mechanical() const { return s_.is_moved ? 3 : 6; }
  const double* bristles(const double* y) const { return y + mechanical(); }
  double* bristles(double* y) const { return y + mechanical(); }
  v3 place(const double* y) const { return {{y[0], y[1], y[2]}}; }
  v3 inertia() const { return {{s_.m, s_.m, s_.I}}; }
  v3 velocities(double t, const double* y) const {
    if (s_.is_moved) return {{s_.motion[0].value(t), s_.motion[1].value(t), s_.motion[2].value(t)}};
    return {{y[3], y[4], y[5]}};
  }
  v3 push(double t) const {
    return {{s_.push[0].value(t), s_.push[1].value(t) - s_.m * s_.gravity, s_.push[2].value(t)}};
  }
  double slipping(double t, const double* y, workspace& w) const {
    const v3 u = velocities(t, y);
    // A contact that is open holds nothing back.
    if (is_open(t, w)) return moves(u) ? 1 : 0;
    return s_.friction->slipping(place(y), u, bristles(y), load(t, w));
  }
  bool stage(double t, double h, const double* start, double* z_end, v3& u, workspace& w) const {
    planar_stage<double> s{h,  place(start), {{start[3], start[4], start[5]}},
                           {}, inertia(),    load(t, w)};
    if (std::isnan(s.load)) return false;
    const v3 given = push(t);
    for (int i = 0; i < 3; ++i) s.u_free[i] = s.u[i] + h * given[i] / s.inertia[i];
    return stage_under_load(*s_.friction, s, bristles(start), z_end, u);
  }
  // A set-valued law has no force of its own at rest: a very short step finds the one that holds.
  v3 force(double t, const double* y, workspace& w) const {
    const v3 u = velocities(t, y);
    if (!s_.is_moved && s_.friction->is_set_valued() && !is_open(t, w)) {
      constexpr double instant = 1e-7;
      v3 end, f;
      if (!stage(t, instant, y, nullptr, end, w)) return {{no_number, no_number, no_number}};
      for (int i = 0; i < 3; ++i) f[i] = push(t)[i] - inertia()[i] * (end[i] - u[i]) / instant;
      return f;
    }
    return respond(t, place(y), u, bristles(y), nullptr, w);
  }
};

}  // namespace

std::shared_ptr<planar_contact_system> make_planar_system(planar_setup setup) {
  return std::make_shared<planar_body_system>(std::move(setup));
}

const planar_setup* planar_setup_in(const system& s) {
  const auto* found = dynamic_cast<const planar_body_system*>(&s);
  return found == nullptr ? nullptr : &found->setup();
}

}  // namespace asperity
