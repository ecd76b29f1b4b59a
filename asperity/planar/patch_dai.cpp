// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/planar/patch_dai.hpp>
#include <asperity/planar/patch_kernels.hpp>
#include <cmath>

namespace asperity {

namespace {

// Friction levels of one evaluation, and room for rates of the states that nobody asked for. Kept
// between calls, so that steps allocate nothing.
double* own_workspace(int stride) {
  thread_local std::vector<double> levels;
  const auto n = 4 * static_cast<std::size_t>(stride);
  if (levels.size() < n) levels.resize(n);
  return levels.data();
}

kernels::dai_place at(const vec<double, 3>& place) {
  return {place[0], place[1], std::cos(place[2]), std::sin(place[2])};
}

using matrix = double[3][3];

template <class Rows>
vec<double, 3> times(const Rows& rows, const vec<double, 3>& u) {
  return {{dot(rows[0], u), dot(rows[1], u), dot(rows[2], u)}};
}
vec<double, 3> times_transposed(const vec<double, 3> (&rows)[3], const vec<double, 3>& f) {
  return f[0] * rows[0] + f[1] * rows[1] + f[2] * rows[2];
}

// A x = b for a symmetric positive definite A = L D L', with three divisions.
vec<double, 3> solve(const matrix& A, const vec<double, 3>& b) {
  const double r0 = 1 / A[0][0], l10 = A[1][0] * r0, l20 = A[2][0] * r0;
  const double r1 = 1 / (A[1][1] - l10 * A[1][0]), m21 = A[2][1] - l20 * A[1][0], l21 = m21 * r1;
  const double r2 = 1 / (A[2][2] - l20 * A[2][0] - l21 * m21);
  const double y1 = b[1] - l10 * b[0], y2 = b[2] - l20 * b[0] - l21 * y1;
  const double x2 = r2 * y2, x1 = r1 * y1 - l21 * x2;
  return {{r0 * b[0] - l10 * x1 - l20 * x2, x1, x2}};
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

// Viscous friction is linear: its matrix, which is symmetric.
std::array<vec<double, 3>, 3> patch_dai::drag_at(const kernels::dai_place& lies) const {
  const double x = lies.cosine * centre_.x - lies.sine * centre_.y;
  const double y = lies.sine * centre_.x + lies.cosine * centre_.y;
  const double c = with_.g.sigma_2;
  return {{{{c, 0, -c * y}}, {{0, c, c * x}}, {{-c * y, c * x, c * square_}}}};
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

kernels::dai_cells patch_dai::cells_at(const vec<double, 3>& place, const double* states,
                                       double damping) const {
  return {stride_, x(), y(), share(), states, states + stride_, at(place), with_.K, damping};
}

wrench<double> patch_dai::evaluate(const vec<double, 3>& place, const double* states,
                                   const twist<double>& t, double load, double* rate,
                                   double& slipping) const {
  const auto cells = cells_at(place, states, with_.K * with_.beta);
  double* level = own_workspace(stride_);
  if (rate == nullptr) rate = level + stride_;
  if (with_.tau_d > 0) {
    const double* gamma = states + 2 * stride_;
    kernels::dai_levels(cells, {with_.g, 1, -1}, t, nullptr, nullptr, level);
    for (int i = 0; i < stride_; ++i) {
      rate[2 * stride_ + i] = (level[i] - gamma[i]) / with_.tau_d;
      level[i] = load * gamma[i];
    }
  } else {
    kernels::dai_levels(cells, {with_.g, load, -1}, t, nullptr, nullptr, level);
  }
  const auto sums = kernels::dai_rates(cells, t, level, rate, rate + stride_);
  slipping = sums.slipping;
  return wrench<double>{{sums.f[0], sums.f[1], sums.f[2]}} + times(drag_at(cells.at), t);
}

void patch_dai::utilisation(const vec<double, 3>& place, const double* states,
                            const twist<double>& t, double load, double* out) const {
  const auto lies = at(place);
  for (int i = 0; i < cells_; ++i) {
    const auto cell = kernels::place_cell(lies, x()[i], y()[i], states[i], states[stride_ + i]);
    const auto v = velocity_at<double>(t, cell.r_x, cell.r_y);
    const double gamma =
        with_.tau_d > 0 ? states[2 * stride_ + i] : with_.g.level(std::hypot(v[0], v[1]));
    out[i] = with_.K * std::hypot(cell.a_x + with_.beta * v[0], cell.a_y + with_.beta * v[1]) /
             (gamma * load);
  }
}

double patch_dai::stored_energy(const vec<double, 3>& place, const double* states) const {
  const auto lies = at(place);
  double sum = 0;
  for (int i = 0; i < cells_; ++i) {
    const auto cell = kernels::place_cell(lies, x()[i], y()[i], states[i], states[stride_ + i]);
    sum += share()[i] * (cell.a_x * cell.a_x + cell.a_y * cell.a_y);
  }
  return 0.5 * with_.K * sum;
}

patch_dai::step_result patch_dai::step(const body& b, const vec<double, 3>& place,
                                       const vec<double, 3>& u_start, const vec<double, 3>& u_free,
                                       double load, double h, const double* start,
                                       double* end) const {
  const bool lagging = with_.tau_d > 0;
  const auto cells = cells_at(place, start, with_.K * (with_.beta + h));
  const double step_share = h / (with_.beta + h);
  double* level = own_workspace(stride_);

  // The balance is judged in newtons: torques over a length of the patch or of the body.
  const vec<double, 3> per_scale{
      {1, 1, 1 / std::max(gyration_, std::sqrt(b.inertia[2] / b.inertia[0]))}};

  const auto drag = drag_at(cells.at);
  const vec<double, 3> inertia = (1 / h) * b.inertia;  // over h

  // Gradient and second derivative of 1/2 (u - u_free)' M (u - u_free) + h x potential, over h.
  struct point {
    vec<double, 3> u, gradient;
    double residual, rounding;  // part of the balance that m u/h does not know, in its last places
    kernels::dai_sums sums;
    wrench<double> f;
  };
  const auto completed = [&](const vec<double, 3>& u, const twist<double>& t,
                             const kernels::dai_sums& sums) {
    point p{u, {}, 0, 0, sums, wrench<double>{{sums.f[0], sums.f[1], sums.f[2]}} + times(drag, t)};
    p.gradient = times_transposed(b.map, p.f);
    for (int i = 0; i < 3; ++i) {
      p.gradient[i] += inertia[i] * (u[i] - u_free[i]);
      const double off = std::abs(p.gradient[i]) * per_scale[i];
      if (!(off <= p.residual)) p.residual = off;  // what is no number stays none
      p.rounding = std::max(
          p.rounding, 2e-15 * inertia[i] * (std::abs(u[i]) + std::abs(u_free[i])) * per_scale[i]);
    }
    return p;
  };
  step_result result;
  // Moves the anchors too: those of the last pass are the end of the step.
  const auto evaluate = [&](const vec<double, 3>& u) {
    const twist<double> t = times(b.map, u);
    ++result.passes;
    return completed(u, t, kernels::dai(cells, t, level, step_share, end, end + stride_));
  };
  const auto way_from = [&](const point& p) {
    const double* k = p.sums.stiffness;
    const matrix S = {{k[0] + drag[0][0], k[1] + drag[0][1], k[3] + drag[0][2]},
                      {k[1] + drag[1][0], k[2] + drag[1][1], k[4] + drag[1][2]},
                      {k[3] + drag[2][0], k[4] + drag[2][1], k[5] + drag[2][2]}};
    matrix curvature;
    for (int j = 0; j < 3; ++j) {
      const twist<double> unit{{b.map[0][j], b.map[1][j], b.map[2][j]}};
      wrench<double> f;
      for (int m = 0; m < 3; ++m) f[m] = S[m][0] * unit[0] + S[m][1] * unit[1] + S[m][2] * unit[2];
      const auto column = times_transposed(b.map, f);
      for (int i = 0; i < 3; ++i) curvature[i][j] = column[i] + (i == j ? inertia[i] : 0);
    }
    return solve(curvature, -1.0 * p.gradient);
  };
  const auto value = [&](const vec<double, 3>& u) {
    const twist<double> t = times(b.map, u);
    ++result.passes;
    double sum = kernels::dai_potential(cells, t, level);
    sum += 0.5 * dot(t, times(drag, t));
    for (int i = 0; i < 3; ++i) sum += 0.5 * inertia[i] * (u[i] - u_free[i]) * (u[i] - u_free[i]);
    return sum;
  };

  const double wanted = 1e-11 * with_.g.highest() * load;
  const auto is_end = [&](const point& p) { return p.residual <= wanted + p.rounding; };
  // Where all cells slip or all stick the balance is smooth: Newton's method probably ends with its
  // first step, and nobody asks for the stiffness there.
  const auto probable_end = [&](const point& p, const vec<double, 3>& u) {
    const bool is_smooth = p.sums.slipping == 0 || p.sums.slipping > 1 - 1e-9;
    if (!is_smooth || result.passes > 1) return evaluate(u);
    const twist<double> t = times(b.map, u);
    ++result.passes;
    const point found =
        completed(u, t, kernels::dai_balance(cells, t, level, step_share, end, end + stride_));
    return is_end(found) ? found : evaluate(u);
  };

  kernels::dai_levels(cells, {with_.g, load, lagging ? h / with_.tau_d : -1}, times(b.map, u_start),
                      start + 2 * stride_, end + 2 * stride_, level);
  point at = evaluate(u_start);
  bool moved = true;  // whether the anchors at the end are those of `at`
  while (!is_end(at) && result.passes < most_passes && at.residual < unbounded) {
    const vec<double, 3> way = way_from(at);
    point next = probable_end(at, at.u + way);
    // A full step that leaves half of the balance at most is taken. Otherwise the value decides,
    // until it is flat to rounding.
    if (!(next.residual <= 0.5 * at.residual)) {
      const double from = value(at.u), slope = dot(way, at.gradient);
      double part = 1;
      while (!(value(next.u) <= from + 1e-4 * part * slope) &&
             !(next.residual <= 0.5 * at.residual) && part > 1e-9 && result.passes < most_passes) {
        part *= 0.5;
        next = evaluate(at.u + part * way);
      }
      if (part <= 1e-9) {
        // No descent is left that rounding would show.
        result.converged = at.residual <= 1e-6 * with_.g.highest() * load;
        moved = false;
        break;
      }
    }
    at = next;
  }
  if (is_end(at)) result.converged = true;
  if (!moved) at = evaluate(at.u);
  result.residual = at.residual;
  result.u = at.u;
  result.f = at.f;
  result.slipping = at.sums.slipping;
  return result;
}

}  // namespace asperity
