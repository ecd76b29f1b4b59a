// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/patch/patch_coulomb.hpp>
#include <asperity/patch/table_coupling.hpp>
#include <asperity/run/read_planar.hpp>
#include <asperity/text/csv.hpp>
#include <filesystem>
#include <optional>

namespace asperity {

namespace {

using namespace units;

template <class Law>
void read_parameters(reader& table, Law& law) {
  card<double> c;
  law.describe(c);
  for (auto& each : c.parameters)
    *each.value.front() = table.number(each.name, each.in, each.allowed, *each.value.front());
}

planar_table read_table(reader& table, const std::string& key, const input_files& files) {
  const std::string file = table.text(key);
  std::string copy = table.full_name(key);
  std::replace(copy.begin(), copy.end(), '.', '_');
  copy += ".csv";
  const auto path = std::filesystem::path(files.folder) / file;
  try {
    const csv_table data = csv_table::read(path.string());
    auto result = planar_table::from_points(
        data.column("x"), data.column("y"), data.column("pressure"),
        [&](const char* column, std::size_t row, const std::string& message) {
          data.fail(column, row, message);
        });
    if (files.attachments != nullptr) files.attachments->push_back({copy, data.text()});
    table.keep(key, toml_value::of(copy));
    return result;
  } catch (const error& problem) {
    table.fail(key, problem.what());
  }
}

pressure_field read_pressure(reader& table, const input_files& files) {
  pressure_field field;
  const std::string word =
      table.word("pressure", {"uniform", "hertz", "linear", "table"}, "uniform");
  if (word == "hertz") field.is = pressure_field::kind::hertz;
  if (word == "linear") {
    field.is = pressure_field::kind::linear;
    field.gradient_x = table.number("gradient_x", one / metre, any_value, 0);
    field.gradient_y = table.number("gradient_y", one / metre, any_value, 0);
  }
  if (word == "table") {
    field.is = pressure_field::kind::table;
    field.table = read_table(table, "pressure_file", files);
  }
  return field;
}

contact_patch::polygon read_polygon(reader& table) {
  const auto x = table.numbers("x", metre, any_value), y = table.numbers("y", metre, any_value);
  if (x.size() != y.size())
    table.fail("y", fmt::format("there are {} values, but {} of x", y.size(), x.size()));
  contact_patch::polygon result;
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back({x[i], y[i]});
  return result;
}

constexpr std::size_t most_corners = 5000;  // every edge is compared with every other

// What friction laws need of the contact.
struct contact {
  reader* table = nullptr;
  std::optional<contact_patch> patch;
  int cells = 20;
  mutable bool is_used = false;
};

contact read_contact(const system_context& context, std::optional<reader>& table) {
  contact result;
  if (context.root.find("patch") == nullptr) return result;
  table.emplace(context.root.table("patch"));
  result.cells = static_cast<int>(table->integer("cells", {1, patch_shape::most_cells}, 20));
  result.patch = read_patch(*table, context.files);
  return result;
}

const contact_patch& needed(const contact& c, reader& friction, const std::string& why) {
  if (!c.patch)
    friction.fail("model", fmt::format("{} needs a table [patch] with shape = ...", why));
  c.is_used = true;
  return *c.patch;
}

template <template <class, class, class> class Law>
std::unique_ptr<planar_friction> read_bristles(reader& table, const contact& c, planar_mount mount,
                                               double& R) {
  const std::string coupling = table.word("coupling", {"ellipsoid", "disc", "patch"}, "ellipsoid");
  if (coupling == "disc") {
    Law<double, disc_coupling<double>, stribeck_exponential<double>> law;
    read_parameters(table, law);
    R = law.coupling.R;
    return make_bristle_friction(law, mount, false);
  }
  if (coupling == "patch") {
    Law<double, table_coupling, stribeck_exponential<double>> law;
    const contact_patch& patch = needed(c, table, "coupling = \"patch\"");
    read_parameters(table, law);
    law.coupling = table_coupling(patch);
    R = c.patch->reach();
    return make_bristle_friction(law, mount, mount == planar_mount::carried);
  }
  Law<double, ellipsoid_coupling<double>, stribeck_exponential<double>> law;
  read_parameters(table, law);
  R = law.coupling.R;
  return make_bristle_friction(law, mount, false);
}

// R is the radius by which eps is formed.
std::unique_ptr<planar_friction> read_friction(const system_context& context, const contact& c,
                                               planar_mount mount, bool is_moved, double& R) {
  reader table = context.root.table("friction");
  std::vector<std::string> names;
  for (const catalogue_entry* entry : catalogue())
    if (entry->at == &ports::twist) names.push_back(entry->key);
  const std::string model = table.word("model", names);
  const auto is = [&](std::string_view key) { return model == key; };
  std::unique_ptr<planar_friction> result;
  const auto stiction = [&](double F_c) {
    const double F_s = table.number("F_s", newton, positive, F_c);
    if (F_s < F_c) table.fail("F_s", fmt::format("it must be at least F_c = {} N", F_c));
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
    R = needed(c, table, model).reach();
    return make_friction(Friction{Law(*c.patch, c.cells, with), mount});
  };
  try {
    if (is("disc_coulomb")) result = read_coulomb(disc_friction{});
    if (is("limit_surface_ellipsoid")) result = read_coulomb(ellipsoid_friction{});
    if (is("planar_lugre")) result = read_bristles<planar_lugre>(table, c, mount, R);
    if (is("planar_elastoplastic"))
      result = read_bristles<planar_elastoplastic>(table, c, mount, R);
    if (is("patch_lugre"))
      result = read_cells.template operator()<patch_lugre, patch_lugre_friction>();
    if (is("patch_dai")) result = read_cells.template operator()<patch_dai, patch_dai_friction>();
    if (is("patch_coulomb")) {
      patch_coulomb_parameters with;
      read_parameters(table, with);
      const patch_coulomb law{needed(c, table, model), with.F_c, 1e-9};
      R = law.patch.reach();
      const double F_s = is_moved ? law.F_c : stiction(law.F_c);
      // A patch that is moved keeps its axes, one under a body turns with it.
      result = make_friction(support_friction{[law](const twist<double>& t) { return law(t); },
                                              F_s / law.F_c, mount, !gripped && !is_moved});
    }
    if (result == nullptr)
      table.fail("model", fmt::format("no planar system knows how to mount '{}'", model));
  } catch (const error& problem) {
    const std::string text = problem.what();
    if (text.rfind(table.place().substr(0, table.place().find(':')), 0) == 0) throw;
    table.fail("", text);
  }
  table.finish();
  return result;
}

signal read_or(const system_context& context, planar_setup& s, const char* key, unit in,
               double otherwise) {
  if (context.root.find(key) == nullptr) {
    context.root.keep(key, toml_value::of(otherwise, in));
    return signal::constant(otherwise);
  }
  const input found = read_input(context.root, key, in, context.files);
  s.shortest_period = std::min(s.shortest_period, found.shortest_period);
  return found.shape;
}

// What [initial] says of the place: anchors of a patch start there.
void read_place(const system_context& context, planar_setup& s) {
  const toml_value* initial = context.root.find("initial");
  if (initial == nullptr || initial->is != toml_value::kind::table) return;
  toml_value ignored;
  reader table(*initial, "initial", ignored);
  constexpr unit units_of[3] = {metre, metre, radian};
  constexpr const char* names[3] = {"x", "y", "theta"};
  for (int i = 0; i < 3; ++i)
    if (table.has(names[i])) s.q[i] = table.number(names[i], units_of[i], any_value);
}

planar_setup read_common(const system_context& context, planar_mount mount, bool is_moved) {
  planar_setup s;
  s.is_moved = is_moved;
  std::optional<reader> patch_table;
  const contact c = read_contact(context, patch_table);
  s.friction = read_friction(context, c, mount, is_moved, s.R);
  if (patch_table) patch_table->finish();
  // Two statements of the contact, of which one counts, would be believed to agree.
  if (c.patch && !c.is_used)
    context.root.fail("patch",
                      "this friction knows its contact by friction.R and would ignore the patch: "
                      "leave [patch] out, or take patch_coulomb, patch_dai, patch_lugre or "
                      "coupling = \"patch\"");
  read_place(context, s);
  if (is_moved) {
    s.motion[0] = read_or(context, s, "velocity_x", metre / second, 0);
    s.motion[1] = read_or(context, s, "velocity_y", metre / second, 0);
    s.motion[2] = read_or(context, s, "spin", radian / second, 0);
  } else {
    s.m = context.system.number("mass", kilogram, positive);
    // A body with the outline and thickness of its contact, unless its inertia is given.
    if (c.patch && mount == planar_mount::carried)
      s.I = context.system.number("inertia", moment_of_inertia, positive,
                                  s.m * c.patch->plate_gyration() * c.patch->plate_gyration());
    else
      s.I = context.system.number("inertia", moment_of_inertia, positive);
    s.push[0] = read_or(context, s, "force_x", newton, 0);
    s.push[1] = read_or(context, s, "force_y", newton, 0);
    s.push[2] = read_or(context, s, "torque", units::torque, 0);
  }
  s.load = read_or(context, s, "load", one, 1);
  return s;
}

std::shared_ptr<system> checked(const system_context& context, planar_setup s) {
  auto result = make_planar_system(std::move(s));
  const std::size_t states = result->initial().size();
  if (states > static_cast<std::size_t>(most_states_of_fixed_steps))
    context.system.fail("", fmt::format("with those of its cells it has {} states, at most {} fit: "
                                        "choose fewer patch.cells",
                                        states, most_states_of_fixed_steps));
  return result;
}

}  // namespace

contact_patch read_patch(reader& table, const input_files& files) {
  const std::string shape =
      table.word("shape", {"disc", "ring", "ellipse", "rectangle", "polygon", "line", "grid"});
  const auto length = [&](const char* key) { return table.number(key, metre, positive); };
  const auto made = [&](const auto& make) {
    try {
      return make();
    } catch (const error& problem) {
      table.fail("shape", problem.what());
    }
  };
  if (shape == "grid") {
    const planar_table grid = read_table(table, "file", files);
    return made([&] { return contact_patch::grid(grid); });
  }
  const pressure_field pressure = read_pressure(table, files);
  if (shape == "disc") {
    const double R = length("radius");
    return made([&] { return contact_patch::disc(R, pressure); });
  }
  if (shape == "ring") {
    const double inner = length("inner_radius"), R = length("radius");
    return made([&] { return contact_patch::ring(inner, R, pressure); });
  }
  if (shape == "ellipse") {
    const double a = length("a"), b = length("b");
    return made([&] { return contact_patch::ellipse(a, b, pressure); });
  }
  if (shape == "rectangle") {
    const double width = length("width"), height = length("height");
    return made([&] { return contact_patch::rectangle(width, height, pressure); });
  }
  if (shape == "line") {
    const double all = length("length"), angle = table.number("angle", radian, any_value, 0);
    return made([&] { return contact_patch::line(all, angle, pressure); });
  }
  const auto outline = read_polygon(table);
  std::vector<contact_patch::polygon> holes;
  for (reader& each : table.tables("hole")) {
    holes.push_back(read_polygon(each));
    each.finish();
  }
  std::size_t corners = outline.size();
  for (const auto& each : holes) corners += each.size();
  if (corners > most_corners)
    table.fail("shape", fmt::format("the polygons have {} corners, at most {} are possible",
                                    corners, most_corners));
  return made([&] { return contact_patch::with_holes(outline, holes, pressure); });
}

std::shared_ptr<system> read_planar_body(const system_context& context) {
  return checked(context, read_common(context, planar_mount::carried, false));
}

std::shared_ptr<system> read_gripped_object(const system_context& context) {
  planar_setup s = read_common(context, planar_mount::gripped, false);
  s.is_gripped = true;
  s.gravity = context.system.number("gravity", metre / (second * second), non_negative, 9.81);
  return checked(context, std::move(s));
}

std::shared_ptr<system> read_planar_motion(const system_context& context) {
  return checked(context, read_common(context, planar_mount::carried, true));
}

}  // namespace asperity
