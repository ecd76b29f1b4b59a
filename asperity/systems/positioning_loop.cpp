// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/positioning_loop.hpp>

namespace asperity {

namespace {

class loop_system final : public composed_system, marching {
 public:
  using loop = positioning_loop<any_model, any_model>;
  using plant = sliding_mass<double, any_model, held_inputs>;

  loop_system(plant the_plant, any_model model, loop::setting set)
      : plant_(std::move(the_plant)), model_(std::move(model)), set_(std::move(set)) {
    using namespace units;
    card_.kind = "positioning_loop";
    card_.models = {{"friction", &plant_.friction}, {"compensator", &model_}};
    add_output("x", metre);
    add_output("v", speed);
    add_output("goal", metre);
    add_output("error", metre);
    add_output("u", newton);
    add_output("f", newton);
    add_output("compensated", newton);
    add_input("goal", metre, set_.goal, false);
    add_input("force", newton, plant_.inputs.push, false);
    card_.pictures = {{"Position", "t", {"x", "goal"}},
                      {"Error", "t", {"error"}},
                      {"Forces", "t", {"u", "f", "compensated"}}};
  }

  const marching* march() const override { return this; }
  std::unique_ptr<workspace> new_workspace() const override {
    return std::make_unique<moving>(plant_, model_, set_);
  }
  void rates(double, const double*, double*, workspace&) const override {}
  void observe(double, const double*, double* out, workspace& w) const override {
    const loop& now = static_cast<moving&>(w).all;
    out[0] = now.x();
    out[1] = now.v();
    out[2] = now.goal();
    out[3] = now.goal() - now.x();
    out[4] = now.u();
    out[5] = now.friction();
    out[6] = now.compensated();
  }

 private:
  struct moving : workspace {
    loop all;
    moving(const plant& the_plant, const any_model& model, const loop::setting& set)
        : all(the_plant, model, set) {
      the_plant.friction.initial(all.states() + 2);
    }
  };

  // The length of its steps is the period of the controller.
  std::vector<const method_row*> methods() const override {
    return {&detail::backward_euler_method};
  }
  progress onward(double length, const watch& before_each_step, workspace& w) const override {
    const outcome how = before_each_step(0);
    if (how != outcome::completed) return {how, 0};
    static_cast<moving&>(w).all.step(length);
    return {outcome::completed, length};
  }
  counts count(const workspace& w) const override {
    const loop& now = static_cast<const moving&>(w).all;
    return {now.steps(), 0, now.steps() * now.plant_steps()};
  }
  void flows(double*, workspace&) const override {}

  plant plant_;
  any_model model_;
  loop::setting set_;
};

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  using loop = loop_system::loop;
  b.axis();
  loop_system::plant plant{b.friction("friction of the plant", may_have_memory)};
  loop::setting set;
  b.required("mass", plant.m, kilogram, positive, "mass of the moving body");
  b.required("K_p", set.K_p, newton / metre, non_negative, "gain of the controller for the error");
  b.optional("K_d", set.K_d, newton * second / metre, non_negative,
             "gain for the rate of the error");
  b.optional("K_i", set.K_i, newton / (metre * second), non_negative,
             "gain for the integral of the error");
  b.optional("force_limit", set.force_limit, newton, positive, "force limit of the drive", "none");
  b.optional("encoder", set.encoder, metre, non_negative,
             "step of the encoder; 0: position and velocity are measured exactly");
  const std::string by = b.word("compensation", {"none", "feedforward", "observer"},
                                "compensation of friction, by the model in [compensator]", "none");
  set.by = by == "feedforward" ? loop::compensation::feedforward
           : by == "observer"  ? loop::compensation::observer
                               : loop::compensation::none;
  b.optional("share", set.share, one, non_negative, "share of the compensation that is applied");
  b.optional("bandwidth", set.bandwidth, radian / second, non_negative,
             "bandwidth of the observer; 0: its model only");
  set.model_mass = plant.m;
  b.optional("model_mass", set.model_mass, kilogram, positive, "mass that the observer assumes",
             "mass");
  long long steps = set.plant_steps;
  b.optional("plant_steps", steps, {1, 1000},
             "number of steps of the plant in a period of the controller");
  set.plant_steps = static_cast<int>(steps);
  any_model model = plant.friction;
  if (b.lists() || b.root.has("compensator"))
    model = b.root.model_of("friction", "compensator",
                            "friction model of the compensation; that of the plant by default",
                            is_optional);
  b.root.required("goal", set.goal, metre, "reference position for x");
  b.root.optional("force", plant.inputs.push, newton, "disturbing force");
  return std::make_shared<loop_system>(std::move(plant), std::move(model), std::move(set));
}

}  // namespace

namespace detail {

extern const system_row positioning_loop{
    .name = "positioning_loop",
    .what = "a sampled position control of a mass, with friction compensated or not",
    .build = build};

}  // namespace detail

}  // namespace asperity
