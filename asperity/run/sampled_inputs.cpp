// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/run/sampled_inputs.hpp>

namespace asperity {

sampled_inputs::sampled_inputs(const any_model& model, std::span<const double> t,
                               std::vector<const double*> columns)
    : port_(&model.at()), t_(t), columns_(std::move(columns)) {
  columns_.resize(port_->inputs.size(), nullptr);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (port_->inputs[i].is != channel::rate || columns_[i] != nullptr) continue;
    const int place = port_->place_of(static_cast<int>(i));
    if (place >= 0 && columns_[static_cast<std::size_t>(place)] != nullptr) {
      slopes_.push_back(i);
      continue;
    }
    throw error(fmt::format(
        "model '{}' (port {}) needs {}{}", model.key(), port_->name, port_->inputs[i].name,
        place < 0 ? ""
                  : fmt::format(" or {}", port_->inputs[static_cast<std::size_t>(place)].name)));
  }
}

void sampled_inputs::at(std::size_t row, const double* before, double* in) const {
  const double h = step(row);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const channel& c = port_->inputs[i];
    if (columns_[i] != nullptr) {
      in[i] = columns_[i][row];
    } else if (c.is == channel::load) {
      in[i] = 1;
    } else if (c.is == channel::rate) {
      const double* x = columns_[static_cast<std::size_t>(port_->place_of(static_cast<int>(i)))];
      in[i] = row > 0      ? (x[row] - x[row - 1]) / h
              : rows() > 1 ? (x[1] - x[0]) / (t_[1] - t_[0])
                           : 0.0;
    }
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const channel& c = port_->inputs[i];
    if (columns_[i] != nullptr || c.is != channel::place) continue;
    const auto rate = static_cast<std::size_t>(c.rate_of);
    in[i] = row == 0 ? 0.0 : before[i] + h * 0.5 * (before[rate] + in[rate]);
  }
}

sampling_end sample(stepped_model& model, const sampled_inputs& given, bool resets, double* out,
                    const std::function<bool()>& goes_on) {
  std::vector<double> in(model.inputs().size());
  for (std::size_t row = 0; row < given.rows(); ++row) {
    if (row % rows_between_questions == 0 && !goes_on()) return {outcome::interrupted, row};
    given.at(row, model.inputs().data(), in.data());
    outcome how = outcome::completed;
    if (row > 0)
      how = model.step(in.data(), given.step(row), given.slopes());
    else if (resets)
      model.reset(in);
    out = std::copy(model.outputs().begin(), model.outputs().end(), out);
    if (how != outcome::completed) return {how, row};
  }
  return {outcome::completed, given.rows()};
}

}  // namespace asperity
