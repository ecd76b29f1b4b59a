// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/models/planar/disc_coulomb.hpp>
#include <asperity/patch/patch_coulomb.hpp>
#include <asperity/patch/patch_testing.hpp>
#include <boost/math/special_functions/ellint_2.hpp>
#include <cmath>
#include <functional>
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

// A patch, the same for the reference, and points of its rim with a direction across it there.
struct patch_and_reference {
  contact_patch patch;
  patch_reference reference;
  struct rim_point {
    double x, y, across_x, across_y;
  };
  std::vector<rim_point> rim;
};

struct shape_and_rim {
  std::function<contact_patch(const pressure_field&)> with;
  patch_reference reference;
  std::vector<patch_and_reference::rim_point> rim;
};

shape_and_rim polygon_shape(const std::vector<contact_patch::polygon>& loops) {
  shape_and_rim shape{
      [loops](const pressure_field& pressure) {
        return contact_patch::with_holes(loops.front(), {loops.begin() + 1, loops.end()}, pressure);
      },
      {},
      {}};
  for (const auto& loop : loops) {
    shape.reference.polygons.emplace_back();
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const planar_point from = loop[i], to = loop[(i + 1) % loop.size()];
      shape.reference.polygons.back().push_back({from.x, from.y});
      const double x = to.x - from.x, y = to.y - from.y, length = std::hypot(x, y);
      // The corner, close to it, and along the edge.
      shape.rim.push_back({from.x, from.y, 0.28, 0.96});
      for (const double share : {1e-6, 0.37})
        shape.rim.push_back({from.x + share * x, from.y + share * y, y / length, -x / length});
    }
  }
  return shape;
}

shape_and_rim ellipse_shape(double a, double b, double hole = 0) {
  shape_and_rim shape{[=](const pressure_field& pressure) {
                        return hole > 0 ? contact_patch::ring(hole, b, pressure)
                                        : contact_patch::ellipse(a, b, pressure);
                      },
                      {},
                      {}};
  shape.reference.ellipses.push_back({a, b});
  if (hole > 0) shape.reference.ellipses.push_back({hole, hole});
  for (const auto& [c, d] : shape.reference.ellipses)
    for (const double angle : {0.0, 0.02, 0.9, pi / 2, 3.3, 5.0}) {
      const auto x = static_cast<double>(c) * std::cos(angle);
      const auto y = static_cast<double>(d) * std::sin(angle);
      const double length = std::hypot(std::cos(angle) / static_cast<double>(c),
                                       std::sin(angle) / static_cast<double>(d));
      shape.rim.push_back({x, y, std::cos(angle) / (static_cast<double>(c) * length),
                           std::sin(angle) / (static_cast<double>(d) * length)});
    }
  return shape;
}

// The table's interpolation, written once more.
long double interpolated(const planar_table& table, long double x, long double y) {
  const long double u = (x - table.x_0) / table.dx, v = (y - table.y_0) / table.dy;
  long double sum = 0;
  for (int j = 0; j < table.rows; ++j)
    for (int i = 0; i < table.columns; ++i)
      sum += std::max(0.0L, 1 - std::abs(u - i)) * std::max(0.0L, 1 - std::abs(v - j)) *
             table.values[static_cast<std::size_t>(i + table.columns * j)];
  const bool is_within = u >= 0 && v >= 0 && u <= table.columns - 1 && v <= table.rows - 1;
  return is_within ? sum : 0;
}

planar_table some_table() {
  return {.x_0 = -0.9,
          .y_0 = -0.8,
          .dx = 0.75,
          .dy = 0.9,
          .columns = 3,
          .rows = 3,
          .values = {1, 2, 0.5, 0, 3, 1, 2, 0.7, 1.5}};
}

// Every shape under every pressure.
std::vector<patch_and_reference> all_patches() {
  std::vector<patch_and_reference> all;
  const std::vector<shape_and_rim> shapes{
      polygon_shape({{{-1, -0.5}, {1, -0.5}, {1, 0.5}, {-1, 0.5}}}),
      polygon_shape({{{-1, -0.6}, {1.2, -0.9}, {0.7, 0.8}, {0.1, 0.2}, {-0.5, 0.9}},
                     {{0, -0.3}, {0.4, -0.2}, {0.1, 0.05}}}),
      ellipse_shape(1, 1), ellipse_shape(1, 0.15), ellipse_shape(1, 1, 0.6)};
  for (const auto& shape : shapes) {
    all.push_back({shape.with({}), shape.reference, shape.rim});

    pressure_field linear;
    linear.is = pressure_field::kind::linear;
    linear.gradient_x = 0.3;
    linear.gradient_y = -0.6;
    all.push_back({shape.with(linear), shape.reference, shape.rim});
    all.back().reference.pressure = [](long double x, long double y) {
      return 1 + 0.3 * x - 0.6 * y;
    };

    pressure_field table;
    table.is = pressure_field::kind::table;
    table.table = some_table();
    all.push_back({shape.with(table), shape.reference, shape.rim});
    auto& last = all.back();
    last.reference.pressure = [t = table.table](long double x, long double y) {
      return interpolated(t, x, y);
    };
    for (int i = 0; i < 3; ++i) {
      last.reference.lines_x.push_back(-0.9L + i * 0.75L);
      last.reference.lines_y.push_back(-0.8L + i * 0.9L);
      last.rim.push_back({-0.9 + i * 0.75, 0.03, 1, 0});
      last.rim.push_back({0.11, -0.8 + i * 0.9, 0, 1});
      last.rim.push_back({-0.9 + i * 0.75, 0.1, 0.6, 0.8});
    }

    if (shape.reference.ellipses.size() != 1) continue;
    pressure_field hertz;
    hertz.is = pressure_field::kind::hertz;
    all.push_back({shape.with(hertz), shape.reference, shape.rim});
    const auto [a, b] = shape.reference.ellipses.front();
    all.back().reference.pressure = [a = a, b = b](long double x, long double y) {
      return std::sqrt(std::max(0.0L, 1 - x * x / (a * a) - y * y / (b * b)));
    };
  }
  // A grid is a rectangle whose pressure jumps.
  const planar_table grid = some_table();
  const double left = -1.275, low = -1.25, right = 0.975, high = 1.45;
  const auto outline = polygon_shape({{{left, low}, {right, low}, {right, high}, {left, high}}});
  all.push_back({contact_patch::grid(grid), outline.reference, outline.rim});
  auto& last = all.back();
  last.reference.pressure = [grid](long double x, long double y) -> long double {
    const int i = std::clamp(static_cast<int>((x + 1.275L) / 0.75L), 0, 2),
              j = std::clamp(static_cast<int>((y + 1.25L) / 0.9L), 0, 2);
    return grid.values[static_cast<std::size_t>(i + 3 * j)];
  };
  for (int i = 1; i < 3; ++i) {
    last.reference.lines_x.push_back(-1.275L + i * 0.75L);
    last.reference.lines_y.push_back(-1.25L + i * 0.9L);
    last.rim.push_back({left + i * 0.75, 0.03, 1, 0});
    last.rim.push_back({left + i * 0.75, low + 0.9, 0.6, 0.8});
  }
  return all;
}

twist<double> turning_about(double x, double y, double omega = 1) {
  return {{omega * y, -omega * x, omega}};
}

// Whatever tolerance is asked for, wherever the centre of rotation is: at, near, nearer to a rim, a
// corner, a hole, a line of a table, on either side.
TEST(patch_coulomb, TheEstimateCoversTheErrorBesideEveryRim) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const double distances[][7] = {{0, 1e-10, 1e-7, 1e-5, 1e-3, 0.1, 8},
                                 {1e-12, 1e-8, 1e-6, 1e-4, 1e-2, 1, 100}};
  std::size_t count = 0;
  for (const auto& [patch, reference, rim] : all_patches())
    for (const double distance : distances[count++ % 2]) {
      const auto at = rim[below(rim.size())];
      const double away = below(2) == 0 ? distance : -distance;
      const auto t = turning_about(at.x + away * at.across_x, at.y + away * at.across_y,
                                   below(2) == 0 ? 0.7 : -2);
      const auto exact = reference(t);
      for (const double tolerance : {1e-4, 1e-8, 1e-11}) {
        const auto found = patch.coulomb(t, tolerance);
        EXPECT_LE(difference(found.value, exact, patch.reach()), found.error + 1e-13)
            << patch.description() << ", " << away << " from (" << at.x << ", " << at.y << ')';
        EXPECT_LE(found.error, tolerance);
      }
    }
}

// Along a line the reference is a chord of no width.
TEST(patch_coulomb, TheEstimateCoversTheErrorBesideALine) {
  for (const bool is_hertz : {false, true}) {
    pressure_field field;
    patch_reference chord;
    chord.steps_per_unit = 80;
    chord.polygons = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
    if (is_hertz) {
      field.is = pressure_field::kind::hertz;
      chord.pressure = [](long double, long double y) {
        return std::sqrt(std::max(0.0L, 1 - y * y));
      };
    }
    const patch_coulomb law{contact_patch::line(2, pi / 2, field)};
    for (const double along : {0.0, 0.3, 1 - 1e-7, 1.0, 1.4})
      for (const double distance : {0.0, 1e-15, 1e-10, 1e-6, 1e-3, 0.5, 30.0}) {
        const auto t = turning_about(distance, along);
        const auto found = law.with_error(t);
        EXPECT_LE(difference(found.value, chord.of_chord(0, t), 1), found.error + 1e-13)
            << distance << ' ' << along;
        EXPECT_LE(found.error, 1e-10);
      }
  }
}

TEST(patch_coulomb, NotANumberStaysOne) {
  const double nan = std::nan(""), infinite = HUGE_VAL;
  for (const auto& patch : {contact_patch::disc(1), contact_patch::line(1)})
    for (const auto& t :
         {twist<double>{{nan, 0, 1}}, {{1, nan, 0}}, {{1, 0, nan}}, {{infinite, 1, 1}}})
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isnan(patch.coulomb(t, 1e-8).value[k]));
}

// Only the direction of a twist counts, however small or great it is.
TEST(patch_coulomb, SpeedDoesNotMatter) {
  for (const auto& [patch, reference, rim] : all_patches())
    for (const auto& t : twists(patch.reach()))
      for (const double scale : {0x1p-1000, 0x1p1000}) {
        const auto one = patch.coulomb(t, 1e-8).value, other = patch.coulomb(scale * t, 1e-8).value;
        EXPECT_EQ(difference(one, other, patch.reach()), 0) << patch.description();
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
  EXPECT_NE(
      message([] {
        contact_patch::with_holes({{0, 0}, {2, 0}, {2, 1}, {0, 1}, {0, 0}, {1, 0}, {1, 1}, {0, 1}});
      }).find("the same way twice"),
      std::string::npos);
  // A hole on a cut is no hole to the list of points, and allowed.
  EXPECT_NEAR(contact_patch::with_holes(
                  {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 1}})
                  .area(),
              15, 1e-12);
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
            }).find("the point (1, 1) appears twice"),
            std::string::npos);
  EXPECT_NE(message([] {
              planar_table::from_points({0, 1, 2.4}, {0, 1, 1}, {1, 1, 1});
            }).find("regular"),
            std::string::npos);
}

// Cells share the load exactly, however thin the shape is and where lines of cells touch its rim:
// moments of their sum are those of the shape.
TEST(contact_patch, CellsShareTheLoadExactly) {
  pressure_field slope;
  slope.is = pressure_field::kind::linear;
  slope.gradient_x = 20;
  slope.gradient_y = -15;
  const double c = std::cos(0.7), s = std::sin(0.7);
  const auto turned = [&](double x, double y) {
    return planar_point{c * x - s * y, s * x + c * y};
  };
  for (const auto& field : {pressure_field{}, slope})
    for (const contact_patch& patch :
         {contact_patch::disc(0.02, field), contact_patch::ring(0.018, 0.02, field),
          contact_patch::ring(0.01998, 0.02, field), contact_patch::ellipse(0.02, 0.0002, field),
          contact_patch::with_holes(
              {{0, 0}, {0.03, 0}, {0.03, 0.01}, {0.01, 0.01}, {0.01, 0.03}, {0, 0.03}}, {}, field),
          contact_patch::with_holes({{0, 0}, {0.05, 0}, {0.05, 0.03}, {0, 0.03}},
                                    {{{0.03, 0.01}, {0.04, 0.01}, {0.04, 0.02}}}, field),
          contact_patch::with_holes(
              {turned(-0.02, -1e-5), turned(0.02, -1e-5), turned(0.02, 1e-5), turned(-0.02, 1e-5)},
              {}, field)})
      for (const int n : {7, 20, 40}) {
        const auto cells = patch.cells(n);
        double load = 0, x = 0, y = 0;
        for (std::size_t i = 0; i < cells.share.size(); ++i) {
          load += cells.share[i];
          x += cells.share[i] * cells.x[i];
          y += cells.share[i] * cells.y[i];
        }
        EXPECT_NEAR(load, 1, 1e-12);
        EXPECT_NEAR(x, patch.centre().x, 1e-12) << patch.description() << n;
        EXPECT_NEAR(y, patch.centre().y, 1e-12) << patch.description() << n;
        // Sliding and spinning as the exact patch, better with every cell.
        const twist<double> t{{0.3, -0.2, 25}};
        wrench<double> sum;
        for (std::size_t i = 0; i < cells.share.size(); ++i) {
          const auto v = velocity_at<double>(t, cells.x[i], cells.y[i]);
          const auto f = cells.share[i] / norm(v) * v;
          sum = sum + wrench<double>{{f[0], f[1], cells.x[i] * f[1] - cells.y[i] * f[0]}};
        }
        const auto exact = patch.coulomb(t, 1e-8).value;
        for (int k = 0; k < 3; ++k)
          EXPECT_NEAR(sum[k], exact[k], (k == 2 ? patch.reach() : 1) * 2.5 / (n * n))
              << patch.description() << ' ' << n << ' ' << k;
      }
}

// The reach is that of the shape, not of the box around it.
TEST(contact_patch, ReachesToItsFarthestPoint) {
  EXPECT_EQ(contact_patch::with_holes({{0, 0}, {1, 0}, {0, 1}}).reach(), 1);
  EXPECT_DOUBLE_EQ(
      contact_patch::with_holes({{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}}).reach(),
      std::sqrt(10.0));
}

// Those of textbooks, about the origin; the pressure has no say in it.
TEST(contact_patch, PlateGyrationIsThatOfAnEvenPlateAboutTheOrigin) {
  pressure_field hertz, tilted;
  hertz.is = pressure_field::kind::hertz;
  tilted.is = pressure_field::kind::linear;
  tilted.gradient_x = 5;
  const auto square = [](const contact_patch& patch) {
    return patch.plate_gyration() * patch.plate_gyration();
  };
  EXPECT_NEAR(square(contact_patch::disc(0.1, hertz)), 0.1 * 0.1 / 2, 1e-15);
  EXPECT_NEAR(square(contact_patch::ring(0.05, 0.1)), (0.05 * 0.05 + 0.1 * 0.1) / 2, 1e-15);
  EXPECT_NEAR(square(contact_patch::ellipse(0.1, 0.04)), (0.01 + 0.0016) / 4, 1e-15);
  EXPECT_NEAR(square(contact_patch::rectangle(0.1, 0.04, tilted)), (0.01 + 0.0016) / 12, 1e-15);
  EXPECT_NEAR(square(contact_patch::line(0.12, 0.3, tilted)), 0.12 * 0.12 / 12, 1e-15);
  // Off the centre by (0.05, 0.02), and with a hole, whichever way round both are given.
  const contact_patch::polygon box{{0, 0}, {0.1, 0}, {0.1, 0.04}, {0, 0.04}};
  contact_patch::polygon hole{{0.01, 0.01}, {0.03, 0.01}, {0.03, 0.03}, {0.01, 0.03}};
  const double whole = (0.01 + 0.0016) / 12 + 0.05 * 0.05 + 0.02 * 0.02;
  const double cut = (0.0004 + 0.0004) / 12 + 0.02 * 0.02 + 0.02 * 0.02;
  EXPECT_NEAR(square(contact_patch::with_holes(box, {}, tilted)), whole, 1e-15);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(square(contact_patch::with_holes(box, {hole})),
                (0.004 * whole - 0.0004 * cut) / 0.0036, 1e-15);
    std::reverse(hole.begin(), hole.end());
  }
  const auto grid = planar_table::from_points({0, 0.01, 0, 0.01}, {0, 0, 0.01, 0.01}, {1, 2, 3, 4});
  EXPECT_NEAR(square(contact_patch::grid(grid)), 2 * (0.02 * 0.02 / 12 + 0.005 * 0.005), 1e-15);
}

}  // namespace
}  // namespace asperity
