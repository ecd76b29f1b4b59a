// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/properties.hpp>
#include <asperity/scenario/read_properties.hpp>

namespace asperity {

namespace {

class properties_machine : public machine {
 public:
  explicit properties_machine(const any_model& model)
      : found_(properties_of(model)), model_states_(model.states()) {}
  // Time that passes is all that changes.
  std::vector<machine_quantity> states() const override { return {{"elapsed", units::second}}; }
  std::vector<double> initial() const override { return {0}; }
  void rates(double, const double*, double* rate) const override { rate[0] = 1; }
  std::vector<machine_quantity> outputs() const override {
    const unit none = units::one;
    return {{"model_states", none}, {"rate_dependent", none}, {"memory", none},
            {"continuous", none},   {"stiction", none},       {"drift", none},
            {"stribeck", none},     {"presliding", none},     {"lag", none},
            {"stick_slip", none}};
  }
  void observe(double, const double*, double* out) const override {
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

std::shared_ptr<machine> read_model_properties(const machine_context& in) {
  reader table = in.root.table("friction");
  return std::make_shared<properties_machine>(read_model(table, "friction", in.warnings));
}

}  // namespace asperity
