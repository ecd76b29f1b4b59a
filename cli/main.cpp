// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/scenario/output.hpp>
#include <csignal>

#include "commands.hpp"

namespace asperity::cli {

namespace {
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void request_stop(int) { stop_requested = true; }

void listen_for_interrupts() {
  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // the second one ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}
}  // namespace

const std::atomic<bool>& interrupted() { return stop_requested; }

}  // namespace asperity::cli

int main(int count, char** arguments) {
  using namespace asperity::cli;

  CLI::App app{"Friction, contact and hysteresis: models, simulations, published experiments"};
  app.name("asperity");
  app.set_version_flag("--version", fmt::format("asperity {}", asperity::version()));
  app.footer(R"(Examples:
  asperity models                              what there is
  asperity show lugre                          its equations, parameters and sources
  asperity run examples/stick_slip.toml        writes stick_slip.run with series and plot
  asperity run examples/stick_slip.toml --set friction.F_s=2 --set "system.mass=2 kg"
  asperity eval lugre --input motion.csv       the force along a motion of your own
  asperity equilibria dahl --stiffness "1 N/m" --from -3 --to 3   where a mass on a spring can rest
  asperity inclusion examples/inclusions/two_bodies.toml --show   your own system: its ODE and constants
  asperity inclusion examples/inclusions/two_bodies.toml --emit c --main --out two_bodies.c
  asperity restitution --all --speed "1, 2, 5"   contact models in impacts
  asperity hysteresis dahl                     its hysteresis map: rate dependent, memory ...
  asperity loops data.csv --x x --y f          loops in a record, measured or simulated
  asperity invert play --wanted y.csv          the input that gives a wanted output
  asperity sweep examples/stick_slip.toml --over speed=log(0.01,1,20) --measure stick_slip_period
  asperity reproduce --out report              published figures, run again and judged

Exit codes: 0 fine, 1 numerical failure, 2 bad input, 130 interrupted.)");

  action chosen;
  add_models(app, chosen);
  add_show(app, chosen);
  add_run(app, chosen);
  add_eval(app, chosen);
  add_equilibria(app, chosen);
  add_inclusion(app, chosen);
  add_restitution(app, chosen);
  add_hysteresis(app, chosen);
  add_loops(app, chosen);
  add_invert(app, chosen);
  add_limit_surface(app, chosen);
  add_slip_map(app, chosen);
  add_sweep(app, chosen);
  add_experiments(app, chosen);
  add_reproduce(app, chosen);
  app.require_subcommand(0, 1);

  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem);  // --help, --version
    const std::string what = problem.what();
    complain(fmt::format("{} (asperity --help shows how)", what.substr(0, what.find('\n'))));
    return bad_input;
  }
  if (!chosen) {
    fmt::print("{}", app.help());
    return count > 1 ? bad_input : success;
  }
  listen_for_interrupts();
  // A limit on file sizes is an error of writing, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return chosen();
  } catch (const asperity::error& problem) {
    complain(problem.what());
    return bad_input;
  } catch (const std::exception& problem) {
    complain(fmt::format("unexpected: {}", problem.what()));
    return bad_input;
  }
}
