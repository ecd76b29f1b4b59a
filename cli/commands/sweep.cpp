// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/batch/device.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/quantity.hpp>
#include <asperity/sweep/packs.hpp>
#include <asperity/sweep/statistics.hpp>
#include <asperity/sweep/table.hpp>
#include <asperity/sweep/work.hpp>
#include <asperity/text.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/commands.hpp"
#include "cli/device_option.hpp"
#include "cli/examples.hpp"
#include "cli/modules.hpp"

namespace asperity::cli {

namespace {

namespace fs = std::filesystem;

struct sweep_arguments {
  sweep_request wanted;
  std::string out, along = "none", plot = "auto", device = "cpu", precision = "double";
  std::vector<std::string> exports;
  int threads = 0;
  limit_arguments limits;
  bool quiet = false, as_json = false, fast = false;
};

// ---- progress -----------------------------------------------------------------------------------

std::string in_words(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// Points so far, how many per second and the time left: a bar on a terminal, else a line now and
// then, for logs.
class sweep_progress {
 public:
  sweep_progress(bool wanted, long long points)
      : wanted_(wanted), terminal_(isatty(STDERR_FILENO) != 0), points_(points) {}
  ~sweep_progress() {
    if (drawn_) say("\r\033[K");
  }
  sweep_progress(const sweep_progress&) = delete;
  sweep_progress& operator=(const sweep_progress&) = delete;

  void show(long long finished) {
    const double time = seconds();
    if (first_ < 0) first_ = finished;
    if (!wanted_ || time < (terminal_ ? 1 : 30) || time - last_ < (terminal_ ? 0.1 : 30)) return;
    last_ = time;
    const double rate = static_cast<double>(finished - first_) / time;
    const std::string left =
        rate > 0 ? in_words(static_cast<double>(points_ - finished) / rate) + " left" : "";
    const double share = static_cast<double>(finished) / static_cast<double>(points_);
    if (!terminal_) {
      say(fmt::format("asperity: {} of {} points, {:.4g} points/s, {}\n", finished, points_, rate,
                      left));
      return;
    }
    constexpr int width = 30;
    const int full = static_cast<int>(width * std::clamp(share, 0.0, 1.0));
    say(fmt::format("\r\033[K[{:#<{}}{:.<{}}] {} of {}  {:.4g} points/s  {}", "", full, "",
                    width - full, finished, points_, rate, left));
    drawn_ = true;
  }

 private:
  bool wanted_, terminal_, drawn_ = false;
  long long points_, first_ = -1;
  double last_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
};

// ---- MPI ----------------------------------------------------------------------------------------

// Whether a launcher of MPI started this process as one of several.
bool is_under_mpirun() {
  const auto number = [](const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? 0L : std::strtol(text, nullptr, 10);
  };
  return number("OMPI_COMM_WORLD_SIZE") > 0 || number("PMI_SIZE") > 0 ||
         std::getenv("PMIX_RANK") != nullptr || number("SLURM_STEP_NUM_TASKS") > 1;
}

// The module stays loaded until the end: MPI does not like to be unloaded.
std::unique_ptr<ranks> start_mpi() {
  std::error_code ignored;
  for (const auto& place : module_folders()) {
    const fs::path file = place / "asperity_mpi.so";
    if (!fs::exists(file, ignored)) continue;
    // Global: the modules of MPI itself look for its symbols.
    void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) throw error(fmt::format("MPI cannot be loaded: {}", dlerror()));
    void* entry = dlsym(module, start_ranks_name);
    if (entry == nullptr)
      throw error(fmt::format("'{}' is not the MPI module of asperity", file.string()));
    return std::unique_ptr<ranks>(reinterpret_cast<start_ranks>(entry)());
  }
  throw error(
      "this is one of several MPI processes, but asperity was built without MPI (libopenmpi-dev "
      "was not found): start it without MPI, or start several of them on one file of results");
}

// ---- GPU ----------------------------------------------------------------------------------------

// The device that was asked for, if it is not the processor.
class chosen_device {
 public:
  chosen_device(const sweep_arguments& given, const sweep_plan& plan, const ranks* others) {
    if (given.device == "cpu") {
      if (given.fast)
        throw error("--fast applies to a GPU only: add --device cuda, or leave out --fast");
      if (given.wanted.in_float)
        throw error(
            "--precision float applies to a GPU only: add --device cuda, or leave out --precision "
            "float");
      return;
    }
    try {
      kernels_ = open_lane_device(module_folders(),
                                  given.device == "kernels" ? kernels_on::threads : kernels_on::gpu,
                                  others != nullptr ? others->rank_here() : 0);
      device_ = {kernels_.get(), given.fast, given.wanted.in_float};
      std::string why;
      if (plan.along() != continuation::none) {
        why = "with --continue each run needs the previous one";
      } else if (pack_of(plan.base(), plan.measures(), {}, &why)) {
        why = why_not_on_device(device_, plan.base(), plan.measures());
      }
      if (!why.empty())
        throw error(fmt::format("device '{}': this sweep cannot run on it: {}; use --device cpu",
                                given.device, why));
      if (!given.quiet && !given.as_json)
        say(fmt::format("asperity: {}on {}\n",
                        others != nullptr ? fmt::format("rank {} ", others->rank()) : "",
                        kernels_->where()));
    } catch (const error& problem) {
      // A table in double would not be the one that was asked for.
      if (given.device != "auto" || given.wanted.in_float) throw;
      kernels_.reset();
      if (!given.quiet && !given.as_json)
        say(fmt::format("asperity: the processor is used, since {}\n", problem.what()));
    }
  }
  const pack_device* get() const { return kernels_ != nullptr ? &device_ : nullptr; }

 private:
  std::unique_ptr<lane_device> kernels_;
  pack_device device_;
};

// ---- results ------------------------------------------------------------------------------------

std::string shown(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

std::string with_unit(const std::string& name, unit in) {
  return is_plain(in) ? name : fmt::format("{} [{}]", name, to_string(in));
}

std::string summary(const sweep_table& table) {
  std::vector<std::vector<std::string>> rows;
  const bool is_drawn = !table.draws.empty();
  rows.push_back(
      is_drawn ? std::vector<std::string>{"measure", "mean", "deviation", "5 %", "median", "95 %",
                                          "points"}
               : std::vector<std::string>{"measure", "lowest", "at", "highest", "at", "points"});
  const auto place = [&](std::size_t row) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < table.axes.size(); ++i)
      if (table.axes[i].values.size() > 1)
        parts.push_back(fmt::format("{}={:.4g}", table.axes[i].name, table.parameters[i][row]));
    return fmt::format("{}", fmt::join(parts, " "));
  };
  for (const auto& its : statistics_of(table)) {
    const auto& measure = table.measures[its.measure];
    const std::string name = measure.is_list ? fmt::format("number of {}", measure.name)
                                             : with_unit(measure.name, measure.in);
    const auto value = [&](std::size_t row) { return shown(table.values[its.measure][row]); };
    const std::string count = fmt::format("{}", its.points);
    if (its.points == 0)
      rows.push_back({name, "no run gives a value"});
    else if (is_drawn)
      rows.push_back({name, shown(its.mean), shown(its.deviation), shown(its.low),
                      shown(its.median), shown(its.high), count});
    else
      rows.push_back({name, value(its.lowest), place(its.lowest), value(its.highest),
                      place(its.highest), count});
  }
  std::string text = lined_up(rows);
  for (const auto& its : find_attractors(table)) {
    rows = {{table.measures[its.measure].name, "", "from", "to", "period [s]", "share"}};
    for (std::size_t k = 0; k < its.found.size(); ++k) {
      const auto& each = its.found[k];
      rows.push_back({fmt::format("{}", k + 1),
                      each.what == attractors::kind::rest       ? "steady"
                      : each.what == attractors::kind::periodic ? "periodic"
                                                                : "no period",
                      shown(each.lowest), shown(each.highest), shown(each.period),
                      fmt::format("{:.1f} %", 100.0 * static_cast<double>(each.points) /
                                                  static_cast<double>(table.point.size()))});
    }
    text += lined_up(rows);
  }
  return text;
}

// Exports, plots and summarises. Returns the exit code.
int write_results(const sweep_arguments& given, const std::string& file) {
  const sweep_table table = read_sweep(file);
  std::vector<std::string> written{file};
  for (const auto& each : given.exports) {
    export_sweep(table, each, &interrupted());
    written.push_back(each);
  }
  if (given.plot != "none" && !table.point.empty()) {
    const plot_format format = given.plot == "svg"   ? plot_format::svg
                               : given.plot == "png" ? plot_format::png
                                                     : fitting_format(table);
    const std::string picture =
        fs::path(file).replace_extension(format == plot_format::svg ? ".svg" : ".png").string();
    const std::string problem = draw_sweep(table, format, picture, &interrupted());
    if (problem.empty()) {
      written.push_back(picture);
    } else {
      warn(problem);
    }
  }
  const auto [failed, example] = failures_of(table);
  const auto [doubtful, doubt] = doubts_of(table);
  if (given.as_json) {
    print(json_text(nlohmann::ordered_json{{"title", table.title},
                                           {"points", table.points},
                                           {"finished", table.point.size()},
                                           {"failed", failed},
                                           {"doubtful", doubtful},
                                           {"files", written}}));
  } else if (!given.quiet) {
    print(fmt::format("{}: {} of {} points\n", in_one_line(table.title), table.point.size(),
                      table.points));
    if (!table.point.empty()) print(summary(table));
    for (const auto& each : written) print(each + "\n");
  }
  if (doubtful > 0)
    warn(fmt::format("{} of {} points may be wrong, the first is point {}: {}", doubtful,
                     table.point.size(), table.point[doubt], table.detail[doubt]));
  if (failed == 0) return success;
  complain(fmt::format("{} of {} points failed, the first is point {}: {}{}{}", failed,
                       table.point.size(), table.point[example], table.outcome[example],
                       table.detail[example].empty() ? "" : ": ", table.detail[example]));
  return numerical_failure;
}

// ---- the command --------------------------------------------------------------------------------

int compute(const sweep_arguments& given, ranks* others) {
  const bool is_first = others == nullptr || others->rank() == 0;
  // Every rank reads the scenario; where one cannot, all of them end.
  std::unique_ptr<sweep_plan> plan;
  std::unique_ptr<chosen_device> device;
  std::unique_ptr<sweep_store> store;
  std::string file = given.out, problem;
  try {
    plan = std::make_unique<sweep_plan>(given.wanted);
    for (const auto& each : given.exports) check_export(each);
    device = std::make_unique<chosen_device>(given, *plan, others);
    if (file.empty()) file = default_output(plan->base().name + ".sweep.sqlite");
    if (is_first) {
      (void)interrupted();  // from here on there is a file to be closed properly
      for (const auto& message : plan->base().warnings) warn(message);
      if (given.wanted.chunk == 0 && !fs::exists(file))
        plan->set_chunk_size(fitting_chunk(*plan, device->get()));
      store = std::make_unique<sweep_store>(file, *plan);
    }
  } catch (const error& what) {
    problem = what.what();
  }
  if (others == nullptr && !problem.empty()) throw error(problem);
  if (others != nullptr) {
    const bool first_is_fine = others->all(!is_first || problem.empty());
    if (!others->all(problem.empty())) {
      if (is_first && !first_is_fine) complain(problem);
      if (first_is_fine && !problem.empty())
        complain(fmt::format("rank {}: {}", others->rank(), problem));
      return bad_input;
    }
  }

  work_options options;
  options.interrupt = &interrupted();
  options.device = device->get();
  // Under MPI there is a rank for each core, unless told otherwise.
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.threads = given.threads > 0 ? given.threads : others != nullptr ? 1 : cores;
  if (!is_first) {
    serve_sweep(*plan, options, *others);
    return success;
  }
  bool is_complete = false;
  {
    sweep_progress bar(!given.quiet && !given.as_json, plan->points());
    options.progress = [&](long long finished) { bar.show(finished); };
    is_complete = run_sweep(*plan, *store, options, others);
  }
  const long long finished = store->finished_points();
  store.reset();
  if (!is_complete) {
    complain(fmt::format(
        "interrupted: {} of {} points are in {}; run the same command again to continue", finished,
        plan->points(), file));
    return was_interrupted;
  }
  return write_results(given, file);
}

int sweep(const sweep_arguments& given) {
  if (given.wanted.file.empty()) throw error("SCENARIO is missing (see asperity sweep --help)");
  const auto& wanted = given.wanted;
  if (is_sweep_file(wanted.file)) {
    if (!wanted.axes.empty() || !wanted.draws.empty() || !wanted.measures.empty() ||
        !wanted.settings.empty() || !given.out.empty() || given.device != "cpu" || given.fast ||
        wanted.in_float)
      throw error(fmt::format(
          "'{}' is a file of results: only --export and --plot can be used with it", wanted.file));
    for (const auto& each : given.exports) check_export(each);
    return write_results(given, wanted.file);
  }
  if (!is_under_mpirun()) return compute(given, nullptr);
  const auto others = start_mpi();
  try {
    return compute(given, others.get());
  } catch (const error& problem) {
    // Rank 0 has stopped the others before.
    complain(problem.what());
    if (others->rank() != 0) others->abandon(bad_input);
    return bad_input;
  } catch (const std::exception& problem) {
    complain(told_plainly(problem));
    others->abandon(bad_input);
    return bad_input;
  }
}

}  // namespace

void add_sweep(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "sweep", "Run a scenario over grids or samples of parameters; durable, parallel");
  const auto given = std::make_shared<sweep_arguments>();
  auto& wanted = given->wanted;
  command->add_option("SCENARIO", wanted.file,
                      "Scenario file in TOML, or the name of an example; or a file of results, to "
                      "export or plot");
  add_repeated(
      *command, "--over KEY=VALUES", wanted.axes,
      "Vary a parameter over lin(FROM, TO, COUNT), log(FROM, TO, COUNT) or a list of values; "
      "may be repeated, the last one varies fastest");
  add_repeated(*command, "--sample KEY=DISTRIBUTION", wanted.draws,
               "Draw a parameter at random from normal(MEAN, DEVIATION), uniform(FROM, TO) or "
               "lognormal(MEDIAN, DEVIATION); may be repeated");
  add_option(*command, "--samples N", wanted.samples, "Number of samples to draw, with --sample")
      ->check(CLI::Range(1LL, 1000000000LL));
  command->add_option("--seed", wanted.seed, "Seed of the random numbers")->capture_default_str();
  add_repeated(*command, "--measure MEASURES", wanted.measures,
               "Measures, separated by commas: amplitude(x), stick_slip_period ...");
  add_option(*command, "--continue up|down|both", given->along,
             "Start each run from the final state of the previous one, along the last --over")
      ->check(CLI::IsMember({"up", "down", "both"}));
  add_settings(*command, wanted.settings,
               "Change a value of the file, such as friction.F_s=2; may be repeated");
  add_option(*command, "--out FILE", given->out,
             "SQLite file for the results; an existing sweep is resumed (default: "
             "NAME.sweep.sqlite in the current folder)");
  add_repeated(*command, "--export FILE", given->exports,
               "Also write the table as .csv or .h5; may be repeated");
  command->add_option("--plot", given->plot, "Format of the plot, written beside the results")
      ->check(CLI::IsMember({"auto", "svg", "png", "none"}))
      ->capture_default_str();
  command
      ->add_option("--threads", given->threads,
                   "Number of threads (default: one per core, or one under MPI)")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--chunk", wanted.chunk,
                   "Number of points computed and stored together (default: about 0.25 s of work)")
      ->check(CLI::Range(1, 1000000));
  add_device(
      *command, given->device,
      "Where points of fixed step are computed: on the processor (default), on an NVIDIA GPU, or "
      "automatically on a GPU if one is available and the sweep allows it; see docs/gpu.md");
  command->add_flag("--fast", given->fast,
                    "On a GPU, multiply by reciprocals instead of dividing: kernels are 1.5 to 2.7 "
                    "times as fast, with relative differences of 1e-15 to 5e-13 in the results");
  add_option(*command, "--precision double|float", given->precision,
             "Number type on a GPU: float is accurate to 1e-5 to 1e-3; docs/gpu.md lists the "
             "errors of each law")
      ->check(CLI::IsMember({"double", "float"}));
  add_limit_options(*command, given->limits);
  command->add_flag("--json", given->as_json, "Print JSON for programs");
  command->add_flag("--quiet", given->quiet, "Print nothing unless something is wrong");
  command->footer(
      R"text(Results go to one SQLite file, chunk by chunk. You can stop a sweep at any time: the
same command resumes it and gives the same table, for any number of threads, processes and ranks.
docs/sweeps.md has worked examples.

Examples:
  asperity sweep examples/stick_slip.toml --over "speed=log(0.01, 1, 40)" --over "stiffness=log(0.5, 50, 40)" \
      --measure stick_slip_period,stick_fraction --set friction.sigma_0=1e4
  asperity sweep examples/stick_slip.toml --sample "mass=normal(1, 0.1)" --samples 1000 --measure "amplitude(v)" \
      --out masses.sweep.sqlite
  asperity sweep examples/bouncing_ball.toml --over "contact.alpha=lin(1e-3, 9e-3, 30)" \
      --over "initial.x=log(0.01, 10, 30)" --measure restitution
  asperity sweep stick_slip.sweep.sqlite --export table.csv --export table.h5
  mpirun -n 4 asperity sweep ...)text");
  command->callback([=, &run] {
    add_limits(given->limits, given->wanted.settings);
    given->wanted.along = given->along == "up"     ? continuation::up
                          : given->along == "down" ? continuation::down
                          : given->along == "both" ? continuation::both
                                                   : continuation::none;
    given->wanted.in_float = given->precision == "float";
    run = [=] {
      given->wanted.file = scenario_file(given->wanted.file);
      return sweep(*given);
    };
  });
}

}  // namespace asperity::cli
