// SPDX-License-Identifier: Apache-2.0
#include "web/core/evaluations.hpp"

#include <fmt/format.h>

#include <asperity/catalogue/catalogue.hpp>
#include <cstdint>
#include <iterator>
#include <vector>

namespace asperity::web {

namespace {

// Numbers in [0, 1) that are the same bits everywhere.
class sequence {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1;
};

void add_line(std::string& to, const std::string& name, const char* call, int number,
              const std::vector<double>& values) {
  fmt::format_to(std::back_inserter(to), "{} {} {} {:.17g}\n", name, call, number,
                 fmt::join(values, " "));
}

void evaluate_one(const catalogue_entry& entry, const std::string& curve, std::string& to) {
  constexpr int instants = 60;
  constexpr double h = 1e-5;
  any_model model(entry, curve);
  model.build();
  const std::string name = curve.empty() ? entry.key : entry.key + "/" + curve;
  const port& at = model.at();
  sequence next;
  std::vector<double> in(at.inputs.size()), before, out(at.outputs.size());
  std::vector<double> state(static_cast<std::size_t>(model.states()) + 1), rate(state.size());
  std::vector<double> advanced = state;
  const auto draw = [&](int i) {
    // Slow and fast, to and fro; a gap that opens and closes.
    const double size = i % 3 == 0 ? 1e-4 : i % 3 == 1 ? 1e-2 : 0.3;
    for (std::size_t k = 0; k < in.size(); ++k) {
      const double x = 2 * next() - 1;
      in[k] = at.inputs[k].is == channel::load   ? 1 + 0.5 * x
              : at.inputs[k].is == channel::rate ? size * x
                                                 : 1e-4 * x;
    }
  };
  draw(0);
  model.initial(in.data(), state.data());
  advanced = state;
  for (int i = 1; i <= instants; ++i) {
    before = in;
    draw(i);
    if (model.is_ode()) {
      model.respond(in.data(), state.data(), out.data(), rate.data());
      std::vector<double> values = out;
      values.insert(values.end(), rate.begin(), rate.end() - 1);
      add_line(to, name, "respond", i, values);
      for (std::size_t k = 0; k + 1 < state.size(); ++k) state[k] += h * rate[k];
    }
    if (at.is_line()) {
      const auto drive_of = [](const std::vector<double>& from) {
        return drive<double>{from[0], from[1], from.size() > 2 ? from[2] : 1.0};
      };
      const double f = model.advance(advanced.data(), drive_of(before), drive_of(in), h);
      std::vector<double> values{f};
      values.insert(values.end(), advanced.begin(), advanced.end() - 1);
      add_line(to, name, "advance", i, values);
    }
  }
}

}  // namespace

std::string evaluations() {
  std::string text;
  for (const catalogue_entry* entry : catalogue())
    for (const auto& variant : entry->variants) evaluate_one(*entry, variant.curve, text);
  return text;
}

}  // namespace asperity::web
