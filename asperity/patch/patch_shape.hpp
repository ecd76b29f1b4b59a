// SPDX-License-Identifier: Apache-2.0
#pragma once

// A contact patch as keys: the part that laws over cells share. The words and keys are those of the
// table [patch] of scenario files, less what does not fit one number: polygons, tables and grids,
// for which a law takes a contact_patch as it is.

#include <asperity/card.hpp>
#include <asperity/patch/contact_patch.hpp>

namespace asperity {

struct patch_shape {
  enum shapes { disc, ring, ellipse, rectangle, line };
  enum pressures { uniform, linear, hertz };

  int shape = disc, pressure = uniform, cells = 20;
  double radius = 0.05, inner_radius = 0.03, a = 0.05, b = 0.03, width = 0.1, height = 0.06,
         length = 0.1, angle = 0, gradient_x = 0, gradient_y = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.choice("shape", shape, {"disc", "ring", "ellipse", "rectangle", "line"},
                "shape of the contact");
    // Hertz's pressure is known for those shapes alone.
    const bool hertzian = shape == disc || shape == ellipse || shape == line;
    std::vector<std::string> spread{"uniform", "linear"};
    if (hertzian) spread.emplace_back("hertz");
    card.choice("pressure", pressure, spread, "distribution of the load");
    card.whole_number("cells", cells, 1, most_cells, "number of cells along the contact");
    const auto size = [&](const char* name, double& value, const char* meaning) {
      card.parameter(name, value, metre, positive, meaning);
    };
    if (shape == disc || shape == ring) size("radius", radius, "radius of the contact");
    if (shape == ring) size("inner_radius", inner_radius, "inner radius of the ring");
    if (shape == ellipse) size("a", a, "semi-axis along x");
    if (shape == ellipse) size("b", b, "semi-axis along y");
    if (shape == rectangle) size("width", width, "width of the rectangle, along x");
    if (shape == rectangle) size("height", height, "height of the rectangle, along y");
    if (shape == line) size("length", length, "length of the line");
    if (shape == line)
      card.parameter("angle", angle, radian, any_value, "angle of the line with x");
    if (pressure != linear) return;
    card.parameter("gradient_x", gradient_x, one / metre, any_value,
                   "p ~ 1 + gradient_x x + gradient_y y");
    card.parameter("gradient_y", gradient_y, one / metre, any_value, "the same along y");
  }

  static constexpr int most_cells = 90;  // along the contact: as many as a run has room for

  // Throws asperity::error where the keys do not fit together.
  contact_patch build() const {
    pressure_field field;
    if (pressure == hertz) field.is = pressure_field::kind::hertz;
    if (pressure == linear) field.is = pressure_field::kind::linear;
    field.gradient_x = gradient_x;
    field.gradient_y = gradient_y;
    return build(field);
  }
  contact_patch build(const pressure_field& field) const {
    switch (shape) {
      case ring:
        return contact_patch::ring(inner_radius, radius, field);
      case ellipse:
        return contact_patch::ellipse(a, b, field);
      case rectangle:
        return contact_patch::rectangle(width, height, field);
      case line:
        return contact_patch::line(length, angle, field);
      default:
        return contact_patch::disc(radius, field);
    }
  }
};

// The axes of a patch that lies on the surface, for laws that know no place.
struct patch_axes {
  double cosine, sine;
  explicit patch_axes(const planar_drive<double>& in)
      : cosine(std::cos(in.place[2])), sine(std::sin(in.place[2])) {}
  twist<double> into(const twist<double>& t) const {
    return {{cosine * t[0] + sine * t[1], cosine * t[1] - sine * t[0], t[2]}};
  }
  wrench<double> out_of(const wrench<double>& f) const {
    return {{cosine * f[0] - sine * f[1], sine * f[0] + cosine * f[1], f[2]}};
  }
};

}  // namespace asperity
