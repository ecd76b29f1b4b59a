// SPDX-License-Identifier: Apache-2.0
// What rate-independent operators must obey on any input: wiping-out, congruency, monotonicity,
// Lipschitz bounds, and not a bit of difference under any reparametrisation of time. And the stream
// kernel, which must be the same operator on every processor.

#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/analysis/stream.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/models/hysteresis/prandtl_ishlinskii.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "../../tests/generators.hpp"

namespace asperity {
namespace {

// An operator with random parameters and its memory.
struct subject {
  any_model model;
  std::vector<double> state;
  double x = 0, f = 0;

  explicit subject(any_model the_model)
      : model(std::move(the_model)), state(static_cast<std::size_t>(any_model::max_states)) {
    model.initial(state.data());
    f = model.advance(state.data(), {0, 0, 1}, {0, 0, 1}, 1);
  }
  double to(double target, double h = 1, double v = 0) {
    f = model.advance(state.data(), {x, v, 1}, {target, v, 1}, h);
    x = target;
    return f;
  }
  double through(const std::vector<double>& nodes) {
    for (const double each : nodes) to(each);
    return f;
  }
};

// Those with nonlocal memory, with weights that are nowhere negative: all of them rise with the
// input.
any_model any_operator() {
  const int which = *testing::uniform(0, 4);
  const char* names[] = {"play", "stop", "prandtl_ishlinskii", "generalised_prandtl_ishlinskii",
                         "preisach"};
  any_model model(find_model(names[which]));
  const auto share = [] { return 0.01 + *testing::fraction(); };
  if (which <= 1) model.set("r", share());
  if (which == 2) {
    const int n = *testing::uniform(1, 20);
    model.set("elements", n);
    std::vector<double> r, p;
    for (int i = 0; i < n; ++i) {
      r.push_back(share());
      p.push_back(share());
    }
    model.set("r", r);
    model.set("p", p);
    model.set("q", share());
  }
  if (which == 3) {
    model.set("elements", *testing::uniform(1, 20));
    model.set("c_1", share());
    model.set("beta", share());
  }
  if (which == 4) {
    const int n = *testing::uniform(1, 8);
    model.set("cells", n * (n + 1) / 2);
    std::vector<std::vector<double>> weight(static_cast<std::size_t>(n));
    for (auto& row : weight)
      for (int j = 0; j < n; ++j) row.push_back(*testing::fraction());
    std::vector<double> everett;
    for (int i = 1; i <= n; ++i)
      for (int j = 0; j < i; ++j) {
        double sum = 0;
        for (int a = j; a < i; ++a)
          for (int b = j; b <= a; ++b)
            sum += weight[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
        everett.push_back(sum);
      }
    model.set("E", everett);
  }
  return model;
}

std::vector<double> any_input(int most = 30) {
  std::vector<double> nodes;
  const int count = *testing::uniform(1, most);
  for (int i = 0; i < count; ++i) nodes.push_back(3 * *testing::fraction() - 1.5);
  return nodes;
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-12 * (1 + std::abs(a)); }

// Going out and back by a smaller loop changes nothing: neither the output nor anything after it.
RC_GTEST_PROP(hysteresis_operators, ClosedLoopsAreWipedOut, ()) {
  const any_model model = any_operator();
  subject with(model), without(model);
  // Fewer turns than the memory of the smallest operator.
  const auto history = any_input(8);
  with.through(history);
  without.through(history);
  const double low = with.x - *testing::fraction(), high = with.x + *testing::fraction();
  // From the turn at `low`, an excursion inside [low, high] and back to low.
  for (subject* each : {&with, &without}) each->through({high, low});
  for (int i = 0; i < 3; ++i) {
    const double a = low + *testing::fraction() * (high - low);
    with.through({a, low});
  }
  RC_ASSERT(is_close(with.f, without.f));
  for (const double x : any_input(6)) RC_ASSERT(is_close(with.to(x), without.to(x)));
}

// Loops between the same ends have the same shape, whatever came before: they are shifted along the
// output only.
RC_GTEST_PROP(hysteresis_operators, LoopsBetweenTheSameEndsAreCongruent, ()) {
  const any_model model = any_operator();
  subject a(model), b(model);
  a.through(any_input(8));
  b.through(any_input(8));
  const double low = 2 * *testing::fraction() - 1.5, high = low + *testing::fraction();
  for (subject* each : {&a, &b}) each->through({low, high, low});
  const double apart = a.f - b.f;
  for (int i = 1; i <= 10; ++i) {
    const double x = low + (high - low) * i / 10;
    RC_ASSERT(is_close(a.to(x) - b.to(x), apart));
  }
  for (int i = 9; i >= 0; --i) {
    const double x = low + (high - low) * i / 10;
    RC_ASSERT(is_close(a.to(x) - b.to(x), apart));
  }
}

// A rising input does not lower the output, and a higher input at all times gives no lower output
// (but for stop, whose output is what is left over).
RC_GTEST_PROP(hysteresis_operators, AreMonotone, ()) {
  const any_model model = any_operator();
  subject lower(model), upper(model);
  const bool in_order = model.key() != "stop";
  for (const double x : any_input()) {
    const double above = x + 0.5 * *testing::fraction(), before = lower.f, from = lower.x;
    lower.to(x);
    upper.to(above);
    RC_ASSERT((lower.f - before) * (x - from) >= -1e-13);
    if (in_order) RC_ASSERT(upper.f >= lower.f - 1e-12 * (1 + std::abs(lower.f)));
  }
}

// play: two inputs never apart by more than d give outputs never apart by more than d; stop: 2 d;
// Prandtl-Ishlinskii: (|q| + sum |p_i|) d.
RC_GTEST_PROP(hysteresis_operators, AreLipschitz, ()) {
  any_model model = any_operator();
  double bound = 1;
  if (model.key() == "stop") bound = 2;
  if (model.key() == "prandtl_ishlinskii" || model.key() == "generalised_prandtl_ishlinskii") {
    const bool plain = model.key() == "prandtl_ishlinskii";
    bound = model.get("q").front();
    if (plain)
      for (const double p : model.get("p")) bound += p;
    if (!plain) {
      for (int i = 1; i <= static_cast<int>(model.get("elements").front()); ++i)
        bound += model.get("rho").front() *
                 std::exp(-model.get("tau").front() * i * model.get("beta").front());
      bound *= model.get("c_0").front() * model.get("c_1").front();  // steepest slope
    }
  }
  if (model.key() == "preisach") {
    // All relays pass at most by the steepest slope of a branch: twice the heaviest row of cells,
    // over its width; twice again since maxima and minima both shift.
    const auto E = model.get("E");
    const double n = std::sqrt(2.0 * static_cast<double>(E.size()) + 0.25) - 0.5;
    bound = 0;
    for (std::size_t i = 1; i <= static_cast<std::size_t>(n + 0.5); ++i) {
      const double row = E[i * (i - 1) / 2] - (i > 1 ? E[(i - 1) * (i - 2) / 2] : 0.0);
      bound = std::max(bound, row);
    }
    const std::size_t last = E.size() - static_cast<std::size_t>(n + 0.5);
    for (std::size_t j = 0; j < static_cast<std::size_t>(n + 0.5); ++j) {
      const double next = j + 1 < static_cast<std::size_t>(n + 0.5) ? E[last + j + 1] : 0.0;
      bound = std::max(bound, E[last + j] - next);
    }
    bound *= 4 * 2 * n / 2;  // 2 from +1 to -1, twice for the diagonal; cells are 2/n wide
  }
  subject a(model), b(model);
  double furthest = 0;
  for (const double x : any_input()) {
    const double other = x + 0.2 * (2 * *testing::fraction() - 1);
    furthest = std::max(furthest, std::abs(other - x));
    RC_ASSERT(std::abs(a.to(x) - b.to(other)) <= bound * furthest * (1 + 1e-9) + 1e-12);
  }
}

// Any speed, any pauses, any time: not a bit changes.
RC_GTEST_PROP(hysteresis_operators, TimeDoesNotMatterToTheLastBit, ()) {
  const int which = *testing::uniform(0, 1);
  const any_model model = which == 0 ? any_operator() : any_model(find_model("duhem"));
  subject plain(model), warped(model);
  for (const double x : any_input()) {
    plain.to(x);
    if (*testing::uniform(0, 1) == 1) warped.to(warped.x, *testing::magnitude());  // a pause
    warped.to(x, *testing::magnitude(), *testing::number());
    RC_ASSERT(plain.f == warped.f);
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.states()); ++i)
      RC_ASSERT(plain.state[i] == warped.state[i]);
  }
}

// ---- the stream kernel --------------------------------------------------------------------------

struct bulk {
  std::vector<double> r, p, w, x;
  double q = 0;
};

bulk any_bulk() {
  bulk b;
  const int operators = *testing::uniform(0, 70), samples = *testing::uniform(0, 1200);
  b.q = 2 * *testing::fraction() - 1;
  for (int i = 0; i < operators; ++i) {
    b.r.push_back(*testing::fraction());
    b.p.push_back(2 * *testing::fraction() - 1);
    b.w.push_back(2 * *testing::fraction() - 1);
  }
  const double pace = 0.01 + 0.3 * *testing::fraction();
  for (int k = 0; k < samples; ++k)
    b.x.push_back(std::sin(pace * k) + 0.7 * std::sin(2.3 * pace * k));
  return b;
}

RC_GTEST_PROP(play_stream, EveryInstructionSetGivesTheSameBits, ()) {
  const bulk b = any_bulk();
  auto w = b.w, other = b.w;
  std::vector<double> out(b.x.size()), expected(b.x.size());
  RC_ASSERT(play_stream_with("baseline", b.q, b.r, b.p, other, b.x, expected));
  if (!play_stream_with("avx2", b.q, b.r, b.p, w, b.x, out)) RC_DISCARD("no AVX2 here");
  RC_ASSERT(out == expected);
  RC_ASSERT(w == other);
  // In place, and in two pieces.
  auto again = b.w, in_place = b.x;
  const std::size_t half = b.x.size() / 2;
  const std::span<double> all(in_place);
  play_stream(b.q, b.r, b.p, again, all.first(half), all.first(half));
  play_stream(b.q, b.r, b.p, again, all.subspan(half), all.subspan(half));
  RC_ASSERT(in_place == expected);
}

RC_GTEST_PROP(play_stream, IsTheModelOfTheCatalogue, ()) {
  bulk b = any_bulk();
  const std::size_t n = std::min<std::size_t>(b.r.size(), 32);
  b.r.resize(n);
  b.p.resize(n);
  prandtl_ishlinskii<double> model{.elements = static_cast<int>(n), .q = b.q};
  vec<double, 32> state;
  for (std::size_t i = 0; i < n; ++i) {
    model.r[static_cast<int>(i)] = b.r[i];
    model.p[static_cast<int>(i)] = b.p[i];
  }
  std::vector<double> w(n), out(b.x.size());
  play_stream(b.q, b.r, b.p, w, b.x, out);
  for (std::size_t k = 0; k < b.x.size(); ++k)
    RC_ASSERT(std::abs(model.advance(state, {}, {b.x[k], 0, 1}, 1) - out[k]) <= 1e-13 * (1.0 + n));
}

TEST(play_stream, FloatAgreesAsFarAsItCan) {
  std::vector<float> r, p, w(50), x, out(3000);
  std::vector<double> r2, p2, w2(50), x2, out2(3000);
  for (int i = 0; i < 50; ++i) {
    r.push_back(static_cast<float>(i) / 50);
    p.push_back(static_cast<float>(std::exp(-0.1 * i)));
  }
  for (int k = 0; k < 3000; ++k) x.push_back(static_cast<float>(std::sin(0.01 * k)));
  r2.assign(r.begin(), r.end());
  p2.assign(p.begin(), p.end());
  x2.assign(x.begin(), x.end());
  play_stream(0.5F, r, p, w, x, out);
  play_stream(0.5, r2, p2, w2, x2, out2);
  for (std::size_t k = 0; k < 3000; ++k) ASSERT_NEAR(out[k], out2[k], 1e-5);
}

TEST(play_stream, NotANumberComesOutAndLengthsAreChecked) {
  std::vector<double> r{0.1}, p{1}, w{0}, x{0, std::nan(""), 1}, out(3);
  play_stream(0, r, p, w, x, out);
  EXPECT_TRUE(std::isnan(out[1]));
  out.resize(2);
  EXPECT_THROW(play_stream(0, r, p, w, x, out), error);
  p.resize(2);
  out.resize(3);
  EXPECT_THROW(play_stream(0, r, p, w, x, out), error);
}

}  // namespace
}  // namespace asperity
