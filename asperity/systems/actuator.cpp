// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/actuator.hpp>
//
#include <fmt/format.h>

#include <Eigen/Dense>
#include <asperity/error.hpp>

namespace asperity {

namespace {

using model_type = generalised_prandtl_ishlinskii<double>;
constexpr int count = 7;
using parameters = Eigen::Matrix<double, count, 1>;

// rho, q and beta as logarithms: they stay above 0.
parameters read(const model_type& m) {
  parameters p;
  p << std::log(m.c_1), m.c_2, m.c_3, std::log(m.rho), m.tau, std::log(m.q), std::log(m.beta);
  return p;
}

model_type with(model_type m, const parameters& p) {
  m.c_1 = std::exp(p[0]);
  m.c_2 = p[1];
  m.c_3 = p[2];
  m.rho = std::exp(p[3]);
  m.tau = p[4];
  m.q = std::exp(p[5]);
  m.beta = std::exp(p[6]);
  return m;
}

Eigen::VectorXd residuals(const model_type& m, const std::vector<double>& x,
                          const std::vector<double>& y) {
  auto state = m.initial();
  Eigen::VectorXd r(static_cast<Eigen::Index>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k)
    r[static_cast<Eigen::Index>(k)] = m.advance(state, {}, {x[k], 0, 1}, 1) - y[k];
  return r;
}

}  // namespace

std::vector<double> unfold_record(const magnetostrictive_actuator& device,
                                  const std::vector<double>& H,
                                  const std::vector<double>& elongation) {
  if (H.size() != elongation.size() || H.size() < 2)
    throw error(fmt::format("{} fields and {} elongations: at least 2 of each, as many", H.size(),
                            elongation.size()));
  std::vector<double> M(H.size());
  double sign = 1;
  const std::size_t last = H.size() - 1;
  for (std::size_t k = 0; k <= last; ++k) {
    // The first row has nothing before it: it goes by the second.
    const std::size_t to = std::max<std::size_t>(k, 1), from = to - 1;
    const double rise = (elongation[to] - elongation[from]) * (H[to] - H[from]);
    if (rise != 0) sign = rise > 0 ? 1 : -1;
    M[k] = device.magnetisation(elongation[k], sign, H[to] < H[from]);
  }
  for (std::size_t k = 1; k < last; ++k) {
    if (elongation[k] > elongation[k - 1] || elongation[k] > elongation[k + 1]) continue;
    const auto unevenness = [&](double here) { return std::abs(M[k + 1] - 2 * here + M[k - 1]); };
    if (unevenness(-M[k]) < unevenness(M[k])) M[k] = -M[k];
  }
  return M;
}

operator_fit fit_operator(const std::vector<double>& x, const std::vector<double>& y,
                          const model_type& start, int most_iterations) {
  if (x.size() != y.size() || x.size() < count + 1)
    throw error(fmt::format("a fit of {} inputs and {} outputs: at least 8 of each, as many",
                            x.size(), y.size()));
  operator_fit result;
  parameters p = read(start);
  Eigen::VectorXd r = residuals(start, x, y);
  const auto rows = static_cast<double>(x.size());
  result.first_rms = std::sqrt(r.squaredNorm() / rows);
  double damping = 1e-3;
  for (; result.iterations < most_iterations; ++result.iterations) {
    Eigen::MatrixXd jacobian(r.size(), count);
    for (int i = 0; i < count; ++i) {
      parameters there = p, back = p;
      const double step = 1e-6 * (1 + std::abs(p[i]));
      there[i] += step;
      back[i] -= step;
      jacobian.col(i) =
          (residuals(with(start, there), x, y) - residuals(with(start, back), x, y)) / (2 * step);
    }
    const Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    const Eigen::VectorXd gradient = jacobian.transpose() * r;
    bool better = false;
    double change = 0;
    for (int attempt = 0; attempt < 20 && !better; ++attempt) {
      Eigen::MatrixXd damped = normal;
      damped.diagonal() +=
          damping * normal.diagonal() + Eigen::VectorXd::Constant(count, 1e-14 * normal.trace());
      const parameters step = -damped.ldlt().solve(gradient);
      const parameters next = p + step;
      const Eigen::VectorXd there = residuals(with(start, next), x, y);
      if (there.allFinite() && there.squaredNorm() < r.squaredNorm()) {
        change = step.cwiseAbs().maxCoeff();
        p = next;
        r = there;
        damping = std::max(damping / 5, 1e-12);
        better = true;
      } else {
        damping *= 4;
      }
    }
    if (!better || change < 1e-12) {
      result.converged = true;
      break;
    }
  }
  result.model = with(start, p);
  result.rms = std::sqrt(r.squaredNorm() / rows);
  return result;
}

}  // namespace asperity
