// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/slip_map.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/planar_system.hpp>

namespace asperity {

namespace {

constexpr const char* looked = "look";

std::vector<double> times_in(double duration, const slip_map_options& options) {
  std::vector<double> times = options.times;
  if (times.empty())
    for (int i = 1; i <= options.count; ++i) times.push_back(duration * i / (options.count + 1.0));
  for (const double t : times)
    if (!(t > 0 && t < duration))
      throw error(
          fmt::format("time {} s: it must lie between 0 and the duration, {} s", t, duration));
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

slip_map find_slip_map(const scenario& given, const slip_map_options& options) {
  const auto* planar = dynamic_cast<const planar_contact_system*>(given.system.get());
  if (planar == nullptr || planar->cells() == nullptr)
    throw error(fmt::format("{}: slip maps need a planar system with friction model patch_dai",
                            given.name));
  const std::vector<double> times = times_in(given.duration, options);
  // Each time is an event, which keeps the whole state.
  scenario s = given;
  s.events = false;
  simulate_options how{options.interrupt, options.progress};
  for (const double at : times)
    how.events.push_back(
        {looked, [at](double t, const double*) { return t - at; }, event::direction::rising});
  const run_data data = simulate(s, how);

  const patch_dai& law = *planar->cells();
  slip_map result;
  result.cell_width = law.cell_width();
  result.cell_height = law.cell_height();
  result.wanted = times.size();
  result.result = data.result;
  result.hint = data.hint;
  for (int i = 0; i < law.cells(); ++i) {
    result.x.push_back(law.x()[i]);
    result.y.push_back(law.y()[i]);
  }
  const auto work = planar->new_workspace();
  work->setting = s;
  for (const auto& each : data.events) {
    if (each.name != looked) continue;
    slip_picture picture;
    picture.t = each.t;
    picture.share_of_limit = planar->utilisation(each.t, each.state.data(), *work);
    for (int i = 0; i < law.cells(); ++i)
      if (picture.share_of_limit[static_cast<std::size_t>(i)] > 1)
        picture.slipping += law.share()[i];
    result.pictures.push_back(std::move(picture));
  }
  return result;
}

figure figure_of(const slip_map& map, const std::string& title) {
  figure result{title, "share of its friction limit that each cell uses; red cells slip"};
  result.is_mosaic = true;
  for (const auto& picture : map.pictures) {
    figure_panel panel{
        fmt::format("t = {:.4g} s, {:.0f} % of the load slips", picture.t, 100 * picture.slipping),
        {"x", units::metre},
        {"y", units::metre}};
    panel.map.as = figure_map::palette::limit;
    panel.equal_scales = true;
    for (std::size_t i = 0; i < map.x.size(); ++i) {
      // A little wider than they are, so that no background shines through.
      const double half_width = 0.505 * map.cell_width, half_height = 0.505 * map.cell_height;
      panel.map.x_low.push_back(map.x[i] - half_width);
      panel.map.x_high.push_back(map.x[i] + half_width);
      panel.map.y_low.push_back(map.y[i] - half_height);
      panel.map.y_high.push_back(map.y[i] + half_height);
      // What is at its limit but does not slip keeps the colour of what sticks.
      const double share = picture.share_of_limit[i];
      panel.map.value.push_back(share >= 1 ? 1.0 : 0.998 * share);
    }
    result.panels.push_back(std::move(panel));
  }
  return result;
}

}  // namespace asperity
