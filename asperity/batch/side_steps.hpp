// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps of bodies on contacts whose force jumps (held_side.hpp), some side by side. Where a step crosses
// the surface, it ends there, the side turns, and a new grid of steps begins, as run() of
// integrate/run.hpp does with the event of add_side_event(): after the first touch each body has a
// time of its own. Rows are reached together: who is there waits.
//
// Of the states the first is the gap, the second the velocity and the last the side. They lie as
// y[state * Width + lane]. Step has step(t, h, y), a step of each lane from its own t, of its own h.

#include <asperity/batch/unroll.hpp>
#include <asperity/integrate/step_grid.hpp>
#include <asperity/scalar/math.hpp>

namespace asperity {

template <int Width, int Capacity, class Step>
class side_steps {
 public:
  // `tolerance` of the time of a crossing, relative to a step.
  ASPERITY_FN side_steps(const Step& step, int states, double h, double to, double tolerance)
      : step_(step), states_(states), h_(h), to_(to), tolerance_(tolerance) {}

  // All lanes at time 0, on the side on which they are.
  ASPERITY_FN void start(const double* y) {
    for (int lane = 0; lane < Width; ++lane) resume(lane, 0, 0, 0, y);
    double* const side = y1_ + (states() - 1) * Width;
    for (int lane = 0; lane < Width; ++lane) {
      const double x = y1_[lane], v = y1_[Width + lane];
      side[lane] = x > 0 || (x == 0 && v > 0) ? 1 : -1;
    }
  }
  // A lane as it was left before: its last step is taken again.
  ASPERITY_FN void resume(int lane, double t, double origin, double count, const double* y) {
    lane_[lane] = {t, t, t, origin, count, origin, count};
    copy(lane, y, y0_);
    copy(lane, y, y1_);
  }
  // What resume() needs.
  ASPERITY_FN double before(int lane) const { return lane_[lane].t0; }
  ASPERITY_FN double origin(int lane) const { return lane_[lane].began; }
  ASPERITY_FN double count(int lane) const { return lane_[lane].count_before; }
  ASPERITY_FN const double* y_before() const { return y0_; }
  ASPERITY_FN const double* y() const { return y1_; }  // at the start

  // The states of all lanes at a time, which is not before the last one.
  ASPERITY_FN void reach(double t, double slack, double* out) {
    for (;;) {
      bool waits[Width];
      bool are_there = true;
      for (int lane = 0; lane < Width; ++lane) {
        waits[lane] = !(t > lane_[lane].stop + slack) || lane_[lane].is_stuck;
        are_there = are_there && waits[lane];
      }
      if (are_there) break;
      take_step(waits);
    }
    double from[Width], length[Width];
    bool is_inside = false;
    for (int lane = 0; lane < Width; ++lane) {
      const state_of& at = lane_[lane];
      const double seen = t < at.stop ? t : at.stop;
      const bool is_at_end = seen >= at.t1 || (!at.is_cut && t >= at.t1 - slack);
      from[lane] = at.t0;
      length[lane] = is_at_end ? 0 : seen > at.t0 ? seen - at.t0 : 0;
      is_inside = is_inside || length[lane] > 0;
      copy(lane, is_at_end ? y1_ : y0_, out);
    }
    if (is_inside) step_some(from, length, out);
  }
  ASPERITY_FN bool is_stuck(int lane) const { return lane_[lane].is_stuck; }

 private:
  struct state_of {
    double t0 = 0, t1 = 0, stop = 0, origin = 0, count = 0;
    double began = 0, count_before = 0;  // the grid at t0
    double last_turn = -1;
    int turns_at_once = 0;
    bool is_cut = false, is_stuck = false;
  };
  Step step_;
  int states_;
  double h_, to_, tolerance_;
  state_of lane_[Width];
  double y0_[Capacity * Width], y1_[Capacity * Width], turn_[Capacity * Width];

  // Of one lane all that there is room for, so that loops unroll.
  ASPERITY_FN int states() const { return Width == 1 ? Capacity : states_; }
  ASPERITY_FN void copy(int lane, const double* from, double* to) const {
    ASPERITY_UNROLL
    for (int k = 0; k < states(); ++k) to[k * Width + lane] = from[k * Width + lane];
  }
  // How far beyond the surface, on the wrong side. On the surface it is on the right one, as for
  // add_side_event(): the next step may cross.
  ASPERITY_FN double beyond(int lane, const double* y) const {
    const double x = y[lane];
    return x == 0 ? -1.0 : -y[(states() - 1) * Width + lane] * x;
  }
  // Lanes whose step has no length stay as they are, even where their rates are no numbers.
  ASPERITY_FN void step_some(const double* t, const double* h, double* y) const {
    double all[Capacity * Width];
    for (int lane = 0; lane < Width; ++lane) copy(lane, y, all);
    step_(t, h, all);
    for (int lane = 0; lane < Width; ++lane)
      if (h[lane] > 0) copy(lane, all, y);
  }

  ASPERITY_FN void take_step(const bool* waits) {
    double from[Width], length[Width], next[Capacity * Width];
    for (int lane = 0; lane < Width; ++lane) {
      copy(lane, y1_, next);
      from[lane] = lane_[lane].t1;
      length[lane] = 0;
      if (waits[lane]) continue;
      length[lane] = begin_step(lane, next);
      from[lane] = lane_[lane].t0;
    }
    step_some(from, length, next);
    bool crosses[Width];
    bool one_crosses = false;
    for (int lane = 0; lane < Width; ++lane) {
      crosses[lane] = false;
      if (waits[lane]) continue;
      copy(lane, next, y1_);
      crosses[lane] = beyond(lane, y0_) < 0 && beyond(lane, y1_) > 0;
      one_crosses = one_crosses || crosses[lane];
    }
    if (one_crosses) find_crossings(crosses);
  }
  // Returns its length. The state at its start goes to y0 and to `next`.
  ASPERITY_FN double begin_step(int lane, double* next) {
    state_of& at = lane_[lane];
    if (at.is_cut) {
      const int side = (states() - 1) * Width + lane;
      copy(lane, turn_, y1_);
      y1_[side] = -y1_[side];
      at.turns_at_once = at.stop > at.last_turn ? 0 : at.turns_at_once + 1;
      at.is_stuck = at.turns_at_once > 100;
      at.last_turn = at.t1 = at.origin = at.stop;
      at.count = 0;
    }
    copy(lane, y1_, y0_);
    copy(lane, y1_, next);
    at.t0 = at.t1;
    at.began = at.origin;
    at.count_before = at.count;
    at.count += 1;
    const detail::grid_step here = detail::step_on_grid(at.t0, at.origin + at.count * h_, to_, h_);
    at.stop = at.t1 = here.to;
    at.is_cut = false;
    return here.length;
  }

  // Chandrupatla's method: inverse quadratic interpolation where it converges, bisection elsewhere. The
  // crossing is on the far side of the surface.
  struct bracket {
    double a, b, c, fa, fb, fc;  // the latest, one on the other side, and the one before
    double next;
  };
  ASPERITY_FN void find_crossings(const bool* crosses) {
    bracket in[Width];
    bool is_open[Width];
    double from[Width], length[Width], y[Capacity * Width];
    for (int lane = 0; lane < Width; ++lane) {
      const state_of& at = lane_[lane];
      is_open[lane] = crosses[lane];
      from[lane] = at.t0;
      if (!crosses[lane]) continue;
      copy(lane, y1_, turn_);
      in[lane] = {
          at.t1, at.t0, 0, beyond(lane, y1_), beyond(lane, y0_), 0, at.t0 + (at.t1 - at.t0) / 2};
    }
    for (int attempt = 0; attempt < 100; ++attempt) {
      bool one_is_open = false;
      for (int lane = 0; lane < Width; ++lane) {
        copy(lane, y0_, y);
        length[lane] = is_open[lane] ? in[lane].next - from[lane] : 0;
        one_is_open = one_is_open || is_open[lane];
      }
      if (!one_is_open) break;
      step_some(from, length, y);
      for (int lane = 0; lane < Width; ++lane)
        if (is_open[lane]) is_open[lane] = narrow(lane, in[lane], y);
    }
    for (int lane = 0; lane < Width; ++lane) {
      if (!crosses[lane]) continue;
      state_of& at = lane_[lane];
      at.stop = in[lane].fa > 0 ? in[lane].a : in[lane].b;
      at.is_cut = true;
    }
  }
  // Takes the state at `next` into account. Returns whether it must go on.
  ASPERITY_FN bool narrow(int lane, bracket& in, const double* y) {
    const double f = beyond(lane, y);
    if ((f > 0) == (in.fa > 0)) {
      in.c = in.a;
      in.fc = in.fa;
    } else {
      in.c = in.b;
      in.fc = in.fb;
      in.b = in.a;
      in.fb = in.fa;
    }
    in.a = in.next;
    in.fa = f;
    if (f > 0) copy(lane, y, turn_);
    const double width = in.b - in.a, size = width < 0 ? -width : width;
    const double step = lane_[lane].t1 - lane_[lane].t0;
    // The times of a long run have no more digits.
    const double least = 4.5e-16 * lane_[lane].t1, wanted = tolerance_ * step;
    const double tolerance = least > wanted ? least : wanted;
    if (size <= tolerance) return false;
    const double xi = (in.a - in.b) / (in.c - in.b), phi = (in.fa - in.fb) / (in.fc - in.fb);
    double share = 0.5;
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      share = in.fa / (in.fb - in.fa) * (in.fc / (in.fb - in.fc)) +
              (in.c - in.a) / width * (in.fa / (in.fc - in.fa)) * (in.fb / (in.fc - in.fb));
    const double least_share = tolerance / size / 2;
    share = share < least_share ? least_share : share > 1 - least_share ? 1 - least_share : share;
    in.next = in.a + share * width;
    return in.next != in.a && in.next != in.b;
  }
};

}  // namespace asperity
