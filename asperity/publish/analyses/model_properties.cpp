// SPDX-License-Identifier: Apache-2.0
// The properties of the friction model in `friction`, 1 for yes and 0 for no, in one row.

#include <asperity/analysis/properties.hpp>
#include <asperity/publish/analysis.hpp>
#include <asperity/run/input.hpp>

namespace asperity::detail {

namespace {

class properties_table final : public analysis {
 public:
  explicit properties_table(any_model model) : model_(std::move(model)) {}

  bool has(execution how) const override { return how == execution::source; }
  std::string method(execution) const override { return "small experiments"; }
  column_header axis() const override { return {"model_states", units::one}; }
  run_data tabulate(execution, const std::atomic<bool>* interrupt) const override {
    const model_properties found = properties_of(model_, 0.01, interrupt);
    run_data data;
    const auto add = [&](const char* name, double value) {
      data.columns.push_back({name, units::one, {value}});
    };
    add("model_states", model_.states());
    add("rate_dependent", found.rate_dependent);
    add("memory", static_cast<int>(found.memory));
    add("continuous", found.continuous);
    add("stiction", found.stiction);
    add("drift", found.drift);
    add("stribeck", found.stribeck);
    add("presliding", found.presliding);
    add("lag", found.lag);
    add("stick_slip", found.stick_slip);
    return data;
  }

 private:
  any_model model_;
};

}  // namespace

extern const analysis_row model_properties_analysis{
    .name = "model_properties",
    .what = "properties of a friction model, found by running it",
    .read = [](reader& table) -> std::unique_ptr<analysis> {
      std::vector<std::string> doubts;
      reader friction = table.table("friction");
      return std::make_unique<properties_table>(read_model(friction, "friction", doubts));
    },
};

}  // namespace asperity::detail
