// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/generated/touch_models.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/sphere_on_plane.hpp>
#include <cmath>
#include <optional>

namespace asperity {

namespace {

// A system that may tell what is inside.
struct has_named_sphere {
  std::optional<named_sphere> named;
};

// A contact as the catalogue has it, with the same parameters.
template <class Contact>
any_model named_contact(Contact contact, const std::string& key) {
  any_model made(find_entry(key));
  const auto from = card_of<double>(contact), to = made.describe();
  for (std::size_t i = 0; i < from.parameters.size(); ++i)
    for (std::size_t k = 0; k < from.parameters[i].value.size(); ++k)
      *to.parameters[i].value[k] = *from.parameters[i].value[k];
  return made;
}

template <class Contact, bool Isotropic>
class sphere_system final : public system_of<sphere_on_plane<double, Contact, Isotropic>>,
                            public has_named_sphere {
 public:
  using sphere = sphere_on_plane<double, Contact, Isotropic>;
  static constexpr bool closed_form = requires(const sphere& s, double* y) {
    s.solve_stage(0.0, 0.0, y, y);
  };
  // The contact keeps a choice between two branches, 0 and 1, as its last state.
  static constexpr bool remembers =
      requires(const Contact& c, vec<double, Contact::states> state, touch<double> in) {
    c.remember(state, in);
  };

  sphere_system(sphere body, const std::string& model)
      : system_of<sphere>("sphere_on_plane", std::move(body)) {
    using namespace units;
    for (const char* axis : {"x", "y", "z"}) this->add_state(axis, metre);
    this->initial_[2] = this->m_.R;
    for (const char* axis : {"x", "y", "z"}) this->add_state(fmt::format("v_{}", axis), speed);
    for (const char* axis : {"x", "y", "z"})
      this->add_state(fmt::format("omega_{}", axis), radian / second);
    for (const char* part : {"w", "x", "y", "z"}) this->add_state(fmt::format("q_{}", part), one);
    this->initial_[9] = 1;
    if constexpr (std::is_same_v<Contact, named_touch>) {
      this->add_states(this->m_.contact.contact, "contact_");
      for (const char* name : {"a_x", "a_y"}) this->add_state(name, metre);
    } else {
      vec<double, Contact::states> scale;
      for (int i = 0; i < Contact::states; ++i) scale[i] = unknown_scale;
      if constexpr (requires(const Contact& c) { c.state_scale(); })
        scale = this->m_.contact.state_scale();
      const auto entries = card_of<double>(this->m_.contact).states;
      for (std::size_t i = 0; i < entries.size(); ++i)
        this->add_state(entries[i].name, entries[i].in, 0, scale[static_cast<int>(i)],
                        entries[i].allowed);
    }
    for (const auto& [name, in] :
         std::initializer_list<std::pair<const char*, unit>>{{"gap", metre},
                                                             {"f_n", newton},
                                                             {"f_x", newton},
                                                             {"f_y", newton},
                                                             {"slip_x", speed},
                                                             {"slip_y", speed},
                                                             {"q_size", one},
                                                             {"elevation", radian},
                                                             {"coefficient", one}})
      this->add_output(name, in);
    this->has_stage_ = closed_form;
    if constexpr (!remembers && !std::is_same_v<Contact, named_touch>)
      named = {named_contact(this->m_.contact, model),
               this->m_.m,
               this->m_.R,
               this->m_.g_x,
               this->m_.g_z,
               this->m_.I,
               Isotropic};
    this->set_energy(this->m_.energy_terms_of(model));
  }

  void solve_stage([[maybe_unused]] double t, [[maybe_unused]] double h,
                   [[maybe_unused]] const double* start, [[maybe_unused]] double* y,
                   workspace&) const override {
    if constexpr (closed_form) this->m_.solve_stage(t, h, start, y);
  }

  system::complaint check_initial(const double* y) const override {
    const bool turned = y[9] != 0 || y[10] != 0 || y[11] != 0 || y[12] != 0;
    if (!turned) return {"q_w", "the quaternion (q_w, q_x, q_y, q_z) must not be 0"};
    return {};
  }
  void tidy(double* y) const override { this->m_.tidy(y); }

  void observe(double, const double* y, double* out, workspace&) const override {
    const auto in = this->m_.touch_at(y);
    const auto f = forces(y);
    out[0] = in.gap;
    out[1] = f.f_n;
    out[2] = -f.f_t[0];
    out[3] = -f.f_t[1];
    out[4] = in.slip[0];
    out[5] = in.slip[1];
    out[6] = std::sqrt(y[9] * y[9] + y[10] * y[10] + y[11] * y[11] + y[12] * y[12]);
    out[7] = std::atan2(y[5], std::hypot(y[3], y[4]));
    out[8] = f.f_n > 0 ? norm(f.f_t) / f.f_n : 0;
  }

  std::vector<event> events(workspace&) const override {
    std::vector<event> events;
    if constexpr (std::is_same_v<Contact, named_touch>)
      add_side_event(events, this->m_.contact.contact, sphere::mechanical, [this](const double* y) {
        const auto in = this->m_.touch_at(y);
        return drive<double>{in.gap, in.gap_rate};
      });
    add_contact_events(events, "", [this](double, const double* y) { return forces(y).f_n; });
    // In flight nothing slips.
    const auto margin = [this](double, const double* y) {
      return forces(y).f_n > 0
                 ? touch_slip_margin(this->m_.contact, y + sphere::mechanical, this->m_.touch_at(y))
                 : -1.0;
    };
    add_slip_events(events, "", margin);
    if constexpr (remembers) {
      event change;
      change.value = [this](double, const double* y) {
        return this->m_.contact.branch_excess(gather(this->m_.contact, y + sphere::mechanical),
                                              this->m_.touch_at(y));
      };
      change.crossing = event::direction::rising;
      const auto choice = static_cast<std::size_t>(this->m_.size() - 1);
      change.change = [choice](double, double* y) { y[choice] = y[choice] < 0.5 ? 1 : 0; };
      change.prepare = [change](double t, double* y) {
        if (change.value(t, y) > 0) change.change(t, y);
      };
      events.push_back(std::move(change));
    }
    events.push_back({"apex",
                      [this](double, const double* y) { return forces(y).f_n > 0 ? -1.0 : y[5]; },
                      event::direction::falling});
    return events;
  }

  void energies(double t, const double* y, double* out, workspace&) const override {
    this->m_.energies(t, y, out);
  }

 private:
  touch_forces<double> forces(const double* y) const {
    double rate[sphere::capacity];
    return touch_respond(this->m_.contact, y + sphere::mechanical, this->m_.touch_at(y), rate);
  }
};

struct sphere_settings {
  double m = 1, R = 1, g = 0, slope = 0;
  vec<double, 3> I = {};
};

template <class Contact>
std::shared_ptr<system> make_sphere(const system_builder& b, Contact contact,
                                    const std::string& model, const sphere_settings& s) {
  b.check_size(13 + state_count(contact));
  const auto make = [&]<bool Isotropic>() -> std::shared_ptr<system> {
    return std::make_shared<sphere_system<Contact, Isotropic>>(
        sphere_on_plane<double, Contact, Isotropic>{
            std::move(contact), s.m, s.R, s.g * std::sin(s.slope), s.g * std::cos(s.slope), s.I},
        model);
  };
  const bool isotropic = s.I[0] == s.I[1] && s.I[1] == s.I[2];
  return isotropic ? make.template operator()<true>() : make.template operator()<false>();
}

// With the contact with friction of that name; null where there is none.
template <class... Models>
std::shared_ptr<system> make_touching_sphere(const system_builder& b, key_builder table,
                                             const std::string& model, const sphere_settings& s,
                                             model_list<Models...>) {
  std::shared_ptr<system> result;
  const auto attempt = [&]<class Model>() {
    if (model != Model::key) return;
    using contact = typename Model::template type<double>;
    result = make_sphere(b, read_touch_model<contact>(table), model, s);
  };
  (attempt.template operator()<Models>(), ...);
  return result;
}

bool is_frictional_contact(const std::string& model) {
  const auto all = catalogue();
  return std::any_of(all.begin(), all.end(), [&](const catalogue_entry* each) {
    return each->key == model && each->family == "frictional_contact";
  });
}

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  sphere_settings s;
  b.required("mass", s.m, kilogram, positive, "mass of the sphere");
  b.required("radius", s.R, metre, positive, "radius of the sphere");
  b.gravity(s.g);
  b.optional("slope", s.slope, radian, {-1.5, 1.5}, "slope of the ground, falling towards +x");
  std::vector<double> moments(3, 0.4 * s.m * s.R * s.R);
  b.optional("inertia", moments, moment_of_inertia, positive,
             "moment of inertia about the centre: one number, or three", "that of a solid sphere");
  s.I = {{moments[0], moments[1], moments[2]}};
  const double sum = s.I[0] + s.I[1] + s.I[2];
  for (int i = 0; i < 3; ++i)
    if (s.I[i] > 0.5 * sum * (1 + 1e-12))
      b.refuse("inertia", fmt::format("no body has a principal moment of {:g} kg m^2 above the sum "
                                      "of the other two, {:g} kg m^2",
                                      s.I[i], sum - s.I[i]));

  const auto of =
      b.root.table_of_model("contact", {"frictional_contact", "contact"},
                            "contact with friction, or a normal contact together with [friction]");
  auto touching =
      make_touching_sphere(b, of.table.unlisted(), of.model, s, generated::touch_models{});
  if (touching != nullptr && !b.lists()) return touching;
  if (touching == nullptr && is_frictional_contact(of.model))
    of.table.refuse("model",
                    "it comes from a plug-in, but this system takes contacts with friction only "
                    "from the library; take a normal contact");

  named_touch contact{b.unlisted().contact("")};
  b.refuse_rigid(contact.contact);
  key_builder friction =
      b.root.table("friction", "friction for a normal contact, which has none itself", is_optional);
  friction.word("model", {"dai"}, "planar", "dai");
  friction.optional("K", contact.K, newton / metre, positive, "stiffness of the bristles");
  friction.optional("beta", contact.beta, second, positive, "damping of the bristles over K");
  friction.optional("mu", contact.mu, one, non_negative, "coefficient of friction");
  friction.finish();
  return make_sphere(b, std::move(contact), of.model, s);
}

}  // namespace

const named_sphere* sphere_on_plane_in(const system& s) {
  const auto* found = dynamic_cast<const has_named_sphere*>(&s);
  return found == nullptr || !found->named ? nullptr : &*found->named;
}

namespace detail {

extern const system_row sphere_on_plane{
    .name = "sphere_on_plane",
    .what = "a sphere in space that bounces, slips, spins and rolls",
    .build = build};

}  // namespace detail

}  // namespace asperity
