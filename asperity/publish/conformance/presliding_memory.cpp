// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/conformance_tools.hpp>
#include <asperity/run/stepped_model.hpp>
#include <cmath>

namespace asperity::detail {

namespace {

class presliding final : public conformance_test {
 public:
  explicit presliding(reader& in)
      : speed_(in.number("speed", units::metre / units::second, positive)),
        furthest_(in.number("furthest", units::metre, positive)),
        path_(in.numbers("path", units::one, any_value)),
        steps_(static_cast<int>(in.integer("steps", whole(10, 100'000), 400))) {
    if (path_.size() < 4) in.fail("path", "it must have at least 4 turning points");
  }

  std::string why_not(const any_model& model) const override {
    if (auto why = why_no_friction_limit(model); !why.empty()) return why;
    if (!std::isfinite(presliding_way(model, speed_, furthest_)))
      return "no presliding: friction does not grow with the displacement";
    return {};
  }

  conformance_outcome run(const any_model& model, const std::atomic<bool>*) const override {
    const double way = presliding_way(model, speed_, furthest_), limit = friction_limit(model);
    conformance_outcome found;
    // Along the path with its minor loop; the force at each turning point.
    const std::vector<double> turned = along(model, path_, way, limit, &found);
    // The first of two equal turning points opens the loop, the second closes it.
    const std::size_t last = path_.size() - 1;
    double closure = -1;
    for (std::size_t i = 0; i < last; ++i)
      for (std::size_t k = i + 1; k < last; ++k)
        if (path_[i] == path_[k]) closure = std::max(closure, std::abs(turned[k] - turned[i]));
    if (closure < 0) throw error("the path closes no loop: a turning point must occur twice");
    // And without it.
    const double direct = along(model, {path_[last]}, way, limit, nullptr).back();
    found.values = {closure, std::abs(turned[last] - direct)};
    return found;
  }

 private:
  double speed_, furthest_;
  std::vector<double> path_;  // turning points, in presliding ways
  int steps_;                 // from one to the next

  std::vector<double> along(const any_model& model, const std::vector<double>& path, double way,
                            double limit, conformance_outcome* curve) const {
    stepped_model law(model);
    std::vector<double> turned;
    double x = 0;
    for (const double point : path) {
      const double distance = point * way - x, v = std::copysign(speed_, distance);
      for (int i = 1; i <= steps_; ++i) {
        const double in[] = {x + distance * i / steps_, v, 1};
        if (law.step(in, distance / v / steps_) != outcome::completed)
          throw error("the law cannot be integrated along the path");
        if (curve == nullptr) continue;
        curve->x.push_back(in[0] / way);
        curve->y.push_back(law.outputs()[0] / limit);
      }
      x = point * way;
      turned.push_back(law.outputs()[0] / limit);
    }
    return turned;
  }
};

}  // namespace

extern const conformance_row presliding_memory{
    .name = "presliding_memory",
    .at = &ports::drive,
    .measures = {"closure", "wiping_out"},
    .x = {"displacement in presliding ways"},
    .y = {"friction over the limit"},
    .read = [](reader& in) -> std::unique_ptr<conformance_test> {
      return std::make_unique<presliding>(in);
    }};

}  // namespace asperity::detail
