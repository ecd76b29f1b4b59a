// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/patch/patch_dai.hpp>
#include <cmath>

namespace asperity {

namespace {

// Friction levels of one evaluation, and room for rates of the states that nobody asked for. Kept
// between calls, so that steps allocate nothing.
double* own_workspace(int stride) {
  thread_local kernels::cell_numbers levels;
  const auto n = 4 * static_cast<std::size_t>(stride);
  if (levels.size() < n) levels.resize(n);
  return levels.data();
}

kernels::dai_place at(const vec<double, 3>& place) {
  return {place[0], place[1], std::cos(place[2]), std::sin(place[2])};
}

using symmetric = std::array<vec<double, 3>, 3>;  // rows

vec<double, 3> times(const symmetric& rows, const vec<double, 3>& u) {
  return {{dot(rows[0], u), dot(rows[1], u), dot(rows[2], u)}};
}

// Root of twice what is left of the balance before the last two passes: its power of three is
// below the 1e-11 that is wanted.
constexpr double small_angle = 2.5e-4;

// The inverse of a symmetric positive definite matrix A = L D L', of which the lower half is given.
// Times a_00 or more, so that no division waits for another.
class inverse {
 public:
  inverse() = default;
  inverse(double a00, double a10, double a11, double a20, double a21, double a22) {
    const double p11 = a00 * a11 - a10 * a10, p21 = a00 * a21 - a10 * a20,
                 p22 = a00 * a22 - a20 * a20, per_p11 = 1 / p11;
    r0_ = 1 / a00;
    l10_ = a10 * r0_;
    l20_ = a20 * r0_;
    r1_ = a00 * per_p11;
    l21_ = p21 * per_p11;
    r2_ = a00 * p11 / (p22 * p11 - p21 * p21);
  }
  vec<double, 3> operator*(const vec<double, 3>& b) const {
    const double y1 = b[1] - l10_ * b[0], y2 = b[2] - l20_ * b[0] - l21_ * y1;
    const double x2 = r2_ * y2, x1 = r1_ * y1 - l21_ * x2;
    return {{r0_ * b[0] - l10_ * x1 - l20_ * x2, x1, x2}};
  }

 private:
  double r0_ = 0, l10_ = 0, l20_ = 0, r1_ = 0, l21_ = 0, r2_ = 0;
};

// How the velocities of a body move its patch: G, mostly the identity.
class body_map {
 public:
  explicit body_map(const vec<double, 3> (&rows)[3]) : rows_(rows) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) is_identity_ = is_identity_ && rows[i][j] == (i == j ? 1 : 0);
  }
  twist<double> operator()(const vec<double, 3>& u) const {
    if (is_identity_) return u;
    return {{dot(rows_[0], u), dot(rows_[1], u), dot(rows_[2], u)}};
  }
  vec<double, 3> transposed(const wrench<double>& f) const {
    if (is_identity_) return f;
    return f[0] * rows_[0] + f[1] * rows_[1] + f[2] * rows_[2];
  }
  // Rows of G' S G for a symmetric S.
  symmetric around(const symmetric& S) const {
    if (is_identity_) return S;
    const symmetric SG{{transposed(S[0]), transposed(S[1]), transposed(S[2])}};
    symmetric result;
    for (int i = 0; i < 3; ++i)
      result[i] = rows_[0][i] * SG[0] + rows_[1][i] * SG[1] + rows_[2][i] * SG[2];
    return result;
  }

 private:
  const vec<double, 3> (&rows_)[3];
  bool is_identity_ = true;
};

}  // namespace

patch_dai::patch_dai(const contact_patch& patch, int cells_along, const parameters& with)
    : with_(with) {
  const auto cells = patch.cells(cells_along);
  cells_ = static_cast<int>(cells.share.size());
  stride_ = kernels::padded(cells_);
  cell_width_ = cells.width;
  cell_height_ = cells.height;
  // The cells that pad are the last one without a share: none slips where no other does.
  const auto padded = [&](const std::vector<double>& values, double with_value) {
    kernels::cell_numbers result(values.begin(), values.end());
    result.resize(static_cast<std::size_t>(stride_), with_value);
    return result;
  };
  x_ = padded(cells.x, cells.x.back());
  y_ = padded(cells.y, cells.y.back());
  share_ = padded(cells.share, 0.0);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    centre_.x += share_[i] * x_[i];
    centre_.y += share_[i] * y_[i];
    square_ += share_[i] * (x_[i] * x_[i] + y_[i] * y_[i]);
    reach_ = std::max(reach_, std::hypot(x_[i], y_[i]));
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
  return {stride_,          x(),       y(),     share(), states,
          states + stride_, at(place), with_.K, damping, reach_};
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
  const auto all_cells = cells_at(place, start, with_.K * (with_.beta + h));
  auto cells = all_cells;  // those of a softer patch on the way to a solution that is hard to find
  const double step_share = h / (with_.beta + h), most = with_.g.highest() * load;
  double* level = own_workspace(stride_);

  // The balance is judged in newtons: torques over a length of the patch or of the body.
  const vec<double, 3> per_scale{
      {1, 1, 1 / std::sqrt(std::max(square_, b.inertia[2] / b.inertia[0]))}};

  const body_map G(b.map);
  const auto drag = drag_at(all_cells.at);
  const vec<double, 3> inertia = (1 / h) * b.inertia;  // over h

  // Gradient of 1/2 (u - u_free)' M (u - u_free) + h x potential, over h.
  struct point {
    vec<double, 3> u, gradient;
    wrench<double> cells, f;  // friction without and with drag
    double residual, slipping;
    double room;         // of dai_sums
    bool has_stiffness;  // the last one that was summed up
    bool has_anchors;    // those at the end of the step
  };
  const auto balance = [&](point& p, const twist<double>& t) {
    p.residual = 0;
    p.f = p.cells + times(drag, t);
    const vec<double, 3> of_friction = G.transposed(p.f);
    for (int i = 0; i < 3; ++i) {
      p.gradient[i] = of_friction[i] + inertia[i] * (p.u[i] - u_free[i]);
      const double off = std::abs(p.gradient[i]) * per_scale[i];
      if (!(off <= p.residual)) p.residual = off;  // what is no number stays none
    }
  };
  // To 1e-11 of the friction, or to the last places of m u/h and of the pulls of sticking cells.
  const auto is_end = [&](const point& p) {
    if (p.residual <= 1e-11 * most) return true;
    const twist<double> t = G(p.u);
    double rounding = 5e-16 * (1 - p.slipping) * all_cells.d *
                      (std::abs(t[0]) + std::abs(t[1]) + reach_ * std::abs(t[2]));
    for (int i = 0; i < 3; ++i)
      rounding = std::max(
          rounding, 2e-15 * inertia[i] * (std::abs(p.u[i]) + std::abs(u_free[i])) * per_scale[i]);
    return p.residual <= 1e-11 * most + rounding;
  };

  step_result result;
  symmetric stiffness;
  inverse curvature;
  const auto evaluate = [&](const vec<double, 3>& u, point& p) {
    const twist<double> t = G(u);
    ++result.passes;
    const auto sums = kernels::dai(cells, t, level);
    const double* k = sums.stiffness;
    stiffness = {{{{k[0], k[1], k[3]}}, {{k[1], k[2], k[4]}}, {{k[3], k[4], k[5]}}}};
    const symmetric A =
        G.around({{stiffness[0] + drag[0], stiffness[1] + drag[1], stiffness[2] + drag[2]}});
    curvature = inverse(inertia[0] + A[0][0], A[1][0], inertia[1] + A[1][1], A[2][0], A[2][1],
                        inertia[2] + A[2][2]);
    p.u = u;
    for (int i = 0; i < 3; ++i) p.cells[i] = sums.f[i];
    p.slipping = sums.slipping;
    p.room = sums.room;
    p.has_stiffness = true;
    p.has_anchors = false;
    balance(p, t);
  };
  // Without the stiffness, which takes longer, and with the anchors.
  const auto move = [&](const vec<double, 3>& u, point& p) {
    const twist<double> t = G(u);
    ++result.passes;
    const auto sums = kernels::dai_balance(cells, t, level, step_share, end, end + stride_);
    p.u = u;
    for (int i = 0; i < 3; ++i) p.cells[i] = sums.f[i];
    p.slipping = sums.slipping;
    p.room = -1;
    p.has_stiffness = false;
    p.has_anchors = true;
    balance(p, t);
  };
  kernels::dai_levels(cells, {with_.g, load, lagging ? h / with_.tau_d : -1}, G(u_start),
                      start + 2 * stride_, end + 2 * stride_, level);
  point at, next;
  // Newton's method from u; true where the balance is left to `allowed` at most. How the value of
  // a convex function changes along a way is told by its slope alone.
  const auto solve = [&](const vec<double, 3>& from, double allowed, int passes) {
    const auto is_near = [&](const point& p) { return p.residual <= allowed || is_end(p); };
    const int last_pass = std::min(result.passes + passes, most_passes);
    evaluate(from, at);
    // Where all cells stick, one step more costs no pass, and a body at rest comes to its last
    // place.
    while ((!is_near(at) || at.room > 0) && result.passes < last_pass && at.residual < unbounded) {
      const vec<double, 3> way = curvature * (-1.0 * at.gradient), u = at.u + way;
      const twist<double> change = G(way);
      const double speed = std::sqrt(change[0] * change[0] + change[1] * change[1]);
      if (at.room > 1.001 * cells.d * (speed + reach_ * std::abs(change[2]))) {
        // No cell begins to slip on the way: friction is linear along it.
        next.u = u;
        next.cells = at.cells + times(stiffness, change);
        next.slipping = next.room = 0;
        balance(next, G(u));
        if (is_end(next)) {
          at = next;
          break;
        }
      }
      if (is_near(at)) break;
      // By about this angle the pulls of slipping cells turn. Newton's method leaves half its
      // square of the balance, and a step more with the same stiffness this angle of the rest.
      const double angle =
          (stiffness[0][0] + stiffness[1][1]) * (speed + gyration_ * std::abs(change[2])) / most;
      if (angle < small_angle) {
        move(u, next);
      } else {
        evaluate(u, next);
      }
      if (!is_near(next) && !(next.residual <= (at.has_stiffness ? 0.5 : 0.1) * at.residual)) {
        if (!at.has_stiffness) {
          evaluate(at.u, at);
          continue;
        }
        // A full step that leaves half of the balance at most is taken, and one that is not yet
        // past the lowest point of its way; otherwise that point is searched for.
        const double slope = dot(way, at.gradient);
        double low = 0, high = 1, at_low = slope, at_high = dot(way, next.gradient);
        while (at_high > -0.1 * slope && high - low > 1e-9 && result.passes < last_pass) {
          const double part = std::clamp(low - at_low * (high - low) / (at_high - at_low),
                                         low + 0.1 * (high - low), high - 0.1 * (high - low));
          evaluate(at.u + part * way, next);
          const double here = dot(way, next.gradient);
          if (std::abs(here) <= -0.1 * slope || next.residual <= 0.5 * at.residual) break;
          (here < 0 ? low : high) = part;
          (here < 0 ? at_low : at_high) = here;
        }
      }
      // Far from the end the stiffness of another point does not lead there.
      if (!next.has_stiffness && !is_near(next) &&
          next.residual > 0.5 * small_angle * small_angle * most)
        evaluate(next.u, next);
      at = next;
    }
    return is_near(at);
  };
  result.converged = solve(u_start, 0, 12);  // two to four are usual
  if (!result.converged) {
    // The patch is so stiff that friction nearly jumps: first a softer one, whose pulls change over
    // the speeds at hand, then stiffer and stiffer ones, each from the end of the one before.
    double speed = 0;
    for (const auto& t : {G(u_start), G(u_free)})
      speed = std::max(speed, std::hypot(t[0], t[1]) + gyration_ * std::abs(t[2]));
    double softness = std::clamp(most / (all_cells.d * speed), 1e-12, 1.0);
    vec<double, 3> from = u_free;
    while (softness < 1) {
      cells.k = softness * all_cells.k;
      cells.d = softness * all_cells.d;
      if (!solve(from, 1e-3 * most, 40)) break;
      from = at.u;
      softness *= 8;
    }
    cells = all_cells;
    result.converged = solve(from, 0, most_passes);
  }
  if (at.room >= 0) {  // all cells stick
    std::copy_n(start, 2 * stride_, end);
  } else if (!at.has_anchors) {
    move(at.u, at);
  }
  result.residual = at.residual;
  result.u = at.u;
  result.f = at.f;
  result.slipping = at.slipping;
  return result;
}

void patch_dai_law::built::mirror(const planar_drive<double>& in, double* anchors) const {
  std::vector<double> unloaded(static_cast<std::size_t>(law.states()));
  law.initial(in.place, unloaded.data());  // anchors right under their cells
  for (int i = 0; i < 2 * law.stride(); ++i)
    anchors[i] = 2 * unloaded[static_cast<std::size_t>(i)] - anchors[i];
}

bool patch_dai_law::built::step(const planar_drive<double>& in, const double* anchors,
                                const double* free, const double* mobility, double h, double* out,
                                double* end) const {
  patch_dai::body body;
  for (int i = 0; i < 3; ++i) body.inertia[i] = h / mobility[i];
  const auto result =
      law.step(body, in.place, in.moving, {{free[0], free[1], free[2]}}, in.load, h, anchors, end);
  for (int i = 0; i < 3; ++i) out[i] = result.f[i];
  return result.converged;
}

}  // namespace asperity
