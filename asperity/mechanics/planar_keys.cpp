// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/card.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/planar_keys.hpp>
#include <asperity/patch/patch_coulomb.hpp>
#include <asperity/patch/table_coupling.hpp>
#include <optional>

namespace asperity {

namespace {

using namespace units;

constexpr const char* by_shape = "as the shape requires";

planar_table read_table(key_builder& table, const std::string& key, const std::string& meaning) {
  const auto points = table.columns(key, {"x", "y", "pressure"}, meaning, by_shape);
  if (table.lists()) return {};
  return table.made(key, [&] {
    return planar_table::from_points(points.values[0], points.values[1], points.values[2],
                                     points.refuse);
  });
}

pressure_field read_pressure(key_builder& table) {
  using kind = pressure_field::kind;
  pressure_field field;
  const std::vector<std::string> words{"uniform", "hertz", "linear", "table"};  // as in `kind`
  const std::string word =
      table.word("pressure", words, "distribution of the load over the contact", "uniform");
  field.is = static_cast<kind>(std::find(words.begin(), words.end(), word) - words.begin());
  const bool all = table.lists();
  if (all || field.is == kind::linear) {
    table.optional("gradient_x", field.gradient_x, one / metre, any_value,
                   "linear: p ~ 1 + gradient_x x");
    table.optional("gradient_y", field.gradient_y, one / metre, any_value,
                   "linear: the same along y");
  }
  if (all || field.is == kind::table)
    field.table = read_table(table, "pressure_file", "table: a CSV file with x, y, pressure");
  return field;
}

contact_patch::polygon read_polygon(key_builder& table) {
  std::vector<double> x, y;
  table.required("x", x, metre, any_value, "corners of a polygon", by_shape);
  table.required("y", y, metre, any_value, "corners of a polygon", by_shape);
  if (x.size() != y.size())
    table.refuse("y", fmt::format("there are {} values, but x has {}", y.size(), x.size()));
  contact_patch::polygon result;
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back({x[i], y[i]});
  return result;
}

constexpr std::size_t most_corners = 5000;  // every edge is compared with every other

// What friction laws need of the contact.
struct contact {
  std::optional<contact_patch> patch;
  long long cells = 20;
  bool is_used = false;

  const contact_patch& needed(const key_builder& friction, const std::string& by) {
    if (!patch)
      friction.refuse("model", fmt::format("{} needs a table [patch] with shape = ...", by));
    is_used = true;
    return *patch;
  }
};

template <template <class, class, class> class Law>
std::unique_ptr<planar_friction> read_bristles(key_builder& table, contact& c, planar_mount mount,
                                               double& R) {
  using curve = stribeck_exponential<double>;
  const std::string coupling = table.word("coupling", {"ellipsoid", "disc", "patch"},
                                          "coupling of force and torque", "ellipsoid");
  const auto with_radius = [&](auto law) {
    read_parameters(table, law);
    R = law.coupling.R;
    return make_bristle_friction(law, mount, false);
  };
  if (coupling == "disc") return with_radius(Law<double, disc_coupling<double>, curve>{});
  if (coupling == "ellipsoid") return with_radius(Law<double, ellipsoid_coupling<double>, curve>{});
  Law<double, table_coupling, curve> law;
  const contact_patch& patch = c.needed(table, "coupling = \"patch\"");
  read_parameters(table, law);
  law.coupling = table.made("", [&] { return table_coupling(patch); });
  R = patch.reach();
  return make_bristle_friction(law, mount, mount == planar_mount::carried);
}

// A law that no system knows: without memory and indifferent to the speed it is Coulomb friction,
// which a body may stick to.
std::unique_ptr<planar_friction> mounted(any_model law, planar_mount mount, bool is_moved) {
  const bool is_coulomb = law.states() == 0 && (law.describe().claims & rate_independent) != 0;
  if (!is_coulomb) return make_friction(model_friction{std::move(law), mount});
  const bool turns = mount == planar_mount::carried && !is_moved;
  const auto at_unit_load = [law = std::move(law)](const twist<double>& t) {
    const double in[] = {0, 0, 0, t[0], t[1], t[2], 1};
    wrench<double> f;
    law.respond(in, nullptr, &f[0], nullptr);
    return f;
  };
  return make_friction(support_friction{at_unit_load, 1, mount, turns});
}

// R is the radius by which eps is formed.
std::unique_ptr<planar_friction> read_friction(system_builder& b, contact& c, planar_mount mount,
                                               bool is_moved, double& R) {
  auto of = b.root.table_of_model("friction", {"planar"}, "friction model of the contact");
  if (b.lists()) of.model = "disc_coulomb";  // which has all keys that are not its law's
  key_builder table = of.table.unlisted();
  const auto is = [&](std::string_view key) { return of.model == key; };
  const auto stiction = [&](double F_c) {
    double F_s = F_c;
    of.table.optional("F_s", F_s, newton, positive,
                      "static friction force of Coulomb laws, at least F_c", "F_c");
    if (F_s < F_c) table.refuse("F_s", fmt::format("it must be at least F_c = {} N", F_c));
    return F_s;
  };
  const bool gripped = mount == planar_mount::gripped;
  // With a closed form under the centre of mass; pads are not there.
  const auto read_coulomb = [&](auto policy) {
    read_parameters(table, policy.law);
    policy.F_s = stiction(policy.law.F_c);
    R = policy.law.R;
    return gripped ? make_friction(support_friction{policy.law, policy.F_s / policy.law.F_c, mount})
                   : make_friction(policy);
  };
  const auto read_cells = [&]<class Law, class Friction>() {
    typename Law::parameters with;
    read_parameters(table, with);
    const contact_patch& patch = c.needed(table, of.model);
    R = patch.reach();
    return make_friction(Friction{
        table.made("", [&] { return Law(patch, static_cast<int>(c.cells), with); }), mount});
  };
  std::unique_ptr<planar_friction> result;
  if (is("disc_coulomb")) {
    result = read_coulomb(disc_friction{});
  } else if (is("limit_surface_ellipsoid")) {
    result = read_coulomb(ellipsoid_friction{});
  } else if (is("planar_lugre")) {
    result = read_bristles<planar_lugre>(table, c, mount, R);
  } else if (is("planar_elastoplastic")) {
    result = read_bristles<planar_elastoplastic>(table, c, mount, R);
  } else if (is("patch_lugre")) {
    result = read_cells.template operator()<patch_lugre, patch_lugre_friction>();
  } else if (is("patch_dai")) {
    result = read_cells.template operator()<patch_dai, patch_dai_friction>();
  } else if (is("patch_coulomb")) {
    patch_coulomb_parameters with;
    read_parameters(table, with);
    const patch_coulomb law{c.needed(table, of.model), with.F_c, 1e-9};
    R = law.patch.reach();
    const double F_s = is_moved ? law.F_c : stiction(law.F_c);
    // A patch that is moved keeps its axes, one under a body turns with it.
    result = make_friction(support_friction{[law](const twist<double>& t) { return law(t); },
                                            F_s / law.F_c, mount, !gripped && !is_moved});
  } else {
    any_model law = b.root.source()->model("friction", "planar");
    for (const auto& each : law.describe().parameters)
      if (each.name == "R") R = *each.value.front();
    return mounted(std::move(law), mount, is_moved);
  }
  table.finish();
  return result;
}

}  // namespace

contact_patch read_patch(key_builder& table) {
  const std::vector<std::string> words{"disc", "ring",    "ellipse", "rectangle",
                                       "line", "polygon", "grid"};  // as in patch_shape
  const std::string shape = table.word("shape", words, "shape of the contact");
  const auto is = [&](std::string_view word) { return table.lists() || shape == word; };
  const auto length = [&](const char* key, double& value, const char* meaning) {
    table.required(key, value, metre, positive, meaning, by_shape);
  };
  if (is("grid")) {
    const planar_table grid = read_table(table, "file", "grid: a CSV file with x, y, pressure");
    if (shape == "grid") return table.made("shape", [&] { return contact_patch::grid(grid); });
  }
  const pressure_field pressure = read_pressure(table);
  if (is("polygon")) {
    const auto outline = read_polygon(table);
    std::vector<contact_patch::polygon> holes;
    std::size_t corners = outline.size();
    for (key_builder& each : table.tables("hole", "holes of a polygon, each with x and y", "")) {
      holes.push_back(read_polygon(each));
      each.finish();
      corners += holes.back().size();
    }
    if (corners > most_corners)
      table.refuse("shape", fmt::format("the polygons have {} corners, but at most {} are possible",
                                        corners, most_corners));
    if (shape == "polygon")
      return table.made("shape",
                        [&] { return contact_patch::with_holes(outline, holes, pressure); });
  }
  patch_shape of;
  of.shape = static_cast<int>(std::find(words.begin(), words.end(), shape) - words.begin());
  if (is("ring")) length("inner_radius", of.inner_radius, "inner radius of a ring");
  if (is("ring") || shape == "disc")
    length("radius", of.radius, "radius of a disc, or outer radius of a ring");
  if (is("ellipse")) length("a", of.a, "semi-axis of an ellipse");
  if (is("ellipse")) length("b", of.b, "semi-axis of an ellipse");
  if (is("rectangle")) length("width", of.width, "width of a rectangle");
  if (is("rectangle")) length("height", of.height, "height of a rectangle");
  if (is("line")) length("length", of.length, "length of a line");
  if (is("line")) table.optional("angle", of.angle, radian, any_value, "angle of a line");
  return table.made("shape", [&] { return of.build(pressure); });
}

std::shared_ptr<system> build_planar(system_builder& b, const char* kind, planar_mount mount,
                                     bool is_moved) {
  planar_setup s;
  s.kind = kind;
  s.is_moved = is_moved;
  contact c;
  std::optional<key_builder> patch;
  if (b.root.has("patch")) {
    patch = b.root.table(
        "patch",
        "shape of the contact, for patch laws and coupling = \"patch\"; other laws refuse it",
        is_optional);
    patch->optional("cells", c.cells, {1, patch_shape::most_cells},
                    "number of cells along each side");
    c.patch = read_patch(*patch);
  }
  s.mount = mount;
  s.friction = read_friction(b, c, mount, is_moved, s.R);
  if (patch) patch->finish();
  // Two statements of the contact, of which one counts, would be believed to agree.
  if (c.patch && !c.is_used)
    b.root.refuse(
        "patch",
        "this friction takes its contact from friction.R and would ignore the patch: leave [patch] "
        "out, or take patch_coulomb, patch_dai, patch_lugre or coupling = \"patch\"");
  if (is_moved) {
    b.root.optional("velocity_x", s.motion[0], metre / second, "velocity of the contact along x");
    b.root.optional("velocity_y", s.motion[1], metre / second, "velocity of the contact along y");
    b.root.optional("spin", s.motion[2], radian / second, "angular velocity of the contact");
  } else {
    b.required("mass", s.m, kilogram, positive, "mass of the body");
    // A body with the outline and thickness of its contact, unless its inertia is given.
    if (c.patch && mount == planar_mount::carried) {
      s.I = s.m * c.patch->plate_gyration() * c.patch->plate_gyration();
      b.optional("inertia", s.I, moment_of_inertia, positive,
                 "moment of inertia about the centre of mass",
                 "that of a uniform plate with the outline of [patch]; required without one");
    } else {
      b.required("inertia", s.I, moment_of_inertia, positive,
                 "moment of inertia about the centre of mass");
    }
    b.root.optional("force_x", s.push[0], newton, "force on the centre of mass along x");
    b.root.optional("force_y", s.push[1], newton, "force on the centre of mass along y");
    b.root.optional("torque", s.push[2], units::torque, "torque on the body");
  }
  b.load(s.load);
  if (mount == planar_mount::gripped) b.gravity(s.gravity);
  // Two states for each cell, and six of the body.
  static_assert(2 * patch_shape::most_cells * patch_shape::most_cells + 6 <=
                most_states_of_fixed_steps);
  return make_planar_system(std::move(s));
}

}  // namespace asperity
