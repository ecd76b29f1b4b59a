// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/card.hpp>
#include <asperity/identify/design_contact.hpp>
#include <asperity/identify/design_regularisation.hpp>
#include <asperity/json_text.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/pending_folder.hpp>
#include <asperity/text/ranges.hpp>
#include <asperity/text/toml.hpp>
#include <cmath>
#include <memory>
#include <numbers>

#include "cli/card_json.hpp"
#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

constexpr unit metres_per_second = units::metre / units::second;
constexpr unit acceleration = units::metre / (units::second * units::second);

struct design_arguments {
  std::string what;
  std::vector<std::string> models;
  std::string restitution, time, penetration, force, resting, mass, speed, gravity, step, exponent;
  std::string load, friction_limit, creep, frequency, out;
  bool under_weight = false, as_json = false, as_toml = false, quiet = false;
};

double read_number(const char* option, const std::string& text, unit in, range allowed) {
  return read_option(option, [&] {
    const auto values = parse_values(text, in, allowed);
    if (values.size() != 1) throw error(fmt::format("'{}': give exactly one value", text));
    return values.front();
  });
}

std::string with_unit(double value, unit in) {
  if (!std::isfinite(value)) return "-";
  return is_plain(in) ? fmt::format("{:.6g}", value)
                      : fmt::format("{:.6g} {}", value, to_string(in));
}

// ---- contact ------------------------------------------------------------------------------------

void refuse(const design_arguments& given, bool of_contact) {
  const auto no = [&](const char* option, const std::string& text) {
    if (!text.empty())
      throw error(fmt::format("{}: this option belongs to `asperity design {}`", option,
                              of_contact ? "regularisation" : "contact"));
  };
  if (of_contact) {
    no("--load", given.load);
    no("--friction-limit", given.friction_limit);
    no("--creep", given.creep);
    no("--frequency", given.frequency);
    return;
  }
  no("--time", given.time);
  no("--peak-force", given.force);
  no("--resting-penetration", given.resting);
  no("--speed", given.speed);
  no("--exponent", given.exponent);
  no("--under-weight", given.under_weight ? "yes" : "");
  no("--out", given.out);
  no("MODEL", given.models.empty() ? "" : given.models.front());
}

contact_wishes read_contact(const design_arguments& given) {
  refuse(given, true);
  using kind = contact_wish::kind;
  contact_wishes wanted;
  const struct {
    const char* option;
    kind is;
    const std::string& text;
  } all[] = {{"--restitution", kind::restitution, given.restitution},
             {"--time", kind::time, given.time},
             {"--penetration", kind::penetration, given.penetration},
             {"--peak-force", kind::force, given.force},
             {"--resting-penetration", kind::resting_penetration, given.resting}};
  for (const auto& each : all) {
    if (each.text.empty()) continue;
    const auto read = read_option(each.option, [&] { return parse_wishes(each.is, each.text); });
    wanted.wishes.insert(wanted.wishes.end(), read.begin(), read.end());
  }
  if (wanted.wishes.empty())
    throw error(
        "there is no target to design for: give --restitution, --time, --penetration, --peak-force "
        "or --resting-penetration");
  if (given.mass.empty()) throw error("--mass is missing: it must be a number in kg, above 0");
  wanted.mass = read_number("--mass", given.mass, units::kilogram, positive);
  if (!given.gravity.empty())
    wanted.gravity = read_number("--gravity", given.gravity, acceleration, non_negative);
  wanted.under_weight = given.under_weight;
  if (!given.step.empty()) wanted.step = read_number("--step", given.step, units::second, positive);
  if (!given.exponent.empty())
    wanted.lambda = read_number("--exponent", given.exponent, units::one, {1, 10});
  // The speed of wishes that name none.
  double speed = 0;
  if (!given.speed.empty())
    speed = read_number("--speed", given.speed, metres_per_second, positive);
  for (const auto& each : wanted.wishes)
    if (speed == 0) speed = each.speed;
  if (speed == 0) speed = 1;
  for (auto& each : wanted.wishes)
    if (each.speed == 0) each.speed = speed;
  return wanted;
}

std::string as_text(const contact_design& design, const contact_wishes& wanted) {
  if (!design.is_met) return fmt::format("{}: refused\n  {}.\n", design.key, design.why);
  std::string text = fmt::format("{}: the simulation meets all wishes within {:.2g} %\n",
                                 design.key, 100 * design.worst_error());
  std::vector<std::vector<std::string>> parameters;
  for (const auto& each : design.model->describe().parameters)
    parameters.push_back(
        {each.name, "=", with_unit(design.model->get(each.name).front(), each.in), each.meaning});
  text += lined_up(parameters, "  ");
  std::vector<std::vector<std::string>> rows{
      {"", "at", "wished", "by the map", "simulated", "error"}};
  for (const auto& row : design.rows) {
    const unit in = unit_of(row.wish.is);
    const std::string name = to_string(row.wish);
    const bool rests = row.wish.is == contact_wish::kind::resting_penetration;
    rows.push_back({rests ? "resting penetration" : name.substr(0, name.find(' ')),
                    rests ? "rest" : fmt::format("{:g} m/s", row.wish.speed),
                    row.is_wished ? with_unit(row.wish.value, in) : "-",
                    with_unit(row.designed, in), with_unit(row.simulated, in),
                    row.is_wished ? fmt::format("{:+.2g} %", 100 * row.error()) : "-"});
  }
  text += lined_up(rows, "  ");
  for (const auto& each : design.chosen) text += fmt::format("  chosen: {}.\n", each);
  text += fmt::format(
      "  steps: Euler is stable up to {}, RK4 up to {}; with margin (|mode| h <= 1): {}.\n",
      std::isfinite(design.longest_euler) ? with_unit(design.longest_euler, units::second)
                                          : std::string("any step, since nothing is damped"),
      std::isfinite(design.longest_rk4) ? with_unit(design.longest_rk4, units::second)
                                        : std::string("any step, since nothing is damped"),
      with_unit(design.longest_step, units::second));
  if (wanted.step > 0)
    text += fmt::format("  with a step of {:g} s, RK4 gives a restitution of {}.\n", wanted.step,
                        with_unit(design.restitution_at_step, units::one));
  return text;
}

nlohmann::ordered_json as_json(const contact_design& design) {
  auto entry = nlohmann::ordered_json::object();
  entry["model"] = design.key;
  entry["met"] = design.is_met;
  if (!design.is_met) {
    entry["why"] = design.why;
    return entry;
  }
  entry["parameters"] = nlohmann::ordered_json::object();
  for (const auto& each : design.model->describe().parameters)
    entry["parameters"][each.name] = design.model->get(each.name).front();
  entry["worst_error"] = number_or_null(design.worst_error());
  entry["wishes"] = nlohmann::ordered_json::array();
  for (const auto& row : design.rows) {
    auto one = nlohmann::ordered_json::object();
    one["what"] = to_string(row.wish);
    if (row.wish.is != contact_wish::kind::resting_penetration) one["speed"] = row.wish.speed;
    one["wished"] = row.is_wished ? number_or_null(row.wish.value) : nullptr;
    one["by_the_map"] = number_or_null(row.designed);
    one["simulated"] = number_or_null(row.simulated);
    entry["wishes"].push_back(std::move(one));
  }
  entry["chosen"] = design.chosen;
  entry["warnings"] = design.warnings;
  entry["longest_step_euler"] = number_or_null(design.longest_euler);
  entry["longest_step_rk4"] = number_or_null(design.longest_rk4);
  entry["longest_step_with_margin"] = number_or_null(design.longest_step);
  entry["restitution_at_step"] = number_or_null(design.restitution_at_step);
  return entry;
}

int find_contacts(const design_arguments& given) {
  contact_wishes wanted = read_contact(given);
  wanted.interrupt = &interrupted();
  if (!given.out.empty()) pending_folder::check(given.out);
  const auto laws = given.models.empty() ? designed_laws() : given.models;
  std::vector<contact_design> designs;
  {
    progress_bar bar(!given.quiet);
    for (const auto& law : laws) {
      designs.push_back(design_contact(law, wanted));
      bar.show(static_cast<double>(designs.size()) / static_cast<double>(laws.size()));
    }
  }
  bool is_met = false;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::string text, toml;
  for (const auto& design : designs) {
    is_met = is_met || design.is_met;
    for (const auto& doubt : design.warnings) warn(fmt::format("{}: {}", design.key, doubt));
    all.push_back(as_json(design));
    if (!text.empty()) text += "\n";
    text += as_text(design, wanted);
    if (design.is_met && toml.empty()) toml = as_toml(design);
  }
  if (!given.out.empty()) {
    pending_folder pending(given.out);
    pending.write("design.json", json_text(all));
    for (const auto& design : designs)
      if (design.is_met) pending.write(design.key + ".toml", as_toml(design));
    if (is_met) {
      const auto problem = draw(figure_of(designs, wanted), plot_format::svg,
                                (pending.path() / "plot.svg").string(), &interrupted());
      if (!problem.empty()) warn(problem);
    }
    pending.commit();
  }
  if (given.as_json) {
    print(json_text(all));
  } else if (given.as_toml) {
    print(toml);
  } else if (!given.quiet) {
    print(text);
  }
  if (is_met) return success;
  if (given.as_toml || given.quiet)
    for (const auto& design : designs) complain(design.why);
  complain("no contact law can meet these wishes");
  return bad_input;
}

// ---- regularisation -----------------------------------------------------------------------------

regularisation_wishes read_regularisation(const design_arguments& given) {
  refuse(given, false);
  regularisation_wishes wanted;
  if (given.mass.empty()) throw error("--mass is missing: it must be a number in kg, above 0");
  wanted.mass = read_number("--mass", given.mass, units::kilogram, positive);
  const double g = given.gravity.empty()
                       ? usual_gravity
                       : read_number("--gravity", given.gravity, acceleration, positive);
  wanted.load = given.load.empty() ? wanted.mass * g
                                   : read_number("--load", given.load, units::newton, positive);
  if (!given.friction_limit.empty())
    wanted.friction_limit =
        read_number("--friction-limit", given.friction_limit, units::newton, positive);
  if (!given.step.empty()) wanted.step = read_number("--step", given.step, units::second, positive);
  if (!given.penetration.empty())
    wanted.penetration = read_number("--penetration", given.penetration, units::metre, positive);
  if (!given.creep.empty())
    wanted.creep = read_number("--creep", given.creep, units::metre, positive);
  if (!given.frequency.empty())
    wanted.frequency =
        2 * std::numbers::pi *
        read_number("--frequency", given.frequency, units::one / units::second, positive);
  if (!given.restitution.empty())
    wanted.restitution = read_number("--restitution", given.restitution, units::one, {0, 1});
  if (wanted.friction_limit == 0 && (!given.creep.empty() || !given.frequency.empty()))
    throw error("--creep and --frequency apply to friction: also give --friction-limit");
  return wanted;
}

using part = regularisation_design::part;

std::string as_text(const char* name, const part& p, bool is_contact) {
  if (!p.is_met) return fmt::format("{}: refused\n  {}.\n", name, p.why);
  std::string text = fmt::format("{}:\n", name);
  std::vector<std::vector<std::string>> rows{
      {"K", "=", with_unit(p.K, units::newton / units::metre)},
      {"beta", "=", with_unit(p.beta, units::second)}};
  if (is_contact) rows.push_back({"alpha", "=", with_unit(p.alpha, units::second)});
  text += lined_up(rows, "  ");
  text += fmt::format("  {}: wished {}, simulated {} (and {} more after twice the time)\n",
                      is_contact ? "penetration under the load" : "creep at the friction limit",
                      with_unit(p.wished, units::metre), with_unit(p.simulated, units::metre),
                      with_unit(p.drift, units::metre));
  if (is_contact) text += fmt::format("  restitution without weight: {:.4g}\n", p.restitution);
  text += fmt::format("  longest stable steps: Euler {}, RK4 {}\n",
                      with_unit(p.longest.euler, units::second),
                      with_unit(p.longest.rk4, units::second));
  for (const auto& m : p.margins)
    text += fmt::format("  {}: {:.3g}, at most {:g}\n", m.of, m.value, m.most);
  for (const auto& note : p.notes) text += fmt::format("  {}.\n", note);
  return text;
}

nlohmann::ordered_json as_json(const part& p, bool is_contact) {
  auto entry = nlohmann::ordered_json::object();
  entry["met"] = p.is_met;
  if (!p.is_met) {
    entry["why"] = p.why;
    return entry;
  }
  entry["K"] = p.K;
  entry["beta"] = p.beta;
  if (is_contact) entry["alpha"] = p.alpha;
  entry["omega"] = p.omega;
  entry[is_contact ? "penetration" : "creep"] = p.simulated;
  entry["drift"] = p.drift;
  if (is_contact) entry["restitution"] = p.restitution;
  entry["longest_step_euler"] = number_or_null(p.longest.euler);
  entry["longest_step_rk4"] = number_or_null(p.longest.rk4);
  entry["margins"] = nlohmann::ordered_json::array();
  for (const auto& m : p.margins)
    entry["margins"].push_back({{"of", m.of}, {"value", m.value}, {"most", m.most}});
  entry["notes"] = p.notes;
  return entry;
}

std::string as_toml(const regularisation_design& design, const regularisation_wishes& wanted) {
  toml_value document;
  toml_value& contact = document.at("contact");
  contact.at("model") = toml_value::of(std::string("dai_contact"));
  contact.at("K") = toml_value::of(design.contact.K);
  contact.at("beta") = toml_value::of(design.contact.beta);
  contact.at("alpha") = toml_value::of(design.contact.alpha);
  if (design.has_friction) {
    toml_value& friction = document.at("friction");
    friction.at("model") = toml_value::of(std::string("dai"));
    friction.at("K") = toml_value::of(design.friction.K);
    friction.at("F") = toml_value::of(wanted.friction_limit);
    friction.at("beta") = toml_value::of(design.friction.beta);
  }
  return to_toml(document);
}

int find_regularisation(const design_arguments& given) {
  regularisation_wishes wanted = read_regularisation(given);
  wanted.interrupt = &interrupted();
  const regularisation_design design = design_regularisation(wanted);
  if (given.as_json) {
    auto all = nlohmann::ordered_json::object();
    all["contact"] = as_json(design.contact, true);
    if (design.has_friction) all["friction"] = as_json(design.friction, false);
    print(json_text(all));
  } else if (given.as_toml) {
    if (design.is_met()) print(as_toml(design, wanted));
  } else if (!given.quiet) {
    std::string text = as_text("contact (dai_contact)", design.contact, true);
    if (design.has_friction)
      text += fmt::format("\n{}", as_text("friction (dai)", design.friction, false));
    print(text);
  }
  if (design.is_met()) return success;
  if (!design.contact.is_met) complain(design.contact.why);
  if (design.has_friction && !design.friction.is_met) complain(design.friction.why);
  return bad_input;
}

}  // namespace

void add_design(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "design", "Find parameters of a contact, or of a regularisation, that behave as wanted");
  const auto given = std::make_shared<design_arguments>();
  command
      ->add_option("WHAT", given->what,
                   "contact: a contact law from the impacts that it should give; regularisation: "
                   "K, beta and alpha that stand in for rigid contact and friction")
      ->required()
      ->check(CLI::IsMember({"contact", "regularisation"}));
  command->add_option("MODEL", given->models,
                      "Contact laws to design (default: all whose impact map is known)");
  add_option(*command, "--mass QUANTITY", given->mass, "Mass of the body, in kg");
  add_option(*command, "--restitution WISHES", given->restitution,
             "Speed after over speed before the impact, above 0 to 1, such as 0.7@2m/s or "
             "\"0.7@2m/s, 0.8@0.5m/s\"");
  add_option(*command, "--time WISHES", given->time,
             "Duration of the contact force, such as 2ms or 2ms@1m/s");
  add_option(
      *command, "--penetration WISHES", given->penetration,
      "Greatest indentation in an impact; for a regularisation, the indentation under the load");
  add_option(*command, "--peak-force WISHES", given->force, "Greatest contact force in an impact");
  add_option(*command, "--resting-penetration QUANTITY", given->resting,
             "Indentation at rest under the weight");
  add_option(*command, "--step QUANTITY", given->step,
             "Step of the explicit method that will simulate the contact (default: steps are not "
             "considered)");
  add_option(*command, "--speed QUANTITY", given->speed,
             "Speed of impact for wishes that name none (default: the first speed that is named, "
             "or 1 m/s)");
  add_option(*command, "--gravity QUANTITY", given->gravity,
             "Acceleration of gravity (default 9.81 m/s^2)");
  command->add_flag("--under-weight", given->under_weight,
                    "Let the weight act during the impact, as in a drop test; the restitution is "
                    "then taken where the body passes the surface");
  add_option(*command, "--exponent NUMBER", given->exponent,
             "Exponent lambda of the laws that have one (default 1.5, for spheres)");
  add_option(*command, "--load QUANTITY", given->load,
             "Force that presses the body on the surface (default: its weight)");
  add_option(*command, "--friction-limit QUANTITY", given->friction_limit,
             "Coulomb friction limit (default: friction is not designed)");
  add_option(*command, "--creep QUANTITY", given->creep,
             "How far the stuck body may move under a load at the limit (default 10 um)");
  add_option(*command, "--frequency QUANTITY", given->frequency,
             "Highest frequency of the loads on the stuck body, in Hz");
  add_option(*command, "--out FOLDER", given->out,
             "Folder for design.json, one TOML file per law that meets the wishes, and plot.svg of "
             "restitution against speed");
  command->add_flag(
      "--toml", given->as_toml,
      "Print only a table [contact] for a scenario, with the first law that meets the wishes");
  command->add_flag("--json", given->as_json, "Print JSON for programs, in SI units");
  command->add_flag("--quiet", given->quiet, "Print neither the answer nor progress");
  command->footer(
      R"help(Give as many wishes as you like. For each law that can meet them all within 0.2 %, the
output has its parameters, the values found by simulation, and how the parameters that no wish
determines were chosen. For a law that cannot, it says which two wishes exclude each other, and the
nearest possible value. If no law can meet the wishes, the exit code is 2.

Examples:
  asperity design contact --mass "200 g" --restitution 0.7@2m/s --time 2ms
  asperity design contact hunt_crossley --mass 1 --restitution 0.6@1m/s --penetration 1mm --toml
  asperity design contact --mass 1 --restitution "0.7@2m/s, 0.8@0.5m/s" --peak-force 3kN@2m/s --out ball
  asperity design contact --mass 1 --restitution 0.5@1m/s --resting-penetration 10um --under-weight
  asperity design regularisation --mass 2 --friction-limit "6 N" --creep 5um --penetration 5um
  asperity design regularisation --mass 2 --step 1ms --penetration 2mm --restitution 0.3)help");
  command->callback([=, &run] {
    run = [=] {
      return given->what == "contact" ? find_contacts(*given) : find_regularisation(*given);
    };
  });
}

}  // namespace asperity::cli
