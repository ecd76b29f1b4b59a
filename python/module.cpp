// SPDX-License-Identifier: Apache-2.0
// The compiled part of the Python package: models, scenarios, experiments and analyses without a line
// per model. What users see is python/asperity/*.py.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <asperity/analysis/limit_surface_study.hpp>
#include <asperity/analysis/loops.hpp>
#include <asperity/analysis/map.hpp>
#include <asperity/analysis/restitution.hpp>
#include <asperity/catalogue/plugin.hpp>
#include <asperity/error.hpp>
#include <asperity/identify/design_contact.hpp>
#include <asperity/identify/design_regularisation.hpp>
#include <asperity/identify/report.hpp>
#include <asperity/mechanics/input_signal.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/publish/experiment.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/output.hpp>
#include <asperity/run/patch_file.hpp>
#include <asperity/run/sampled_inputs.hpp>
#include <asperity/sweep/stepped_models.hpp>
#include <asperity/text.hpp>
#include <asperity/text/setting.hpp>
#include <chrono>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

namespace py = pybind11;
using namespace asperity;
using namespace pybind11::literals;

namespace {

using doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Long work without the interpreter, in a thread of its own: work(interrupt, progress). The caller's
// thread, the one that Python interrupts, meanwhile looks for signals and tells the progress.
template <class Work>
auto attended(const py::object& told, const Work& work) {
  std::atomic<bool> stop{false};
  std::atomic<double> share{-1};
  auto done = std::async(std::launch::async, [&] {
    return work(&stop, std::function<void(double)>([&](double now) { share = now; }));
  });
  std::unique_ptr<py::error_already_set> failure;
  double before = -1;
  for (bool ready = false; !ready;) {
    {
      const py::gil_scoped_release released;
      ready = done.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
    }
    if (failure != nullptr) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      const double now = share;
      if (now > before && !told.is_none()) told(now);
      before = now;
    } catch (py::error_already_set& e) {
      stop = true;
      failure = std::make_unique<py::error_already_set>(e);
    }
  }
  if (failure == nullptr) return done.get();
  try {
    done.get();
  } catch (const std::exception&) {
    // It ended because it was told to.
  }
  throw py::error_already_set(*failure);
}

py::array_t<double> array_of(std::vector<double>&& values) {
  auto* kept = new std::vector<double>(std::move(values));
  const py::capsule owner(kept, [](void* v) { delete static_cast<std::vector<double>*>(v); });
  return py::array_t<double>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

// ---- cards ---------------------------------------------------------------------------------------

py::dict quantity_of(const std::string& name, unit in, const std::string& meaning, range allowed) {
  return py::dict("name"_a = name, "unit"_a = to_string(in), "meaning"_a = meaning,
                  "lower"_a = allowed.lower, "upper"_a = allowed.upper,
                  "allowed"_a = to_string(allowed));
}

py::dict card_of_model(const any_model& model) {
  const auto card = model.describe();
  py::list parameters, states, inputs, outputs, observed;
  for (const auto& p : card.parameters) {
    py::dict line = quantity_of(p.name, p.in, p.meaning, p.allowed);
    const auto values = model.get(p.name);
    line["is_list"] = p.is_list;
    line["is_whole"] = p.count != nullptr || p.whole != nullptr;
    line["words"] = p.words;
    if (!p.words.empty()) {
      line["default"] = p.words.at(static_cast<std::size_t>(values.front()));
    } else if (p.is_list) {
      line["default"] = values;
    } else {
      line["default"] = values.front();
    }
    parameters.append(line);
  }
  for (const auto& s : card.states) {
    py::dict line = quantity_of(s.name, s.in, s.meaning, s.allowed);
    line["is_list"] = s.is_list;
    states.append(line);
  }
  for (const channel& c : model.at().inputs) {
    py::dict line("name"_a = c.name, "unit"_a = to_string(c.in));
    line["lower"] = allowed_input(model, c).lower;
    line["is_rate"] = c.is == channel::rate;
    line["is_place"] = c.is == channel::place;
    line["rate_of"] = c.is == channel::place && c.rate_of >= 0
                          ? std::string(model.at().inputs[static_cast<std::size_t>(c.rate_of)].name)
                          : std::string();
    inputs.append(line);
  }
  for (const channel& c : model.at().outputs)
    outputs.append(py::dict("name"_a = c.name, "unit"_a = to_string(c.in)));
  return py::dict("key"_a = model.key(), "title"_a = card.title, "source"_a = card.source,
                  "family"_a = model.entry().family, "port"_a = model.at().name,
                  "port_meaning"_a = model.at().meaning, "curve"_a = model.curve(),
                  "claims"_a = claim_names(card.claims), "parameters"_a = parameters,
                  "states"_a = states, "inputs"_a = inputs, "outputs"_a = outputs,
                  "page"_a = model.entry().page);
}

py::list list_models() {
  py::list result;
  for (const catalogue_entry* entry : catalogue()) {
    py::dict card = card_of_model(any_model(*entry));
    py::list curves;
    for (const auto& variant : entry->variants)
      if (!variant.curve.empty()) curves.append(variant.curve);
    card["curves"] = curves;
    result.append(card);
  }
  return result;
}

py::list list_systems() {
  py::list result;
  for (const system_row* row : systems()) {
    py::list keys;
    for (const auto& k : keys_of(*row))
      keys.append(py::dict("name"_a = k.name, "meaning"_a = k.meaning, "unit"_a = to_string(k.in)));
    result.append(py::dict("key"_a = row->name, "what"_a = row->what, "keys"_a = keys,
                           "page"_a = std::string(page_of(*row)), "example"_a = example_of(*row)));
  }
  return result;
}

py::list list_measures() {
  py::list result;
  for (const measure_row* row : measures())
    result.append(py::dict("key"_a = row->word, "meaning"_a = row->meaning, "unit"_a = row->in));
  return result;
}

py::list list_methods() {
  py::list result;
  for (const method_row* row : methods())
    result.append(py::dict("key"_a = row->name, "meaning"_a = row->meaning));
  return result;
}

// ---- models --------------------------------------------------------------------------------------

void set_parameter(any_model& model, const std::string& name, const py::handle& value) {
  const auto card = model.describe();
  for (const auto& p : card.parameters) {
    if (p.name != name) continue;
    if (py::isinstance<py::str>(value)) {
      const auto text = value.cast<std::string>();
      if (p.words.empty()) {
        try {
          model.set(name, in_si(text, p.in));
        } catch (const error& e) {
          throw error(fmt::format("model '{}': {}: {}", model.key(), name, e.what()));
        }
      } else {
        model.choose(name, text);
      }
    } else if (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)) {
      model.set(name, value.cast<double>());
    } else {
      model.set(name, value.cast<std::vector<double>>());
    }
    return;
  }
  model.set(name, 0.0);  // says which names there are
}

bool is_count(const any_model& model, const std::string& name) {
  for (const auto& p : model.describe().parameters)
    if (p.name == name) return p.count != nullptr || p.whole != nullptr;
  return false;
}

any_model model_of(const std::string& key, const std::string& curve, const py::dict& parameters) {
  any_model model(find_entry(key), curve);
  // Numbers of elements and words first: lists are as long as they say.
  for (const bool counts : {true, false})
    for (const auto& [name, value] : parameters) {
      const auto text = name.cast<std::string>();
      if (is_count(model, text) == counts) set_parameter(model, text, value);
    }
  return model;
}

using given_columns = std::vector<std::optional<doubles>>;

sampled_inputs sampled(const any_model& model, const doubles& t, const given_columns& inputs) {
  const port& at = model.at();
  std::vector<const double*> columns(at.inputs.size(), nullptr);
  for (std::size_t i = 0; i < std::min(columns.size(), inputs.size()); ++i) {
    if (!inputs[i]) continue;
    if (inputs[i]->size() != t.size())
      throw error(fmt::format("{} has {} samples, t has {}", at.inputs[i].name, inputs[i]->size(),
                              t.size()));
    columns[i] = inputs[i]->data();
  }
  return {model, {t.data(), static_cast<std::size_t>(t.size())}, std::move(columns)};
}

// Models in front, then samples, then outputs where there are several.
py::array_t<double> room_for(std::vector<py::ssize_t> shape, std::size_t rows,
                             std::size_t outputs) {
  shape.push_back(static_cast<py::ssize_t>(rows));
  if (outputs > 1) shape.push_back(static_cast<py::ssize_t>(outputs));
  return py::array_t<double>(shape);
}

// While the interpreter is released; the exception is then set.
bool was_interrupted() {
  const py::gil_scoped_acquire held;
  return PyErr_CheckSignals() != 0;
}

// What is wrong with the numbers that were given, or else how it ended and what can be done.
std::string words_of(const any_model& model, const refusal& no, outcome how, const double* in) {
  if (no.name != nullptr) return to_string(no);
  const bool is_stiff = how == outcome::step_limit || how == outcome::step_too_small;
  return fmt::format("{}{}", advice(how, model, in),
                     is_stiff && model.is_ode() ? "; evaluate() takes implicit steps" : "");
}

[[noreturn]] void throw_failure(const any_model& model, const sampled_inputs& given,
                                std::size_t row, outcome how, const std::string& which = "") {
  std::string why = "times must increase";
  if (row == 0 || given.time(row) > given.time(row - 1)) {
    std::vector<double> before(model.at().inputs.size()), in(before.size());
    given.at(row, before.data(), in.data());
    why = words_of(model, refused(model, in.data()), how, in.data());
  }
  throw error(fmt::format("model '{}'{} at sample {} (t = {:g} s): {}", model.key(), which, row,
                          given.time(row), why));
}

[[noreturn]] void throw_step_failure(const any_model& model, const refusal& no, const double* in,
                                     outcome how) {
  throw error(fmt::format("model '{}': {}", model.key(), words_of(model, no, how, in)));
}

// For integrators of others, which may try numbers that are not finite: those go through.
void check_load(const any_model& model, const std::vector<double>& in) {
  const refusal no = refused(model, in.data());
  if (no.name != nullptr && std::isfinite(no.value))
    throw error(fmt::format("model '{}': {}", model.key(), to_string(no)));
}

std::vector<double> list_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

// The state of a model is for one caller at a time. Where that one has released the interpreter,
// others wait until it is done.
class turn {
 public:
  void wait() const {
    while (is_taken_) {
      if (by_ == std::this_thread::get_id())
        throw error("the model is in use by this thread: a signal handler must not use it");
      {
        const py::gil_scoped_release released;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }
  void take() {
    wait();
    is_taken_ = true;
    by_ = std::this_thread::get_id();
  }
  void give_back() { is_taken_ = false; }

 private:
  bool is_taken_ = false;  // read and written by who holds the interpreter
  std::thread::id by_;
};

class taken {
 public:
  explicit taken(turn& of) : of_(of) { of_.take(); }
  ~taken() { of_.give_back(); }
  taken(const taken&) = delete;
  taken& operator=(const taken&) = delete;

 private:
  turn& of_;
};

class py_model {
 public:
  py_model(const std::string& key, const std::string& curve, const py::dict& parameters)
      : now_(model_of(key, curve, parameters)) {}

  stepped_model& now() {
    turn_.wait();
    return now_;
  }
  const stepped_model& now() const {
    turn_.wait();
    return now_;
  }
  const any_model& model() const { return now_.model(); }

  double step_line(double h, double x, double v, double load) {
    turn_.wait();
    const double in[3] = {x, v, load};
    const outcome how = now_.step(in, h);
    if (how != outcome::completed) throw_step_failure(model(), now_.refused(in, h), in, how);
    return now_.outputs()[0];
  }

  void check_sizes(const std::vector<double>& in, const std::vector<double>& state) const {
    const auto check = [&](const char* what, std::size_t has, std::size_t given) {
      if (has != given)
        throw error(fmt::format("model '{}' has {} {}, not {}", model().key(), has, what, given));
    };
    check("inputs", now_.inputs().size(), in.size());
    check("states", now_.state().size(), state.size());
  }

  // Derivatives of outputs and rates (rows) by inputs and states (columns), by dual numbers.
  py::array_t<double> derivatives(const std::vector<double>& in,
                                  const std::vector<double>& state) const {
    const auto& functions = model().functions().in_dual;
    if (!functions.is_ode() || model().functions().build != nullptr)
      throw error(
          fmt::format("model '{}' has no derivatives: its memory is not an ODE", model().key()));
    check_sizes(in, state);
    check_load(model(), in);
    const std::size_t outputs = now_.outputs().size(), states = state.size();
    const std::size_t rows = outputs + states, columns = in.size() + states;
    py::array_t<double> result(std::vector<std::size_t>{rows, columns});
    const auto self = functions.make(model().self());
    std::vector<model_dual> inputs(in.size()), from(states), out(outputs), rate(states + 1);
    constexpr std::size_t at_once = 8;  // directions of a model_dual
    for (std::size_t first = 0; first < columns; first += at_once) {
      const auto variable = [&](double value, std::size_t column) {
        return column >= first && column < first + at_once
                   ? model_dual::variable(value, static_cast<int>(column - first))
                   : model_dual(value);
      };
      for (std::size_t i = 0; i < in.size(); ++i) inputs[i] = variable(in[i], i);
      for (std::size_t i = 0; i < states; ++i) from[i] = variable(state[i], in.size() + i);
      functions(model().at(), self.get(), inputs.data(), from.data(), out.data(), rate.data());
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = first; column < std::min(columns, first + at_once); ++column)
          result.mutable_at(row, column) =
              (row < outputs ? out[row] : rate[row - outputs]).derivative[column - first];
    }
    return result;
  }

  py::object get(const std::string& name) const {
    const auto values = model().get(name);
    for (const auto& p : model().describe().parameters) {
      if (p.name != name) continue;
      if (!p.words.empty()) return py::cast(p.words.at(static_cast<std::size_t>(values.front())));
      if (!p.is_list) return py::float_(values.front());
    }
    return py::cast(values);
  }

  // One force per sample: the state is carried on from one to the next, from where it is now.
  py::array_t<double> sample(const doubles& t, const given_columns& inputs, bool resets) {
    const sampled_inputs given = sampled(model(), t, inputs);
    py::array_t<double> result = room_for({}, given.rows(), model().at().outputs.size());
    double* out = result.mutable_data();
    const taken alone(turn_);
    sampling_end end;
    {
      const py::gil_scoped_release released;
      end = asperity::sample(now_, given, resets, out, [] { return !was_interrupted(); });
    }
    if (end.how == outcome::interrupted) throw py::error_already_set();
    if (end.how != outcome::completed) throw_failure(model(), given, end.row, end.how);
    return result;
  }

 private:
  stepped_model now_;
  turn turn_;
};

// Models that differ in parameters that are single numbers, each given as one value per model.
class py_models {
 public:
  py_models(const std::string& key, const std::string& curve, const py::dict& parameters,
            const py::dict& many)
      : now_(made(key, curve, parameters, many)) {}

  stepped_models& now() {
    turn_.wait();
    return now_;
  }
  const stepped_models& now() const {
    turn_.wait();
    return now_;
  }

  py::array_t<double> sample(const doubles& t, const given_columns& inputs, bool resets) {
    const any_model& like = now_.like();
    const sampled_inputs given = sampled(like, t, inputs);
    py::array_t<double> result =
        room_for({static_cast<py::ssize_t>(now_.size())}, given.rows(), like.at().outputs.size());
    double* out = result.mutable_data();
    const taken alone(turn_);
    stepped_models::ending end;
    {
      const py::gil_scoped_release released;
      end = now_.sample(given, resets, out, [] { return !was_interrupted(); });
    }
    if (end.how == outcome::interrupted) throw py::error_already_set();
    if (end.how != outcome::completed)
      throw_failure(like, given, end.row, end.how,
                    fmt::format(" (number {} of {}, from 0)", end.model, now_.size()));
    return result;
  }

 private:
  static stepped_models made(const std::string& key, const std::string& curve,
                             const py::dict& parameters, const py::dict& many) {
    const any_model like = model_of(key, curve, parameters);
    std::vector<doubles> kept;
    std::vector<stepped_models::values> given;
    bool has_counts = false;
    for (const auto& [name, values] : many) {
      const auto text = name.cast<std::string>();
      kept.push_back(values.cast<doubles>());
      given.push_back({text, kept.back().data()});
      has_counts = has_counts || is_count(like, text);
    }
    const auto count = static_cast<std::size_t>(kept.front().size());
    if (!has_counts) {
      const py::gil_scoped_release released;
      return {like, given, count};
    }
    // Lists are as long as a number of elements says: these are made one by one.
    std::vector<any_model> models;
    for (std::size_t i = 0; i < count; ++i) {
      py::dict own(parameters);
      for (const auto& each : given) own[py::str(each.name)] = each.of_models[i];
      models.push_back(model_of(key, curve, own));
    }
    return stepped_models(std::move(models));
  }

  stepped_models now_;
  turn turn_;
};

// ---- runs ----------------------------------------------------------------------------------------

py::dict dict_of(run_data&& data, const std::vector<std::string>& warnings,
                 bool is_rotary = false) {
  py::dict columns, units;
  const auto add = [&](column& c) {
    if (columns.contains(c.name)) return;
    units[py::str(c.name)] = to_string(is_rotary ? rotary(c.in) : c.in);
    columns[py::str(c.name)] = array_of(std::move(c.values));
  };
  for (column& c : data.columns) add(c);
  for (column& c : data.audit_columns) add(c);
  py::list events;
  for (const run_event& e : data.events) events.append(py::dict("name"_a = e.name, "t"_a = e.t));
  py::list said;
  for (const auto& each : warnings) said.append(each);
  for (const auto& each : data.doubts) said.append(each);
  return py::dict("columns"_a = columns, "units"_a = units, "events"_a = events,
                  "warnings"_a = said, "outcome"_a = to_string(data.result.how),
                  "failed"_a = is_failure(data.result.how), "t"_a = data.result.t,
                  "steps"_a = data.result.steps, "evaluations"_a = data.result.evaluations,
                  "hint"_a = data.hint, "detail"_a = data.result.detail);
}

py::dict run_scenario(const scenario& s, const py::object& progress) {
  run_data data = attended(progress, [&](const auto* interrupt, const auto& share) {
    return simulate(s, {.interrupt = interrupt, .progress = share});
  });
  py::dict result = dict_of(std::move(data), s.warnings, s.is_rotary);
  result["name"] = as_utf8(s.name);  // that of a file, which may be any bytes
  result["title"] = s.title;
  result["resolved"] = to_toml(s.resolved);
  py::list panels;
  for (const panel& p : s.panels)
    panels.append(py::dict("title"_a = p.title, "x"_a = p.x, "y"_a = p.y));
  result["panels"] = panels;
  return result;
}

// A change of a scenario: its key, its value as TOML, and what messages call it.
using settings = std::vector<std::array<std::string, 3>>;

void apply(const settings& all, toml_value& document) {
  for (const auto& [key, value, place] : all) apply_override(document, key, value, place);
}

py::dict run_text(const std::string& text, const std::string& name, const std::string& folder,
                  const settings& changes, const py::object& progress) {
  toml_value document = parse_toml(text, name);
  apply(changes, document);
  return run_scenario(read_scenario(document, name, folder), progress);
}

py::dict run_file(const std::string& file, const settings& changes, const py::object& progress) {
  toml_value document = read_toml(file);
  apply(changes, document);
  const std::filesystem::path path(file);
  return run_scenario(read_scenario(document, path.stem().string(), path.parent_path().string()),
                      progress);
}

// A measure in words, which come from no option here.
measure measure_of(const std::string& text) {
  try {
    return parse_measure(text);
  } catch (const error& e) {
    const std::string_view told = e.what();
    throw error(std::string(told.substr(told.starts_with("--") ? 2 : 0)));
  }
}

// Measures of many variants of one scenario, one after another: a row per list of settings.
py::array_t<double> sweep_text(const std::string& text, const std::string& name,
                               const std::string& folder, const std::vector<settings>& points,
                               const std::vector<std::string>& measured,
                               const py::object& progress) {
  const toml_value document = parse_toml(text, name);
  std::vector<measure> wanted;
  wanted.reserve(measured.size());
  for (const auto& each : measured) wanted.push_back(measure_of(each));
  py::array_t<double> result(std::vector<py::ssize_t>{static_cast<py::ssize_t>(points.size()),
                                                      static_cast<py::ssize_t>(wanted.size())});
  double* out = result.mutable_data();
  attended(progress, [&](const auto* interrupt, const auto& share) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      toml_value changed = document;
      apply(points[i], changed);
      const scenario s = read_scenario(changed, name, folder, wanted_of_scenario::numbers);
      const run_data data = simulate(s, {.interrupt = interrupt});
      if (*interrupt) return;
      for (std::size_t k = 0; k < wanted.size(); ++k)
        out[i * wanted.size() + k] = is_failure(data.result.how)
                                         ? std::numeric_limits<double>::quiet_NaN()
                                         : evaluate(wanted[k], data);
      share(static_cast<double>(i + 1) / static_cast<double>(points.size()));
    }
  });
  return result;
}

double measure_run(const std::string& text, const py::dict& columns, const py::list& events) {
  run_data data;
  for (const auto& [name, values] : columns) {
    const auto array = values.cast<doubles>();
    data.columns.push_back({name.cast<std::string>(), units::one,
                            std::vector<double>(array.data(), array.data() + array.size())});
  }
  for (const auto& e : events)
    data.events.push_back({e["name"].cast<std::string>(), e["t"].cast<double>(), {}});
  return evaluate(measure_of(text), data);
}

// ---- experiments ---------------------------------------------------------------------------------

py::list experiments() {
  py::list result;
  const std::string folder = experiments_folder();
  for (const auto& id : list_experiments(folder)) {
    const experiment e = read_experiment(folder, id);
    py::list runs;
    for (const auto& r : e.runs) runs.append(r.name);
    result.append(py::dict("id"_a = e.id, "title"_a = e.title, "source"_a = e.source,
                           "about"_a = e.about, "figures"_a = e.figures, "runs"_a = runs,
                           "claims"_a = e.claims.size()));
  }
  return result;
}

py::dict perform_experiment(const std::string& id, const py::object& progress) {
  const std::string folder = experiments_folder();
  const auto chosen = choose_experiments(folder, {id});
  if (chosen.size() != 1)
    throw error(fmt::format("'{}' names {} experiments: choose one", id, chosen.size()));
  const experiment wanted = read_experiment(folder, chosen.front());
  std::optional<experiment_result> done =
      attended(progress, [&](const auto* interrupt, const auto& share) {
        return std::optional(perform(wanted, {.interrupt = interrupt, .progress = share}));
      });
  py::dict runs, verdicts;
  for (auto& [key, data] : done->data) {
    const experiment_run* of = nullptr;
    for (const auto& r : done->what.runs)
      if (r.name == key.first) of = &r;
    if (of != nullptr && key.second != of->shown()) continue;
    runs[py::str(key.first)] = dict_of(std::move(data), {});
  }
  py::list claims;
  for (const auto& j : done->judgements)
    claims.append(py::dict("text"_a = j.about.text, "source_says"_a = j.about.source_says,
                           "measured"_a = j.measured, "wanted"_a = j.wanted, "ours"_a = j.ours,
                           "unit"_a = to_string(j.in), "verdict"_a = to_string(j.answer),
                           "converged"_a = j.how == execution::converged, "note"_a = j.note));
  py::list panels;
  for (const auto& p : done->what.panels)
    panels.append(py::dict("title"_a = p.shown.title, "x"_a = p.shown.x, "y"_a = p.shown.y,
                           "runs"_a = p.runs, "x_log"_a = p.x_log, "y_log"_a = p.y_log));
  return py::dict("id"_a = done->what.id, "title"_a = done->what.title,
                  "source"_a = done->what.source, "runs"_a = runs, "claims"_a = claims,
                  "panels"_a = panels);
}

// ---- analyses ------------------------------------------------------------------------------------

py::dict loops_of(const doubles& u, const doubles& y, double noise) {
  const std::vector<double> us(u.data(), u.data() + u.size()), ys(y.data(), y.data() + y.size());
  const loop_analysis found = attended(py::none(), [&](const auto* interrupt, const auto&) {
    return analyse_loops(us, ys, loop_options{.noise = noise, .interrupt = interrupt});
  });
  py::list loops;
  for (const loop& l : found.loops)
    loops.append(py::dict("first"_a = l.first, "last"_a = l.last, "low"_a = l.u_low,
                          "high"_a = l.u_high, "area"_a = l.area, "gap"_a = l.gap,
                          "is_minor"_a = l.is_minor, "orientation"_a = l.orientation(),
                          "crossings"_a = l.crossings.size()));
  return py::dict("loops"_a = loops, "area"_a = found.area,
                  "area_per_cycle"_a = found.area_per_cycle(), "work"_a = found.work,
                  "noise"_a = found.noise, "reversals"_a = found.reversals.size());
}

py::dict impact_of(const py_model& model, double speed, double mass, double force) {
  const impact found = attended(py::none(), [&](const auto* interrupt, const auto&) {
    return find_impact(model.model(), speed,
                       {.mass = mass, .force = force, .interrupt = interrupt});
  });
  py::dict result("why"_a = found.why);
  for (const impact_column& c : impact_columns()) result[c.name] = c.value(found);
  return result;
}

py::dict limit_surface_of(const std::string& patch_text, const std::string& folder, int around,
                          int up, double tolerance, double a, const py::object& progress) {
  const contact_patch patch = patch_of(parse_toml(patch_text, "patch"), folder);
  if (around < 4 || around > 720 || up < 3 || up > 361)
    throw error(
        fmt::format("around = {} must be 4 to 720, and up = {} must be 3 to 361", around, up));
  if (!(tolerance > 0) || !std::isfinite(tolerance) || !(a >= 0) || !std::isfinite(a))
    throw error(
        fmt::format("tolerance = {:g} must be above 0 and finite, a = {:g} at least 0 and finite",
                    tolerance, a));
  const limit_surface_study study =
      attended(progress, [&](const auto* interrupt, const auto& share) {
        return study_limit_surface(patch, {around, up, tolerance, a, interrupt, share});
      });
  std::vector<double> longitude, latitude, f_x, f_y, torque;
  for (const auto& point : study.surface.points) {
    longitude.push_back(point.longitude);
    latitude.push_back(point.latitude);
    f_x.push_back(point.value[0]);
    f_y.push_back(point.value[1]);
    torque.push_back(point.value[2]);
  }
  const auto [x, y] = patch.centre();
  return py::dict(
      "patch"_a = patch.description(), "area"_a = patch.area(), "centre"_a = py::make_tuple(x, y),
      "torque_over_force"_a = study.surface.arm, "around"_a = study.surface.around,
      "up"_a = study.surface.up, "longitude"_a = array_of(std::move(longitude)),
      "latitude"_a = array_of(std::move(latitude)), "f_x"_a = array_of(std::move(f_x)),
      "f_y"_a = array_of(std::move(f_y)), "torque"_a = array_of(std::move(torque)),
      "ellipsoid_worst_error"_a = study.asked.worst, "quadrature_error"_a = study.surface.error);
}

py::dict hysteresis_of(const py_model& model, double amplitude, double offset, double omega,
                       int loops, const py::object& progress) {
  find_model(model.model().key());  // has the words for models with more than one direction
  hysteresis_map found = attended(progress, [&](const auto* interrupt, const auto& share) {
    map_options options;
    options.amplitude = amplitude;
    options.offset = offset;
    options.omega = omega;
    options.loops = loops;
    options.interrupt = interrupt;
    options.progress = share;
    return limiting_map(io_of(model.model()), options);
  });
  py::list each;
  for (auto& l : found.loops)
    each.append(py::dict("omega"_a = l.omega, "u"_a = array_of(std::move(l.u)),
                         "y"_a = array_of(std::move(l.y)), "area"_a = l.area,
                         "area_error"_a = l.area_error, "width"_a = l.width));
  return py::dict("loops"_a = each, "converged"_a = found.converged,
                  "area"_a = found.limit_area.value, "area_error"_a = found.limit_area.error,
                  "width"_a = found.limit_width.value, "width_error"_a = found.limit_width.error,
                  "note"_a = found.note);
}

// ---- identification ------------------------------------------------------------------------------

py::dict parameters_of(const any_model& model) {
  py::dict result;
  for (const auto& p : model.describe().parameters) {
    const auto values = model.get(p.name);
    if (!p.words.empty()) {
      result[py::str(p.name)] = p.words.at(static_cast<std::size_t>(values.front()));
    } else if (p.is_list) {
      result[py::str(p.name)] = values;
    } else {
      result[py::str(p.name)] = values.front();
    }
  }
  return result;
}

py::dict fit_of(const py_model& model, const std::vector<py::dict>& given,
                const std::vector<std::string>& free, const std::vector<std::string>& held,
                const std::vector<std::string>& sensors, double settle, double hold_out, int starts,
                unsigned seed, bool intervals, double time_limit, const py::object& progress) {
  std::vector<record> records;
  for (const py::dict& each : given) {
    record one;
    one.name = fmt::format("record {}", records.size() + 1);
    for (const auto& [name, values] : each) {
      const auto array = values.cast<doubles>();
      std::vector<double> column(array.data(), array.data() + array.size());
      const auto text = name.cast<std::string>();
      if (text == "t") {
        one.t = std::move(column);
      } else {
        one.channels.push_back({text, std::move(column)});
      }
    }
    for (const auto& c : one.channels)
      if (c.values.size() != one.t.size())
        throw error(fmt::format("{}: {} has {} samples, t has {}", one.name, c.name,
                                c.values.size(), one.t.size()));
    for (std::size_t i = 1; i < one.t.size(); ++i)
      if (!(one.t[i] > one.t[i - 1]))
        throw error(fmt::format("{}: t must increase, but does not at sample {}", one.name, i));
    records.push_back(std::move(one));
  }
  model_fit_options of_model;
  of_model.free = free;
  of_model.held = held;
  of_model.settle = settle;
  of_model.hold_out = hold_out;
  const auto has = [&](const char* word) {
    return std::find(sensors.begin(), sensors.end(), word) != sensors.end();
  };
  for (const auto& each : sensors)
    if (each != "offset" && each != "gain" && each != "delay" && each != "stiffness")
      throw error(fmt::format("sensor '{}': it must be offset, gain, delay or stiffness", each));
  of_model.offset = has("offset");
  of_model.gain = has("gain");
  of_model.delay = has("delay");
  of_model.stiffness = has("stiffness");
  fit_options of_fit;
  of_fit.starts = starts;
  of_fit.seed = seed;
  of_fit.intervals = intervals;
  if (time_limit > 0) of_fit.time_limit = time_limit;
  std::optional<model_report> report =
      attended(progress, [&](const auto* interrupt, const auto& share) {
        of_fit.interrupt = interrupt;
        of_fit.progress = share;
        return std::optional(fit_model(model.model(), records, of_model, of_fit));
      });
  return py::dict("json"_a = report_json(*report).dump(), "text"_a = report_text(*report),
                  "curve"_a = report->fitted.curve(),
                  "parameters"_a = parameters_of(report->fitted),
                  "residual"_a = array_of(std::move(report->result.residual)));
}

py::dict design_of(const std::string& key, const std::map<std::string, std::string>& wishes,
                   double mass, bool under_weight, double step) {
  contact_wishes wanted;
  wanted.mass = mass;
  wanted.under_weight = under_weight;
  wanted.step = step;
  using kind = contact_wish::kind;
  const std::pair<const char*, kind> kinds[] = {{"restitution", kind::restitution},
                                                {"time", kind::time},
                                                {"penetration", kind::penetration},
                                                {"force", kind::force},
                                                {"resting_penetration", kind::resting_penetration}};
  for (const auto& [name, is] : kinds) {
    const auto found = wishes.find(name);
    if (found == wishes.end()) continue;
    for (const auto& each : parse_wishes(is, found->second)) wanted.wishes.push_back(each);
  }
  // As on the command line: the first speed that is named, or 1 m/s.
  double speed = 0;
  for (const auto& each : wanted.wishes)
    if (speed == 0) speed = each.speed;
  if (speed == 0) speed = 1;
  for (auto& each : wanted.wishes)
    if (each.speed == 0) each.speed = speed;
  const contact_design found = attended(py::none(), [&](const auto* interrupt, const auto&) {
    wanted.interrupt = interrupt;
    return design_contact(key, wanted);
  });
  py::list rows;
  for (const auto& r : found.rows)
    rows.append(py::dict("what"_a = to_string(r.wish), "is_wished"_a = r.is_wished,
                         "designed"_a = r.designed, "simulated"_a = r.simulated));
  py::dict result("is_met"_a = found.is_met, "why"_a = found.why, "rows"_a = rows,
                  "chosen"_a = found.chosen, "warnings"_a = found.warnings);
  if (found.model) result["parameters"] = parameters_of(*found.model);
  return result;
}

py::dict regularisation_of(double mass, double load, double friction_limit, double step,
                           double penetration, double creep, double frequency, double restitution) {
  regularisation_wishes wanted{.mass = mass,
                               .load = load,
                               .friction_limit = friction_limit,
                               .step = step,
                               .penetration = penetration,
                               .creep = creep,
                               .frequency = frequency,
                               .restitution = restitution};
  const regularisation_design found = attended(py::none(), [&](const auto* interrupt, const auto&) {
    wanted.interrupt = interrupt;
    return design_regularisation(wanted);
  });
  const auto as_dict = [](const regularisation_design::part& of) {
    return py::dict("is_met"_a = of.is_met, "why"_a = of.why, "K"_a = of.K, "beta"_a = of.beta,
                    "alpha"_a = of.alpha);
  };
  py::dict result("contact"_a = as_dict(found.contact));
  if (found.has_friction) result["friction"] = as_dict(found.friction);
  return result;
}

}  // namespace

PYBIND11_MODULE(_asperity, m) {
  m.doc() = "Compiled part of asperity; use the package.";
  py::register_exception<error>(m, "Error", PyExc_ValueError).attr("__doc__") =
      "Bad input: the text names the symbol, its value and the allowed values.";
  m.attr("version") = version();

  m.def("models", &list_models, "Cards of all models.");
  m.def(
      "load_plugin",
      [](const std::string& file) {
        std::vector<std::string> names;
        for (const catalogue_entry* each : load_plugin(file)) names.push_back(each->key);
        return names;
      },
      "file"_a, "Loads the models of a shared object; their names.");
  m.def("systems", &list_systems, "Names, keys and pages of all systems.");
  m.def("measures", &list_measures, "Names and meanings of all measures.");
  m.def("methods", &list_methods, "Names and meanings of all methods of integration.");

  py::class_<py_model>(m, "Model", "A model with its state, stepped at the caller's rate.")
      .def(py::init<const std::string&, const std::string&, const py::dict&>(), "key"_a,
           "curve"_a = "", "parameters"_a = py::dict(), "A model of the catalogue by name.")
      .def(
          "card", [](const py_model& s) { return card_of_model(s.model()); }, "Its card.")
      .def("get", &py_model::get, "name"_a, "The value of a parameter, in SI.")
      .def("sample", &py_model::sample, "t"_a, "inputs"_a, "resets"_a = true,
           "Outputs at each time; inputs in the order of the port, None where not given.")
      .def(
          "reset", [](py_model& s) { s.now().reset(); }, "Back to rest, with all inputs 0.")
      .def(
          "reset_to", [](py_model& s, const std::vector<double>& in) { s.now().reset(in); },
          "inputs"_a, "Back to rest at these inputs.")
      .def(
          "step",
          [](py_model& s, const std::vector<double>& in, double h) {
            if (in.size() != s.now().inputs().size())
              throw error(fmt::format("model '{}' has {} inputs, not {}", s.model().key(),
                                      s.now().inputs().size(), in.size()));
            const outcome how = s.now().step(in.data(), h);
            if (how != outcome::completed)
              throw_step_failure(s.model(), s.now().refused(in.data(), h), in.data(), how);
            return list_of(s.now().outputs());
          },
          "inputs"_a, "h"_a, "A step of h seconds to these inputs; returns the outputs.")
      .def("step_line", &py_model::step_line, "h"_a, "x"_a, "v"_a, "load"_a,
           "The same for models along a line, quickly; returns the force.")
      .def(
          "step_line",
          [](py_model& s, double h, double x, double v) {
            const auto now = s.now().inputs();
            return s.step_line(h, x, v, now.size() > 2 ? now[2] : 1.0);
          },
          "h"_a, "x"_a, "v"_a, "The same under the present load.")
      .def(
          "step_coupled",
          [](py_model& s, const std::vector<double>& in, const std::vector<double>& free,
             const std::vector<double>& mobility, double h) {
            if (!s.now().can_couple())
              throw error(fmt::format("model '{}' has no closed-form step together with a body",
                                      s.model().key()));
            if (in.size() != s.now().inputs().size() || free.size() != s.now().outputs().size() ||
                mobility.size() != free.size())
              throw error(
                  "inputs, free and mobility must have as many values as the port has inputs and "
                  "outputs");
            const outcome how = s.now().step_coupled(in.data(), free.data(), mobility.data(), h);
            if (how != outcome::completed)
              throw_step_failure(s.model(),
                                 s.now().refused(in.data(), free.data(), mobility.data(), h),
                                 in.data(), how);
            return list_of(s.now().inputs());
          },
          "inputs"_a, "free"_a, "mobility"_a, "h"_a,
          "A step together with the body; returns the inputs at its end.")
      .def_property_readonly("can_couple", [](const py_model& s) { return s.now().can_couple(); })
      .def_property_readonly("inputs", [](const py_model& s) { return list_of(s.now().inputs()); })
      .def_property_readonly("outputs",
                             [](const py_model& s) { return list_of(s.now().outputs()); })
      .def_property(
          "state",
          [](const py_model& s) {
            return std::vector<double>(s.now().state().begin(), s.now().state().end());
          },
          [](py_model& s, const std::vector<double>& state) { s.now().set_state(state); })
      .def_property_readonly("state_names",
                             [](const py_model& s) { return s.model().state_names(); })
      .def_property_readonly("stored_energy",
                             [](const py_model& s) { return s.now().stored_energy(); })
      .def_property_readonly("work", [](const py_model& s) { return s.now().work(); })
      .def(
          "memory", [](const py_model& s) { return s.now().memory(); },
          "All that it carries from one step to the next.")
      .def(
          "recall", [](py_model& s, const std::vector<double>& memory) { s.now().recall(memory); },
          "memory"_a, "Continues from the state of another one.")
      .def(
          "rates",
          [](const py_model& s, const std::vector<double>& in, const std::vector<double>& state) {
            if (!s.model().is_ode())
              throw error(fmt::format("model '{}' has a memory that is not an ODE: step it",
                                      s.model().key()));
            s.check_sizes(in, state);
            check_load(s.model(), in);
            std::vector<double> out(s.now().outputs().size()), rate(state.size() + 1);
            s.model().respond(in.data(), state.data(), out.data(), rate.data());
            rate.resize(state.size());
            return py::make_tuple(out, rate);
          },
          "inputs"_a, "state"_a, "Outputs and rates of the states, for other integrators.")
      .def("derivatives", &py_model::derivatives, "inputs"_a, "state"_a,
           "Derivatives of outputs and rates (rows) by inputs and states (columns).")
      .def(
          "evaluate",
          [](const py_model& s, const py::dict& columns, double tolerance) {
            std::vector<std::pair<std::string, std::vector<double>>> kept;
            for (const auto& [name, values] : columns) {
              const auto array = values.cast<doubles>();
              kept.emplace_back(name.cast<std::string>(),
                                std::vector<double>(array.data(), array.data() + array.size()));
            }
            std::vector<csv_column> table;
            table.reserve(kept.size());
            for (const auto& [name, values] : kept) table.push_back({name, &values});
            return dict_of(attended(py::none(),
                                    [&](const auto* interrupt, const auto&) {
                                      evaluate_options options;
                                      options.relative_tolerance = tolerance;
                                      options.interrupt = interrupt;
                                      return evaluate(s.model(),
                                                      csv_table::parse(to_csv(table), "columns"),
                                                      options);
                                    }),
                           {});
          },
          "columns"_a, "tolerance"_a = 1e-9,
          "All columns along a motion, integrated with error control.");

  py::class_<py_models>(m, "Models",
                        "Models that differ in their parameters, along the same motion.")
      .def(py::init<const std::string&, const std::string&, const py::dict&, const py::dict&>(),
           "key"_a, "curve"_a, "parameters"_a, "many"_a,
           "Models of the catalogue by name; many: arrays of one value per model.")
      .def(
          "__len__", [](const py_models& s) { return s.now().size(); }, "How many they are.")
      .def(
          "card", [](const py_models& s) { return card_of_model(s.now().like()); },
          "The card of the first.")
      .def_property_readonly("is_in_packs",
                             [](const py_models& s) { return s.now().is_in_packs(); })
      .def("sample", &py_models::sample, "t"_a, "inputs"_a, "resets"_a = true,
           "Outputs of each at each time; inputs in the order of the port, None where not given.")
      .def(
          "reset_to", [](py_models& s, const std::vector<double>& in) { s.now().reset(in); },
          "inputs"_a, "Back to rest at these inputs.")
      .def_property_readonly("inputs",
                             [](const py_models& s) {
                               return std::vector<double>(s.now().inputs().begin(),
                                                          s.now().inputs().end());
                             })
      .def(
          "state", [](const py_models& s, std::size_t model) { return s.now().state(model); },
          "model"_a, "The state of one of them.")
      .def(
          "set_state",
          [](py_models& s, std::size_t model, const std::vector<double>& state) {
            s.now().set_state(model, state);
          },
          "model"_a, "state"_a, "Sets the state of one of them.")
      .def(
          "memory", [](const py_models& s, std::size_t model) { return s.now().memory(model); },
          "model"_a, "All that one of them carries from one step to the next.")
      .def(
          "recall",
          [](py_models& s, std::size_t model, const std::vector<double>& memory) {
            s.now().recall(model, memory);
          },
          "model"_a, "memory"_a, "One of them continues from the state of another one.");

  m.def("run_text", &run_text, "text"_a, "name"_a = "scenario", "folder"_a = "",
        "settings"_a = settings{}, "progress"_a = py::none(),
        "Runs a scenario given as TOML text.");
  m.def("run_file", &run_file, "file"_a, "settings"_a = settings{}, "progress"_a = py::none(),
        "Runs a scenario file.");
  m.def("sweep_text", &sweep_text, "text"_a, "name"_a, "folder"_a, "points"_a, "measures"_a,
        "progress"_a = py::none(), "Measures of many variants of one scenario.");
  m.def("measure", &measure_run, "text"_a, "columns"_a, "events"_a, "A measure of columns.");
  m.def("experiments", &experiments, "Published experiments.");
  m.def(
      "experiments_folder", [] { return experiments_folder(); }, "Where they lie.");
  m.def("perform", &perform_experiment, "id"_a, "progress"_a = py::none(),
        "Runs an experiment and judges its claims.");
  m.def("loops", &loops_of, "u"_a, "y"_a, "noise"_a = -1.0, "Loops in a record.");
  m.def("impact", &impact_of, "model"_a, "speed"_a, "mass"_a = 1.0, "force"_a = 0.0,
        "An impact of a mass on a contact.");
  m.def("fit", &fit_of, "model"_a, "records"_a, "free"_a, "held"_a, "sensors"_a, "settle"_a,
        "hold_out"_a, "starts"_a, "seed"_a, "intervals"_a, "time_limit"_a,
        "progress"_a = py::none(), "Parameters of a model from records.");
  m.def("designed_laws", &designed_laws, "Laws of contact that can be designed.");
  m.def("design_contact", &design_of, "key"_a, "wishes"_a, "mass"_a, "under_weight"_a, "step"_a,
        "Parameters of a contact for wanted properties.");
  m.def("design_regularisation", &regularisation_of, "mass"_a, "load"_a, "friction_limit"_a,
        "step"_a, "penetration"_a, "creep"_a, "frequency"_a, "restitution"_a,
        "Parameters of a regularised contact and friction.");
  m.attr("default_deflection") = regularisation::default_deflection;
  m.attr("default_restitution") = regularisation::default_restitution;
  m.def("limit_surface", &limit_surface_of, "patch"_a, "folder"_a, "around"_a, "up"_a,
        "tolerance"_a, "a"_a, "progress"_a = py::none(),
        "Forces and torques that a contact patch can hold.");
  m.def("hysteresis", &hysteresis_of, "model"_a, "amplitude"_a, "offset"_a = 0.0, "omega"_a = 10.0,
        "loops"_a = 13, "progress"_a = py::none(), "Periodic loops and their limit.");
}
