// SPDX-License-Identifier: Apache-2.0
#pragma once

// By how much steps of fixed length may be wrong. Now and then a thousandth of the run is done
// again from the same start in steps of half the length, beside the run, which goes on as if
// nothing had been looked at. What both differ by at the end of the piece is the error that it
// adds; pieces not looked at are taken to add as much. Where a system forgets its errors the sum is
// too large.

#include <asperity/integrate/stability.hpp>
#include <asperity/integrate/stepper.hpp>
#include <utility>
#include <vector>

namespace asperity {

// Of each state: the error of the run, and the range it went through.
struct step_error {
  std::vector<double> error, range;
};

template <class Stepper>
class checked_stepper {
 public:
  // Looks at the first `states` of `size`, if any. `finer` takes half the steps of `stepper`, of
  // which the whole run has about `steps`. `stability` watches an explicit method.
  checked_stepper(Stepper stepper, Stepper finer, std::size_t size, std::size_t states,
                  double steps, stability_watch* stability = nullptr)
      : stepper_(std::move(stepper)),
        finer_(std::move(finer)),
        size_(size),
        n_(states),
        stability_(stability),
        piece_(std::max(1L, std::lround(steps / 1000))),
        every_(std::clamp(std::lround(steps / 64), 2L, 32L)),
        sum_(n_, 0.0),
        low_(n_, 0.0),
        high_(n_, 0.0) {}

  void start(double t, const double* y) {
    if (count_ == 0) low_ = high_ = {y, y + n_};
    stepper_.start(t, y);
    if (stability_ != nullptr) stability_->start(t, y);
    looks_ = false;  // a piece that is cut in two cannot be compared
  }

  outcome step(double limit, double latest) {
    if (n_ > 0 && count_ == next_) begin_piece();
    const outcome how = stepper_.step(limit, latest);
    if (how != outcome::completed) return how;
    ++count_;
    for (std::size_t i = 0; i < n_; ++i) {
      low_[i] = std::min(low_[i], y()[i]);
      high_[i] = std::max(high_[i], y()[i]);
    }
    if (looks_ && count_ >= end_) end_piece(latest);
    if (stability_ != nullptr && !stability_->goes_on(t(), y())) return outcome::solver_failed;
    return how;
  }

  double t() const { return stepper_.t(); }
  double before() const { return stepper_.before(); }
  const double* y() const { return stepper_.y(); }
  void at(double t, double* out) const { stepper_.at(t, out); }
  long evaluations() const { return stepper_.evaluations(); }
  long rejected() const { return stepper_.rejected(); }

  step_error result() const {
    step_error found;
    for (std::size_t i = 0; i < n_; ++i) {
      const double scale = compared_ > 0 ? static_cast<double>(count_) / compared_ : 0;
      found.error.push_back(scale * sum_[i]);
      found.range.push_back(high_[i] - low_[i]);
    }
    return found;
  }

 private:
  Stepper stepper_, finer_;
  std::size_t size_, n_;
  stability_watch* stability_;
  long piece_;
  // One piece in so many is looked at: in 32 two half steps for each of theirs cost 6 %. In runs of
  // few steps, which cost nothing, more are, so that what lasts a few steps is seen.
  long every_;
  long count_ = 0, next_ = 0, end_ = 0, block_ = 0;
  bool looks_ = false;
  double start_ = 0, compared_ = 0;
  std::vector<double> from_, sum_, low_, high_;

  // One piece in each block of `every_`, at places that no period of the motion can follow.
  void begin_piece() {
    looks_ = true;
    start_ = t();
    from_.assign(y(), y() + size_);
    end_ = count_ + piece_;
    ++block_;
    const auto place =
        static_cast<long>(0.6180339887498949 * static_cast<double>(block_ * every_)) % (every_ - 1);
    next_ = (block_ * every_ + place) * piece_;
  }
  void end_piece(double latest) {
    looks_ = false;
    finer_.start(start_, from_.data());
    while (finer_.t() < t())
      if (finer_.step(t(), latest) != outcome::completed) return;
    for (std::size_t i = 0; i < n_; ++i) sum_[i] += std::abs(y()[i] - finer_.y()[i]);
    compared_ += static_cast<double>(piece_);
  }
};

}  // namespace asperity
