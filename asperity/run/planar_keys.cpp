// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/planar_keys.hpp>

namespace asperity {

namespace {

using kind = key_entry::kind;

void list_patch(key_builder& root) {
  using namespace units;
  key_builder patch =
      root.table("patch", "the contact, for patch laws and coupling = \"patch\"; refused by others",
                 is_optional);
  const auto mention = [&](kind is, const char* name, const char* meaning, unit in = metre,
                           range allowed = positive) {
    patch.mention({is, "patch", name, meaning, in, allowed, false, "as the shape asks"});
  };
  long long cells = 20;
  patch.optional("cells", cells, {1, 90}, "along each side");
  patch.word("shape", {"disc", "ring", "ellipse", "rectangle", "polygon", "line", "grid"},
             "of the contact");
  patch.word("pressure", {"uniform", "hertz", "linear", "table"}, "over the contact", "uniform");
  double gradient = 0;
  patch.optional("gradient_x", gradient, one / metre, any_value, "linear: p ~ 1 + gradient_x x");
  patch.optional("gradient_y", gradient, one / metre, any_value, "linear: and + gradient_y y");
  mention(kind::text, "pressure_file", "table: a CSV file with x, y, pressure");
  mention(kind::number, "radius", "of a disc or ring");
  mention(kind::number, "inner_radius", "of a ring");
  mention(kind::number, "a", "half axis of an ellipse");
  mention(kind::number, "b", "half axis of an ellipse");
  mention(kind::number, "width", "of a rectangle");
  mention(kind::number, "height", "of a rectangle");
  mention(kind::number, "length", "of a line");
  mention(kind::number, "angle", "of a line, 0 unless given", radian, any_value);
  mention(kind::numbers, "x", "corners of a polygon", metre, any_value);
  mention(kind::numbers, "y", "corners of a polygon", metre, any_value);
  mention(kind::tables, "hole", "holes of a polygon, each with x and y");
  mention(kind::text, "file", "grid: a CSV file with x, y, pressure");
}

}  // namespace

void list_planar_keys(system_builder& b, planar_kind of) {
  using namespace units;
  b.root.mention(
      {kind::model, "", "friction", "of the contact", one, any_value, true, "", {"planar"}});
  list_patch(b.root);
  signal none, load = signal::constant(1);
  if (of == planar_kind::moved) {
    b.root.optional("velocity_x", none, metre / second, "of the contact");
    b.root.optional("velocity_y", none, metre / second, "of the contact");
    b.root.optional("spin", none, radian / second, "of the contact");
  } else {
    double m = 1, I = 1;
    b.required("mass", m, kilogram, positive, "of the body");
    if (of == planar_kind::body)
      b.optional("inertia", I, moment_of_inertia, positive, "about the centre of mass",
                 "that of an even plate with the outline of [patch]; required without one");
    else
      b.required("inertia", I, moment_of_inertia, positive, "about the centre of mass");
    b.root.optional("force_x", none, newton, "on the centre of mass");
    b.root.optional("force_y", none, newton, "on the centre of mass");
    b.root.optional("torque", none, units::torque, "on the body");
  }
  b.load(load);
  double g = 0;
  if (of == planar_kind::gripped) b.gravity(g);
}

}  // namespace asperity
