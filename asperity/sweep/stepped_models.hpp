// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models of one kind that differ in their parameters, driven by the same samples: stepped_model for
// each of them, and in packs where the law can be asked for many at once (asperity/batch/lanes.hpp).
//
// Steps and their lengths are those of each model alone, so that the numbers are, too, whatever stands
// beside it; but exp of a pack is a series of its own, which may differ in the last bit.

#include <asperity/batch/lanes.hpp>
#include <asperity/run/sampled_inputs.hpp>
#include <asperity/run/stepped_model.hpp>
#include <functional>

namespace asperity {

class stepped_models {
 public:
  // Of a parameter that is a single number: one value for each model.
  struct values {
    std::string name;
    const double* of_models;
  };
  // Throws asperity::error, which says what a model of these values breaks, and which it is.
  stepped_models(const any_model& like, std::span<const values> given, std::size_t count,
                 instruction_set use = widest_instructions());
  // Models that differ in more: in the number of their elements.
  explicit stepped_models(std::vector<any_model> models);
  stepped_models(stepped_models&&) noexcept;
  stepped_models& operator=(stepped_models&&) noexcept;
  ~stepped_models();

  std::size_t size() const { return count_; }
  // The first; the others are the same but for their numbers.
  const any_model& like() const { return like_; }
  bool is_in_packs() const { return !packs_.empty(); }

  // Back to the start, at rest where these inputs are.
  void reset(std::span<const double> inputs);
  std::span<const double> inputs() const { return in_; }
  std::vector<double> state(std::size_t model) const;
  void set_state(std::size_t model, std::span<const double> state);
  // As those of stepped_model: others of the same parameters that recall them all go on with the same
  // bits.
  std::vector<double> memory(std::size_t model) const;
  void recall(std::size_t model, std::span<const double> memory);

  struct ending {
    outcome how = outcome::completed;
    std::size_t model = 0, row = 0;  // where it failed
  };
  // Outputs at each sample, out[(model * rows + row) * outputs + output], from rest or from where
  // they are. `goes_on` is asked now and then. After a failure they have to be reset.
  ending sample(const sampled_inputs& given, bool resets, double* out,
                const std::function<bool()>& goes_on);

  class pack_of_models;

 private:
  ending sample_pack(std::size_t pack, const sampled_inputs&, bool resets, double* out,
                     std::vector<double>& in, const std::function<bool()>& goes_on);

  any_model like_;
  std::size_t count_;
  std::vector<double> in_;
  std::size_t width_ = 0;  // of a pack
  std::vector<std::unique_ptr<pack_of_models>> packs_;
  std::vector<stepped_model> alone_;
};

}  // namespace asperity
