// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/planar/patch_dai.hpp>
#include <asperity/planar/patch_kernels.hpp>
#include <cmath>

namespace asperity {

namespace {

// Arms, deflections and levels of one evaluation. Kept between calls, so that steps allocate
// nothing.
struct workspace {
  std::vector<double> values;
  double *r_x = nullptr, *r_y = nullptr, *a_x = nullptr, *a_y = nullptr, *level = nullptr;

  void reserve(int stride) {
    const auto n = static_cast<std::size_t>(stride);
    if (values.size() < 5 * n) values.resize(5 * n);
    double* at = values.data();
    for (double** each : {&r_x, &r_y, &a_x, &a_y, &level}) {
      *each = at;
      at += n;
    }
  }
};

workspace& own_workspace(int stride) {
  thread_local workspace work;
  work.reserve(stride);
  return work;
}

using matrix = double[3][3];

vec<double, 3> apply(const vec<double, 3> (&rows)[3], const vec<double, 3>& u) {
  return {{dot(rows[0], u), dot(rows[1], u), dot(rows[2], u)}};
}
vec<double, 3> apply_transposed(const vec<double, 3> (&rows)[3], const vec<double, 3>& f) {
  return f[0] * rows[0] + f[1] * rows[1] + f[2] * rows[2];
}

// A x = b for a symmetric positive definite A, by Cholesky's factors.
vec<double, 3> solve(const matrix& A, const vec<double, 3>& b) {
  const double l00 = std::sqrt(A[0][0]), l10 = A[1][0] / l00, l20 = A[2][0] / l00;
  const double l11 = std::sqrt(A[1][1] - l10 * l10), l21 = (A[2][1] - l20 * l10) / l11;
  const double l22 = std::sqrt(A[2][2] - l20 * l20 - l21 * l21);
  const double y0 = b[0] / l00, y1 = (b[1] - l10 * y0) / l11,
               y2 = (b[2] - l20 * y0 - l21 * y1) / l22;
  const double x2 = y2 / l22, x1 = (y1 - l21 * x2) / l11;
  return {{(y0 - l10 * x1 - l20 * x2) / l00, x1, x2}};
}

}  // namespace

patch_dai::patch_dai(const contact_patch& patch, int cells_along, const parameters& with)
    : with_(with) {
  auto cells = patch.cells(cells_along);
  cells_ = static_cast<int>(cells.share.size());
  stride_ = kernels::padded(cells_);
  cell_width_ = cells.width;
  cell_height_ = cells.height;
  for (auto* each : {&cells.x, &cells.y, &cells.share})
    each->resize(static_cast<std::size_t>(stride_), 0.0);
  x_ = std::move(cells.x);
  y_ = std::move(cells.y);
  share_ = std::move(cells.share);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    centre_.x += share_[i] * x_[i];
    centre_.y += share_[i] * y_[i];
    square_ += share_[i] * (x_[i] * x_[i] + y_[i] * y_[i]);
  }
  gyration_ = std::sqrt(square_);
  const validity check = with_.g.valid();
  if (check.verdict == validity::refused) throw error(check.why);
}

void patch_dai::initial(const vec<double, 3>& place, double* states) const {
  const double c = std::cos(place[2]), s = std::sin(place[2]);
  for (int i = 0; i < stride_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    states[i] = place[0] + (c * x_[k] - s * y_[k]);
    states[stride_ + i] = place[1] + (s * x_[k] + c * y_[k]);
    if (with_.tau_d > 0) states[2 * stride_ + i] = with_.g.level(0.0);
  }
}

wrench<double> patch_dai::viscous(double theta, const twist<double>& t) const {
  const double c = std::cos(theta), s = std::sin(theta);
  const double x = c * centre_.x - s * centre_.y, y = s * centre_.x + c * centre_.y;
  const double sigma_2 = with_.g.sigma_2;
  return {{sigma_2 * (t[0] - t[2] * y), sigma_2 * (t[1] + t[2] * x),
           sigma_2 * (x * t[1] - y * t[0] + t[2] * square_)}};
}

wrench<double> patch_dai::respond(const vec<double, 3>& place, const double* states,
                                  const twist<double>& t, double load, double* rate) const {
  double slipping = 0;
  return evaluate(place, states, t, load, rate, slipping);
}

double patch_dai::slipping(const vec<double, 3>& place, const double* states,
                           const twist<double>& t, double load) const {
  double share = 0;
  evaluate(place, states, t, load, nullptr, share);
  return share;
}

wrench<double> patch_dai::evaluate(const vec<double, 3>& place, const double* states,
                                   const twist<double>& t, double load, double* rate,
                                   double& slipping) const {
  workspace& work = own_workspace(stride_);
  const bool lagging = with_.tau_d > 0;
  kernels::dai_place(stride_, x(), y(), states, states + stride_, place[0], place[1], place[2],
                     work.r_x, work.r_y, work.a_x, work.a_y);
  kernels::dai_levels(stride_, work.r_x, work.r_y, with_.g, lagging ? 1.0 : load, t, 0, false,
                      nullptr, work.level);
  if (lagging) {
    const double* gamma = states + 2 * stride_;
    for (int i = 0; i < stride_; ++i) {
      if (rate != nullptr) rate[2 * stride_ + i] = (work.level[i] - gamma[i]) / with_.tau_d;
      work.level[i] = load * gamma[i];
    }
  }
  const kernels::dai_cells cells{stride_,    work.r_x, work.r_y,
                                 share(),    work.a_x, work.a_y,
                                 work.level, with_.K,  with_.K * with_.beta};
  const auto sums = kernels::dai(cells, t);
  slipping = sums.slipping;
  if (rate != nullptr) {
    std::fill_n(rate, 2 * stride_, 0.0);
    kernels::dai_move_anchors(cells, t, 1, with_.beta, rate, rate + stride_);
  }
  return wrench<double>{{sums.f[0], sums.f[1], sums.f[2]}} + viscous(place[2], t);
}

void patch_dai::utilisation(const vec<double, 3>& place, const double* states,
                            const twist<double>& t, double load, double* out) const {
  workspace& work = own_workspace(stride_);
  kernels::dai_place(stride_, x(), y(), states, states + stride_, place[0], place[1], place[2],
                     work.r_x, work.r_y, work.a_x, work.a_y);
  for (int i = 0; i < cells_; ++i) {
    const auto v = velocity_at<double>(t, work.r_x[i], work.r_y[i]);
    const double gamma =
        with_.tau_d > 0 ? states[2 * stride_ + i] : with_.g.level(std::hypot(v[0], v[1]));
    out[i] = with_.K *
             std::hypot(work.a_x[i] + with_.beta * v[0], work.a_y[i] + with_.beta * v[1]) /
             (gamma * load);
  }
}

double patch_dai::stored_energy(const vec<double, 3>& place, const double* states) const {
  workspace& work = own_workspace(stride_);
  kernels::dai_place(stride_, x(), y(), states, states + stride_, place[0], place[1], place[2],
                     work.r_x, work.r_y, work.a_x, work.a_y);
  double sum = 0;
  for (int i = 0; i < cells_; ++i)
    sum += share_[static_cast<std::size_t>(i)] *
           (work.a_x[i] * work.a_x[i] + work.a_y[i] * work.a_y[i]);
  return 0.5 * with_.K * sum;
}

patch_dai::step_result patch_dai::step(const body& b, const vec<double, 3>& place,
                                       const vec<double, 3>& u_start, const vec<double, 3>& u_free,
                                       double load, double h, const double* start,
                                       double* end) const {
  workspace& work = own_workspace(stride_);
  const bool lagging = with_.tau_d > 0;
  kernels::dai_place(stride_, x(), y(), start, start + stride_, place[0], place[1], place[2],
                     work.r_x, work.r_y, work.a_x, work.a_y);
  if (lagging) std::copy_n(start + 2 * stride_, stride_, end + 2 * stride_);
  kernels::dai_levels(stride_, work.r_x, work.r_y, with_.g, load, apply(b.map, u_start),
                      lagging ? h / with_.tau_d : 0, lagging, lagging ? end + 2 * stride_ : nullptr,
                      work.level);
  const double d = with_.K * (with_.beta + h);
  const kernels::dai_cells cells{stride_,  work.r_x,   work.r_y, share(), work.a_x,
                                 work.a_y, work.level, with_.K,  d};

  // The balance is judged in newtons: torques over a length of the patch or of the body.
  const vec<double, 3> scale{{1, 1, std::max(gyration_, std::sqrt(b.inertia[2] / b.inertia[0]))}};

  // Value, gradient and second derivative of 1/2 (u - u_free)' M (u - u_free) + h x potential, all
  // over h.
  struct point {
    double value, rounding;  // part of the balance that m u/h does not know, in its last places
    vec<double, 3> gradient;
    matrix curvature;
    kernels::dai_sums sums;
    wrench<double> f;
  };
  const auto evaluate = [&](const vec<double, 3>& u) {
    point p;
    const twist<double> t = apply(b.map, u);
    p.sums = kernels::dai(cells, t);
    const wrench<double> drag = viscous(place[2], t);
    p.f = wrench<double>{{p.sums.f[0], p.sums.f[1], p.sums.f[2]}} + drag;
    p.gradient = apply_transposed(b.map, p.f);
    p.value = p.sums.energy + 0.5 * dot(drag, t);
    p.rounding = 0;
    const double* k = p.sums.stiffness;
    matrix S = {{k[0], k[1], k[3]}, {k[1], k[2], k[4]}, {k[3], k[4], k[5]}};
    // The viscous part, column by column.
    for (int j = 0; j < 3; ++j) {
      twist<double> unit{};
      unit[j] = 1;
      const auto column = viscous(place[2], unit);
      for (int i = 0; i < 3; ++i) S[i][j] += column[i];
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        p.curvature[i][j] = i == j ? b.inertia[i] / h : 0;
        for (int m = 0; m < 3; ++m)
          for (int n = 0; n < 3; ++n) p.curvature[i][j] += b.map[m][i] * S[m][n] * b.map[n][j];
      }
    for (int i = 0; i < 3; ++i) {
      const double change = u[i] - u_free[i], force = b.inertia[i] / h * change;
      p.gradient[i] += force;
      p.value += 0.5 * force * change;
      p.rounding = std::max(
          p.rounding, 2e-15 * b.inertia[i] / h * (std::abs(u[i]) + std::abs(u_free[i])) / scale[i]);
    }
    return p;
  };
  const auto remaining = [&](const point& p) {
    double most = 0;
    for (int i = 0; i < 3; ++i) most = std::max(most, std::abs(p.gradient[i]) / scale[i]);
    return most;
  };

  step_result result;
  vec<double, 3> u = u_start;
  point at = evaluate(u);
  result.passes = 1;
  const double wanted = 1e-11 * with_.g.highest() * load;
  for (;;) {
    result.residual = remaining(at);
    if (result.residual <= wanted + at.rounding) {
      result.converged = true;
      break;
    }
    if (result.passes >= most_passes || !(result.residual < unbounded)) break;
    const vec<double, 3> way = solve(at.curvature, -1.0 * at.gradient);
    const double slope = dot(way, at.gradient);
    double part = 1;
    point next = evaluate(u + way);
    ++result.passes;
    // Near the end the value is flat to rounding; there the gradient decides.
    while (!(next.value <= at.value + 1e-4 * part * slope) &&
           !(remaining(next) <= 0.5 * result.residual) && part > 1e-9 &&
           result.passes < most_passes) {
      part *= 0.5;
      next = evaluate(u + part * way);
      ++result.passes;
    }
    if (part <= 1e-9) {
      // No descent is left that rounding would show.
      result.converged = result.residual <= 1e-6 * with_.g.highest() * load;
      break;
    }
    u = u + part * way;
    at = next;
  }
  result.u = u;
  result.f = at.f;
  result.slipping = at.sums.slipping;
  std::copy_n(start, 2 * stride_, end);
  kernels::dai_move_anchors(cells, apply(b.map, u), h, with_.beta + h, end, end + stride_);
  return result;
}

}  // namespace asperity
