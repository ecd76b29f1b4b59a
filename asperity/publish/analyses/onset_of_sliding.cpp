// SPDX-License-Identifier: Apache-2.0
// A disc at break-away: eps and its bracket over gamma, from 0 to `largest_gamma` (3) in so many
// `intervals` (300); `static_over_dynamic`, `kappa`.

#include <asperity/patch/onset_of_sliding.hpp>
#include <asperity/publish/analysis.hpp>

namespace asperity::detail {

namespace {

class onset_table final : public analysis {
 public:
  double r = 1, kappa = 0.5, largest_gamma = 3;
  long long intervals = 300;

  bool has(execution how) const override { return how == execution::source; }
  column_header axis() const override { return {"gamma", units::one}; }
  run_data tabulate(execution, const std::atomic<bool>*) const override {
    run_data data;
    for (const char* name :
         {"gamma", "eps", "angle_1", "angle", "angle_2", "F_gamma", "T_gamma", "F_eps", "T_eps"})
      data.columns.push_back({name, units::one, {}});
    for (long long i = 0; i <= intervals; ++i) {
      const double gamma = largest_gamma * static_cast<double>(i) / static_cast<double>(intervals);
      const auto at = onset_of_sliding(gamma, r, kappa);
      std::size_t next = 0;
      for (const double each :
           {gamma, at.eps, std::atan(at.eps_1), std::atan(at.eps), std::atan(at.eps_2),
            disc_force(gamma), disc_torque(gamma), disc_force(at.eps), disc_torque(at.eps)})
        data.columns[next++].values.push_back(each);
    }
    return data;
  }
};

}  // namespace

extern const analysis_row onset_of_sliding_analysis{
    .name = "onset_of_sliding",
    .what = "how a disc breaks away: eps over gamma",
    .read = [](reader& table) -> std::unique_ptr<analysis> {
      auto result = std::make_unique<onset_table>();
      result->r = table.number("static_over_dynamic", units::one, {1, unbounded});
      result->kappa = table.number("kappa", units::one, positive, result->kappa);
      result->largest_gamma =
          table.number("largest_gamma", units::one, positive, result->largest_gamma);
      result->intervals = table.integer("intervals", {1, 1e6}, result->intervals);
      return result;
    },
};

}  // namespace asperity::detail
