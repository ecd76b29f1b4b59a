// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/planar/disc_coulomb.hpp>
#include <asperity/planar/patch_coulomb.hpp>
#include <boost/math/special_functions/ellint_2.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;

// Twists whose centres of rotation lie inside, on the rim, near, far and at infinity.
std::vector<twist<double>> twists(double reach) {
  return {{{0, 0, 1}},
          {{0.3 * reach, 0.1 * reach, 1}},
          {{reach, 0, -1}},
          {{0, 1.02 * reach, 1}},
          {{-2 * reach, 3 * reach, 1}},
          {{5 * reach, 1 * reach, 0.5}},
          {{1, 2, 1e-6}},
          {{1, -0.5, 0}},
          {{1e-7 * reach, 0, 1}}};
}

double difference(const wrench<double>& a, const wrench<double>& b, double reach) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2]) / reach});
}

TEST(patch_coulomb, ADiscHasTheEllipticIntegrals) {
  const double R = 0.03;
  const patch_coulomb law{contact_patch::disc(R), 2.5};
  const disc_coulomb<double> exact{.F_c = 2.5, .R = R};
  for (const auto& t : twists(R)) {
    const auto [value, error] = law.with_error(t);
    EXPECT_LT(difference(value, exact(t), R), 1e-9) << t[0] << ' ' << t[1] << ' ' << t[2];
    EXPECT_LT(error, 2.5e-9);
  }
}

TEST(patch_coulomb, ARingIsADiscLessADisc) {
  const double R = 0.03, r = 0.02;
  const patch_coulomb law{contact_patch::ring(r, R)};
  const disc_coulomb<double> outer{.F_c = R * R / (R * R - r * r), .R = R},
      inner{.F_c = r * r / (R * R - r * r), .R = r};
  for (const auto& t : twists(R)) EXPECT_LT(difference(law(t), outer(t) - inner(t), R), 1e-9);
}

// The cells of a grid are integrated in closed form: another method altogether.
TEST(patch_coulomb, ARectangleByQuadratureIsAGridInClosedForm) {
  const double w = 0.04, h = 0.02;
  planar_table even{.x_0 = -w / 4,
                    .y_0 = -h / 4,
                    .dx = w / 2,
                    .dy = h / 2,
                    .columns = 2,
                    .rows = 2,
                    .values = {1, 1, 1, 1}};
  const patch_coulomb by_quadrature{contact_patch::rectangle(w, h)},
      closed{contact_patch::grid(even)};
  const double reach = by_quadrature.patch.reach();
  EXPECT_NEAR(closed.patch.reach(), reach, 1e-15);
  for (const auto& t : twists(reach))
    EXPECT_LT(difference(by_quadrature(t), closed(t), reach), 1e-9);
}

TEST(patch_coulomb, APolygonWithAHoleIsTheOutlineLessTheHole) {
  const contact_patch::polygon outline{{-0.03, -0.01}, {0.05, -0.02}, {0.02, 0.04}, {0, 0.01}},
      hole{{0.005, 0}, {0.015, 0.002}, {0.01, 0.01}};
  const patch_coulomb whole{contact_patch::with_holes(outline)},
      cut{contact_patch::with_holes(hole)}, law{contact_patch::with_holes(outline, {hole})};
  const double A = whole.patch.area(), a = cut.patch.area(), reach = law.patch.reach();
  EXPECT_NEAR(law.patch.area(), A - a, 1e-12);
  for (const auto& t : twists(reach)) {
    const auto wanted = (A / (A - a)) * whole(t) - (a / (A - a)) * cut(t);
    EXPECT_LT(difference(law(t), wanted, reach), 2e-9);
  }
}

TEST(patch_coulomb, SpinningTorquesThatAreKnown) {
  const twist<double> spin{{0, 0, 2}};
  const auto torque = [&](const contact_patch& patch) { return patch_coulomb{patch}(spin)[2]; };
  pressure_field hertz;
  hertz.is = pressure_field::kind::hertz;
  EXPECT_NEAR(torque(contact_patch::disc(1, hertz)), 3 * pi / 16, 1e-10);
  const double a = 2, b = 0.7;
  EXPECT_NEAR(torque(contact_patch::ellipse(a, b)),
              4 * a / (3 * pi) * boost::math::ellint_2(std::sqrt(1 - b * b / (a * a))), 1e-9);
  EXPECT_NEAR(torque(contact_patch::line(2, 0.3)), 0.5, 1e-10);
  EXPECT_NEAR(torque(contact_patch::line(2, 0.3, hertz)), 4 / (3 * pi), 1e-10);
  const double s = std::sqrt(2.0);  // mean distance from the centre of a square of side 2
  EXPECT_NEAR(torque(contact_patch::rectangle(2, 2)), (s + std::log(1 + s)) / 3, 1e-10);
}

TEST(patch_coulomb, ALineThatTurnsAboutAPointOfItself) {
  // Half length 1, centre of rotation at s on the line: force across it is -s, torque about the
  // middle (1 - s^2)/2.
  const patch_coulomb law{contact_patch::line(2)};
  const auto f = law({{0, -0.4, 1}});  // the point (0.4, 0) rests
  EXPECT_NEAR(f[0], 0, 1e-12);
  EXPECT_NEAR(f[1], -0.4, 1e-10);
  EXPECT_NEAR(f[2], (1 - 0.16) / 2, 1e-10);
}

TEST(patch_coulomb, SlidingWithoutSpinActsInTheCentreOfPressure) {
  pressure_field tilted;
  tilted.is = pressure_field::kind::linear;
  tilted.gradient_x = 20;
  tilted.gradient_y = -5;
  const auto patch = contact_patch::rectangle(0.04, 0.06, tilted);
  // Second moments of the rectangle over its area: w^2/12, h^2/12.
  EXPECT_NEAR(patch.centre().x, 20 * 0.04 * 0.04 / 12, 1e-12);
  EXPECT_NEAR(patch.centre().y, -5 * 0.06 * 0.06 / 12, 1e-12);
  const auto f = patch_coulomb{patch}({{3, 4, 0}});
  EXPECT_NEAR(f[0], 0.6, 1e-10);
  EXPECT_NEAR(f[1], 0.8, 1e-10);
  EXPECT_NEAR(f[2], patch.centre().x * 0.8 - patch.centre().y * 0.6, 1e-10);
}

TEST(patch_coulomb, ATableOfALinearPressureIsTheLinearPressure) {
  pressure_field linear, table;
  linear.is = pressure_field::kind::linear;
  linear.gradient_x = 10;
  table.is = pressure_field::kind::table;
  std::vector<double> x, y, p;
  for (const double u : {-0.04, 0.0, 0.04})
    for (const double v : {-0.04, 0.04}) {
      x.push_back(u);
      y.push_back(v);
      p.push_back(3 * (1 + 10 * u));
    }
  table.table = planar_table::from_points(x, y, p);
  const patch_coulomb a{contact_patch::disc(0.03, linear)}, b{contact_patch::disc(0.03, table)};
  for (const auto& t : twists(0.03)) EXPECT_LT(difference(a(t), b(t), 0.03), 1e-8);
}

pressure_field table_of(double width, double height, int columns, int rows, double pressure) {
  pressure_field field;
  field.is = pressure_field::kind::table;
  field.table = {.x_0 = -0.5 * width,
                 .y_0 = -0.5 * height,
                 .dx = width / (columns - 1),
                 .dy = height / (rows - 1),
                 .columns = columns,
                 .rows = rows,
                 .values = std::vector<double>(static_cast<std::size_t>(columns * rows), pressure)};
  return field;
}

// Where the table ends, the pressure jumps to 0: the contact is the rectangle of the table.
TEST(patch_coulomb, APatchThatReachesBeyondItsTableIsTheTable) {
  const double w = 0.04, h = 0.02;
  const auto field = table_of(w, h, 5, 4, 3);
  const auto exact = contact_patch::rectangle(w, h);
  for (const auto& patch :
       {contact_patch::disc(0.05, field), contact_patch::ellipse(0.2, 0.03, field),
        contact_patch::rectangle(0.2, 0.2, field), contact_patch::rectangle(w, h, field),
        contact_patch::with_holes({{-0.1, -0.1}, {0.1, -0.1}, {0, 0.2}},
                                  {{{0.03, 0}, {0.04, 0}, {0.04, 0.01}}}, field)}) {
    EXPECT_NEAR(patch.gyration(), exact.gyration(), 1e-12) << patch.description();
    for (const auto& t : twists(exact.reach())) {
      const auto found = patch.coulomb(t, 1e-9);
      EXPECT_LT(difference(found.value, exact.coulomb(t, 1e-12).value, exact.reach()), 2e-9)
          << patch.description();
      EXPECT_LT(found.error, 1e-8);
    }
  }
}

// Lines of the table cross the rim of the shape, its corners and its holes.
TEST(patch_coulomb, ATableOfTheSamePressureEverywhereIsUniform) {
  const auto field = table_of(0.12, 0.12, 8, 6, 0.5);
  const contact_patch::polygon outline{{-0.03, -0.01}, {0.05, -0.02}, {0.02, 0.04}, {0, 0.01}},
      hole{{0.005, 0}, {0.015, 0.002}, {0.01, 0.01}};
  const std::pair<contact_patch, contact_patch> pairs[] = {
      {contact_patch::disc(0.03, field), contact_patch::disc(0.03)},
      {contact_patch::ring(0.02, 0.03, field), contact_patch::ring(0.02, 0.03)},
      {contact_patch::ellipse(0.05, 0.004, field), contact_patch::ellipse(0.05, 0.004)},
      {contact_patch::with_holes(outline, {hole}, field),
       contact_patch::with_holes(outline, {hole})},
      {contact_patch::line(0.08, 0.4, field), contact_patch::line(0.08, 0.4)}};
  for (const auto& [by_table, uniform] : pairs) {
    const double reach = uniform.reach();
    EXPECT_NEAR(by_table.area(), uniform.area(), 1e-12);
    EXPECT_NEAR(by_table.gyration(), uniform.gyration(), 1e-12);
    for (const auto& t : twists(reach))
      EXPECT_LT(difference(by_table.coulomb(t, 1e-9).value, uniform.coulomb(t, 1e-12).value, reach),
                1e-8)
          << uniform.description();
  }
}

// A line along the edge of its table is on it, however the sine of its angle is rounded.
TEST(patch_coulomb, TheEdgeBelongsToTheTable) {
  auto field = table_of(0.1, 0.1, 3, 3, 1);
  field.table.x_0 = 0;
  EXPECT_NEAR(contact_patch::line(0.06, pi / 2, field).gyration(), 0.03 / std::sqrt(3.0), 1e-12);
}

// The error estimate must cover the error, also where a loose tolerance is asked for.
TEST(patch_coulomb, TheEstimateCoversTheError) {
  pressure_field hertz;
  hertz.is = pressure_field::kind::hertz;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-2, 2);
  for (const auto& patch : {contact_patch::ellipse(1, 0.4, hertz), contact_patch::ring(0.5, 1),
                            contact_patch::rectangle(1, 0.3)})
    for (int i = 0; i < 20; ++i) {
      const twist<double> t{{any(random), any(random), any(random)}};
      const auto fine = patch.coulomb(t, 1e-12), loose = patch.coulomb(t, 1e-4);
      EXPECT_LE(difference(fine.value, loose.value, patch.reach()), loose.error + 1e-11);
      EXPECT_LE(loose.error, 1e-3);
    }
}

TEST(patch_coulomb, CellsShareTheLoadAndKeepItsCentre) {
  const auto patch = contact_patch::with_holes({{0, 0}, {0.05, 0}, {0.05, 0.03}, {0, 0.03}},
                                               {{{0.03, 0.01}, {0.04, 0.01}, {0.04, 0.02}}});
  for (const int n : {5, 20, 80}) {
    const auto cells = patch.cells(n);
    double load = 0, x = 0, y = 0;
    for (std::size_t i = 0; i < cells.share.size(); ++i) {
      load += cells.share[i];
      x += cells.share[i] * cells.x[i];
      y += cells.share[i] * cells.y[i];
    }
    EXPECT_NEAR(load, 1, 1e-12);
    EXPECT_NEAR(x, patch.centre().x, 2e-5);
    EXPECT_NEAR(y, patch.centre().y, 2e-5);
  }
}

TEST(patch_coulomb, RefusesWhatIsNoContact) {
  pressure_field steep, hertz;
  steep.is = pressure_field::kind::linear;
  steep.gradient_x = 40;
  hertz.is = pressure_field::kind::hertz;
  const auto message = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const error& problem) {
      return problem.what();
    }
    return "accepted";
  };
  EXPECT_NE(message([] { contact_patch::disc(-1); }).find("radius = -1 m: it must be above 0"),
            std::string::npos);
  EXPECT_NE(message([] { contact_patch::ring(2, 1); }).find("inner radius = 2"), std::string::npos);
  EXPECT_NE(message([&] { contact_patch::disc(0.03, steep); }).find("at least 0 everywhere"),
            std::string::npos);
  EXPECT_NE(message([&] { contact_patch::rectangle(1, 1, hertz); }).find("hertz"),
            std::string::npos);
  EXPECT_NE(message([] {
              contact_patch::with_holes({{0, 0}, {1, 0}});
            }).find("at least 3"),
            std::string::npos);
  EXPECT_NE(message([] {
              contact_patch::with_holes({{0, 0}, {1, 0}, {0, 1}}, {{{2, 2}, {3, 2}, {2, 3}}});
            }).find("outside"),
            std::string::npos);
  EXPECT_NE(message([] {
              contact_patch::with_holes({{0, 0}, {2, 0}, {2, 2}, {1, -1}, {0, 2}});
            }).find("the edge from (0, 0) to (2, 0) crosses the edge from (2, 2) to (1, -1)"),
            std::string::npos);
  const contact_patch::polygon square{{0, 0}, {9, 0}, {9, 9}, {0, 9}};
  EXPECT_NE(
      message([&] {
        contact_patch::with_holes(square, {{{1, 1}, {5, 1}, {1, 5}}, {{2, 2}, {6, 2}, {2, 6}}});
      }).find("edges may not cross"),
      std::string::npos);
  EXPECT_NE(
      message([&] {
        contact_patch::with_holes(square, {{{1, 1}, {8, 1}, {1, 8}}, {{2, 2}, {3, 2}, {2, 3}}});
      }).find("the hole from (2, 2) on lies in another hole"),
      std::string::npos);
  EXPECT_NE(message([] {
              planar_table::from_points({0, 1, 0, 1, 1}, {0, 0, 1, 1, 1}, {1, 1, 1, 1, 2});
            }).find("the point (1, 1) is there twice"),
            std::string::npos);
  EXPECT_NE(message([] {
              planar_table::from_points({0, 1, 2.4}, {0, 1, 1}, {1, 1, 1});
            }).find("regular"),
            std::string::npos);
}

}  // namespace
}  // namespace asperity
