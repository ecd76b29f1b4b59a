// SPDX-License-Identifier: Apache-2.0
// A closed curve and its image under a map of two lines or a parabola:
//
//   curve                             "circle", "lifted", "skewed", "triangle" or "leaning"; c
//   map = "lines" or "parabola"       y_c, q_c, left, right
//   turns, points                     how often round (1), and points of a turn (1000); there are ten
//                                     times as many in the converged execution
//
// Columns turns, x, y, q; of the leaning curve also y_back, unfolded from q.

#include <algorithm>
#include <asperity/publish/analysis.hpp>
#include <cmath>
#include <numbers>

namespace asperity::detail {

namespace {

class curve_table final : public analysis {
 public:
  std::string curve, map = "lines";
  double c = 0, y_c = 0, q_c = 0, left = 1, right = -1, turns = 1;
  long long points = 1000;

  bool has(execution) const override { return true; }
  column_header axis() const override { return {"turns", units::one}; }
  // Counterclockwise: x falls on the upper branch in the first half of a turn, rises on the lower.
  run_data tabulate(execution how, const std::atomic<bool>*) const override {
    run_data data;
    for (const char* name : {"turns", "x", "y", "q"})
      data.columns.push_back({name, units::one, {}});
    if (rises()) data.columns.push_back({"y_back", units::one, {}});
    const long long in_one = how == execution::converged ? 10 * points : points;
    const long long last = std::llround(turns * static_cast<double>(in_one));
    for (long long i = 0; i <= last; ++i) {
      const double round = static_cast<double>(i) / static_cast<double>(in_one);
      const bool upper = 2 * (i % in_one) <= in_one;
      const double x = std::cos(2 * std::numbers::pi * round), y = on_branch(x, upper),
                   q = image(y);
      std::size_t next = 0;
      for (const double each : {round, x, y, q}) data.columns[next++].values.push_back(each);
      if (rises()) data.columns[next].values.push_back(unfolded(q, image_rises(x, upper)));
    }
    return data;
  }

 private:
  // Both branches of the leaning curve rise: its image can be unfolded.
  bool rises() const { return curve == "leaning"; }

  double on_branch(double x, bool upper) const {
    const double root = std::sqrt(std::max(0.0, 1 - x * x)), side = upper ? 1 : -1;
    if (curve == "lifted") return side * root + c * x * x * (1 - x * x);
    if (curve == "skewed") return side * root + c * x * (1 - x * x);
    if (curve == "triangle") return side * (1 - x) / 2;
    if (curve == "leaning") return x + side * c * (1 - x * x);
    return side * root;
  }
  double image(double y) const {
    return map == "parabola" ? left * (y - y_c) * (y - y_c) + q_c
                             : q_c + (y < y_c ? left : right) * (y - y_c);
  }
  bool image_rises(double x, bool upper) const {
    constexpr double beside = 1e-6;
    return image(on_branch(std::min(x + beside, 1.0), upper)) >
           image(on_branch(std::max(x - beside, -1.0), upper));
  }
  // Theorem 5.3.3: of the two y that the map takes to q, the one on the side on which it rises or
  // falls as q does along the branch.
  double unfolded(double q, bool q_rises) const {
    if (map == "parabola")
      return y_c + ((left > 0) == q_rises ? 1 : -1) * std::sqrt(std::max(0.0, (q - q_c) / left));
    return y_c + (q - q_c) / ((left > 0) == q_rises ? left : right);
  }
};

}  // namespace

extern const analysis_row mapped_curve_analysis{
    .name = "mapped_curve",
    .what = "a closed curve and its image under a unimodal map",
    .read = [](reader& table) -> std::unique_ptr<analysis> {
      using units::one;
      auto result = std::make_unique<curve_table>();
      result->curve =
          table.word("curve", {"circle", "lifted", "skewed", "triangle", "leaning"}, "circle");
      result->c = table.number("c", one, any_value, 0);
      result->map = table.word("map", {"lines", "parabola"}, "lines");
      result->y_c = table.number("y_c", one, any_value, 0);
      result->q_c = table.number("q_c", one, any_value, 1);
      result->left = table.number("left", one, any_value, 1);
      result->right = table.number("right", one, any_value, -1);
      result->turns = table.number("turns", one, {0, 100, true}, 1);
      result->points = table.integer("points", {4, 1e5}, result->points);
      return result;
    },
};

}  // namespace asperity::detail
