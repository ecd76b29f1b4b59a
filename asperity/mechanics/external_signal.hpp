// SPDX-License-Identifier: Apache-2.0
#pragma once

// An input whose value somebody else gives while a run goes on: { kind = "external", start = 0 } in a
// scenario. The importer of an FMU does so (asperity/fmi); in a run it keeps its start.

#include <asperity/mechanics/signal.hpp>
#include <memory>
#include <vector>

namespace asperity {

struct external_value final : signal::form {
  double now = 0;
  double rate = 0;                      // what slope() answers: a direction to differentiate in
  mutable bool is_slope_asked = false;  // a system may need more of an input than its value

  double value(double) const override { return now; }
  double slope(double) const override {
    is_slope_asked = true;
    return rate;
  }
  double fastest() const override { return 0; }
};

// While it lives, the inputs of that kind that this thread reads. A system copies its signals, and
// all copies have the value that stands here.
class external_inputs {
 public:
  external_inputs();
  ~external_inputs();
  external_inputs(const external_inputs&) = delete;
  external_inputs& operator=(const external_inputs&) = delete;

  std::vector<std::shared_ptr<external_value>> found;

 private:
  external_inputs* before_;
};

}  // namespace asperity
