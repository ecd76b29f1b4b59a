// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/properties.hpp>
#include <asperity/scenario/read_properties.hpp>
#include <asperity/systems/composed_system.hpp>

namespace asperity {

namespace {

class properties_system final : public composed_system {
 public:
  explicit properties_system(const any_model& model)
      : found_(properties_of(model)), model_states_(model.states()) {
    card_.kind = "model_properties";
    // Time that passes is all that changes.
    add_state("elapsed", units::second);
    for (const char* name : {"model_states", "rate_dependent", "memory", "continuous", "stiction",
                             "drift", "stribeck", "presliding", "lag", "stick_slip"})
      add_output(name, units::one);
  }
  void rates(double, const double*, double* rate, workspace&) const override { rate[0] = 1; }
  void observe(double, const double*, double* out, workspace&) const override {
    *out++ = model_states_;
    *out++ = found_.rate_dependent;
    *out++ = static_cast<int>(found_.memory);
    for (const bool each : {found_.continuous, found_.stiction, found_.drift, found_.stribeck,
                            found_.presliding, found_.lag, found_.stick_slip})
      *out++ = each;
  }

 private:
  model_properties found_;
  int model_states_;
};

}  // namespace

std::shared_ptr<system> read_model_properties(const system_context& in) {
  reader table = in.root.table("friction");
  return std::make_shared<properties_system>(read_model(table, "friction", in.warnings));
}

}  // namespace asperity
