// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls every member of every model in one number type. Compiled by each compiler that users may
// bring, for host and device.

#include <asperity/generated/all_models.hpp>
#include <asperity/nonsmooth/inclusion.hpp>
#include <asperity/scalar/dual.hpp>

namespace asperity::compilers {

ASPERITY_FN double plain(double x) { return x; }
ASPERITY_FN double plain(float x) { return static_cast<double>(x); }
template <class S, int N>
ASPERITY_FN double plain(const dual<S, N>& x) {
  return plain(x.value) + plain(x.derivative[0]);
}
template <class Pack>
requires requires { typename Pack::value_type; }
ASPERITY_FN double plain(const Pack& x) { return plain(x[0]); }

// One number that depends on all that the model answers.
template <class S, class Model>
ASPERITY_FN double digest_of(const Model& model, double x, double v) {
  vec<S, Model::states> state{};
  if constexpr (requires { model.initial(); }) state = model.initial();
  const drive<S> in{lit<S>(x), lit<S>(v), lit<S>(0.9)};
  double sum = 0.0;
  if constexpr (requires { model(state, in); }) {
    const auto out = model(state, in);
    sum += plain(out.f);
    for (int i = 0; i < Model::states; ++i) sum += plain(out.rate[i]);
  }
  if constexpr (requires { model.advance(state, in, in, in.v); }) {
    const S h = lit<S>(1e-3);
    const drive<S> next{in.x + h * in.v, in.v, in.load};
    sum += plain(model.advance(state, in, next, h));
    for (int i = 0; i < Model::states; ++i) sum += plain(state[i]);
  }
  if constexpr (requires { model.stored_energy(state, in); })
    sum += plain(model.stored_energy(state, in));
  if constexpr (requires { model.lost(state, in, model(state, in)); }) {
    const auto lost = model.lost(state, in, model(state, in));
    sum += plain(lost.dissipated) + plain(lost.unbalanced);
  }
  if constexpr (requires { model.force_bound(in); }) sum += plain(model.force_bound(in));
  if constexpr (requires { model.slip_margin(state, in); })
    sum += plain(model.slip_margin(state, in));
  if constexpr (requires { model.react(state, in.load, in.v); }) {
    const S h = lit<S>(1e-3), mobility = lit<S>(1e-2);
    const S f = model.react(state, in.load, h).solve(in.v, mobility);
    const auto settled = model.settle(state, f, h);
    sum += plain(f);
    for (int i = 0; i < Model::states; ++i) sum += plain(settled[i]);
  }
  const free_step<S> body{in.v, in.v, lit<S>(1e-2)};
  if constexpr (requires { model.implicit_step(state, in.load, in.v, body); }) {
    const auto end = model.implicit_step(state, in.load, lit<S>(1e-3), body);
    sum += plain(end.f) + plain(end.u);
    for (int i = 0; i < Model::states; ++i) sum += plain(end.state[i]);
  }
  return sum;
}

// Some models are for plain numbers only.
template <class S, class Tag>
ASPERITY_FN double digest(double x, double v) {
  if constexpr (requires { typename Tag::template type<S>; })
    return digest_of<S>(typename Tag::template type<S>{}, x, v);
  else
    return 0.0;
}

template <class S>
ASPERITY_FN double nonsmooth_digest(double x, double v) {
  const vec<S, 3> point{{lit<S>(x), lit<S>(v), lit<S>(0.3)}};
  const auto on_ball = sat(lit<S>(0.5), point);
  const auto on_ellipsoid = ellipsoid<S, 3>{{{lit<S>(0.1), lit<S>(0.2), lit<S>(0.3)}}}.prox(point);
  const auto on_cone = friction_cone<S, 3>{lit<S>(0.5)}.prox(point);
  return plain(dot(on_ball, on_ellipsoid) + norm(on_cone) + dio_resolvent(point[0]));
}

template <class List>
struct every;

template <class... Tags>
struct every<model_list<Tags...>> {
  static constexpr int count = sizeof...(Tags) + 1;

  static constexpr const char* key(int index) {
    constexpr const char* keys[] = {Tags::key..., "nonsmooth"};
    return keys[index];
  }

  // One number per model, and one for the projections.
  template <class S>
  static ASPERITY_FN void evaluate(double x, double v, double* out) {
    int index = 0;
    ((out[index++] = digest<S, Tags>(x, v)), ...);
    out[index] = nonsmooth_digest<S>(x, v);
  }
};

using every_model = every<generated::all_models>;

}  // namespace asperity::compilers
