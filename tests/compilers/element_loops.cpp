// SPDX-License-Identifier: Apache-2.0
// The loops over elements, compiled alone so that the compiler can be asked what it made of them.

#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/gms.hpp>
#include <asperity/models/friction/gms_smoothed.hpp>
#include <asperity/models/friction/leuven_modified.hpp>
#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/models/friction/multiplay.hpp>

namespace asperity {

// One function per model: its force and rates, or its advance where it has no rates.
template <class Model>
double run(const Model& model, vec<double, Model::states>& state, const drive<double>& from,
           const drive<double>& to, double h) {
  if constexpr (requires { model(state, to); }) {
    const auto answer = model(state, to);
    state = answer.rate;
    return answer.f;
  } else {
    return model.advance(state, from, to, h);
  }
}

template <class Model>
using runner = double (*)(const Model&, vec<double, Model::states>&, const drive<double>&,
                          const drive<double>&, double);

extern const runner<dai_multistate<double>> a = run;
extern const runner<gms<double>> b = run;
extern const runner<gms_smoothed<double>> c = run;
extern const runner<leuven_modified<double>> d = run;
extern const runner<maxwell_slip<double>> e = run;
extern const runner<multiplay<double>> f = run;

}  // namespace asperity
