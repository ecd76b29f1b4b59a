// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/run/reduced.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

// What a column leaves after one pass has the measures of its rows, to the last bit.
TEST(reduced, HasTheMeasuresOfTheRows) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int reducible = 0;
  for (const measure_row* row : measures()) {
    if (row->of != measure_row::subject::column) continue;
    for (const int rows : {1, 2, 3, 40}) {
      run_data run;
      run.columns = {{"t", units::second, {}}, {"x", units::metre, {}}};
      double t = 0;
      for (int k = 0; k < rows; ++k) {
        run.columns[0].values.push_back(t);
        run.columns[1].values.push_back(normal(random));
        t += 0.1 + std::abs(normal(random));
      }
      measure m;
      m.what = row;
      m.column = "x";
      if (!is_reducible(m)) continue;
      ++reducible;
      reduced_column left;
      const auto &times = run.columns[0].values, &x = run.columns[1].values;
      left.from = times.front();
      left.to = times.back();
      left.first = x.front();
      left.last = x.back();
      left.lowest = *std::min_element(x.begin(), x.end());
      left.highest = *std::max_element(x.begin(), x.end());
      for (std::size_t k = 1; k < x.size(); ++k)
        left.integral += (x[k] + x[k - 1]) / 2 * (times[k] - times[k - 1]);
      const double whole = evaluate(m, run), reduced = evaluate(m, left);
      EXPECT_TRUE(whole == reduced || (std::isnan(whole) && std::isnan(reduced)))
          << row->word << " of " << rows << ": " << whole << " and " << reduced;
      m.ewma = 0.5;
      EXPECT_FALSE(is_reducible(m)) << row->word;
    }
  }
  EXPECT_EQ(reducible, 4 * 8);
}

TEST(reduced, IsNotWhatNeedsTheRows) {
  for (const char* text : {"drift(x, window=1)", "largest_jump(x)", "period(x)", "exponent(x)",
                           "settling_time(x, level=1)", "loop_area(x, over=v)", "peak(x)"})
    EXPECT_FALSE(is_reducible(parse_measure(text))) << text;
}

}  // namespace
}  // namespace asperity
