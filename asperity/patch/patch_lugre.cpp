// SPDX-License-Identifier: Apache-2.0
#include <asperity/error.hpp>
#include <asperity/patch/patch_kernels.hpp>
#include <asperity/patch/patch_lugre.hpp>

namespace asperity {

patch_lugre::patch_lugre(const contact_patch& patch, int cells_along, const parameters& with)
    : with_(with) {
  auto cells = patch.cells(cells_along);
  cells_ = static_cast<int>(cells.share.size());
  stride_ = kernels::padded(cells_);
  const auto pad = [&](std::vector<double>& values) {
    values.resize(static_cast<std::size_t>(stride_), 0.0);
  };
  pad(cells.x);
  pad(cells.y);
  pad(cells.share);
  x_ = std::move(cells.x);
  y_ = std::move(cells.y);
  share_ = std::move(cells.share);
  const validity check = with_.g.valid();
  if (check.verdict == validity::refused) throw error(check.why);
}

wrench<double> patch_lugre::respond(const double* z, const twist<double>& t, double load,
                                    double* rate) const {
  const kernels::lugre_cells all{stride_,       x(),        y(),  share(), with_.sigma_0,
                                 with_.sigma_1, with_.z_ba, load, with_.g};
  // With h = 0 the states are only read.
  auto* bristles = const_cast<double*>(z);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  if (rate != nullptr)
    return kernels::lugre(all, t, 0, bristles, bristles + stride_, rate, rate + stride_);
  std::vector<double> unused(static_cast<std::size_t>(states()));
  return kernels::lugre(all, t, 0, bristles, bristles + stride_, unused.data(),
                        unused.data() + stride_);
}

wrench<double> patch_lugre::advance(double* z, const twist<double>& t, double load,
                                    double h) const {
  if (!(h > 0)) return respond(z, t, load, nullptr);  // no time passes
  const kernels::lugre_cells all{stride_,       x(),        y(),  share(), with_.sigma_0,
                                 with_.sigma_1, with_.z_ba, load, with_.g};
  return kernels::lugre(all, t, h, z, z + stride_, nullptr, nullptr);
}

double patch_lugre::stored_energy(const double* z) const {
  double sum = 0;
  for (int i = 0; i < cells_; ++i)
    sum += share()[i] * (z[i] * z[i] + z[stride_ + i] * z[stride_ + i]);
  return 0.5 * with_.sigma_0 * sum;
}

}  // namespace asperity
