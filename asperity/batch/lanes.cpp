// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/batch/held_side.hpp>
#include <asperity/batch/lane_blocks.hpp>
#include <asperity/batch/planar_lanes.hpp>

namespace asperity {

const lane_model* find_lane_model(const any_model& model) {
  for (const lane_model& each : generated::lane_models())
    if (each.key == model.key() &&
        each.curve == (model.holds_side() ? on_its_side : std::string_view(model.curve())))
      return &each;
  return nullptr;
}

using detail::kind_of, detail::with_parts, detail::with_planar_parts;

namespace {

// Null where a law is for single runs alone: it has no text in wide numbers.
const lane_model* lanes_of(const any_model& law) {
  return is_rigid(law) ? nullptr : find_lane_model(law);
}

// Inputs that have no numbers here, in words, so that those of one shape are the same.
std::string words_of(const signal& s) {
  std::string words = fmt::format(" {}", static_cast<int>(kind_of(s)));
  if (kind_of(s) != input_kind::other) return words;
  words += fmt::format(" {} {} {} {} {} {}", static_cast<int>(s.made_of()),
                       static_cast<int>(s.join()), s.offset(), s.ramp_slope(), s.ramp_start(),
                       s.ramp_limit() != nullptr ? *s.ramp_limit() : 0.0);
  for (const auto& tone : s.tones())
    words += fmt::format(" {} {} {}", tone.amplitude, tone.omega, tone.phase);
  words += fmt::format(" {} {}", fmt::join(s.node_times(), " "), fmt::join(s.node_values(), " "));
  for (const auto& piece : s.list())
    words += fmt::format(" until {}:{}", piece.until, words_of(piece.shape));
  return words;
}
bool has_words(const signal& s) {
  return s.made_of() != signal::kind::other &&
         std::all_of(s.list().begin(), s.list().end(),
                     [](const signal::piece& each) { return has_words(each.shape); });
}

}  // namespace

// ---- front --------------------------------------------------------------------------------------

std::optional<std::string> lane_shape(const system& which) {
  using answer = std::optional<std::string>;
  auto planar = with_planar_parts<answer>(which, std::nullopt, [](const auto& parts) -> answer {
    std::string shape =
        fmt::format("{} {} {}", static_cast<int>(parts.body()), parts.key, parts.coupling);
    for (const signal* each : parts.inputs()) {
      if (!has_words(*each)) return std::nullopt;
      shape += words_of(*each);
    }
    return shape;
  });
  if (planar) return planar;
  return with_parts<answer>(which, std::nullopt, [](const auto& parts) -> answer {
    const any_model& law = parts.law();
    if (lanes_of(law) == nullptr) return std::nullopt;
    std::string shape = fmt::format("{} {} {} {}", static_cast<int>(parts.body), law.key(),
                                    law.curve(), law.states());
    for (const auto& each : law.describe().parameters)
      if (each.count != nullptr || each.whole != nullptr)
        shape += fmt::format(" {}", law.get(each.name).front());
    for (const signal* each : parts.inputs()) {
      if (!has_words(*each)) return std::nullopt;
      shape += words_of(*each);
    }
    return shape;
  });
}

std::vector<double> lane_numbers(const system& which) {
  auto planar = with_planar_parts<std::vector<double>>(which, {}, [](const auto& parts) {
    std::vector<double> numbers = parts.numbers();
    for (const double each : detail::numbers_of_law(parts.law)) numbers.push_back(each);
    return numbers;
  });
  if (!planar.empty()) return planar;
  return with_parts<std::vector<double>>(which, {}, [](const auto& parts) {
    std::vector<double> numbers = parts.numbers();
    find_lane_model(parts.law())->read(parts.law(), numbers);
    return numbers;
  });
}

bool lane_numbers_are_allowed(const system& like, const double* numbers) {
  if (planar_setup_in(like) != nullptr)
    return with_planar_parts(like, false, [&](const auto& parts) { return parts.allows(numbers); });
  return with_parts(like, false, [&](const auto& parts) {
    return find_lane_model(parts.law())->allows(parts.law(), numbers + parts.numbers().size());
  });
}

bool has_lane_method(const system& which, batch_method method) {
  if (method != batch_method::backward_euler) return true;
  return with_parts(which, false, [](const auto& parts) {
    using enum lane_body;
    return (parts.body == sliding || parts.body == bouncing) &&
           find_lane_model(parts.law())->in_baseline.implicit_step != nullptr;
  });
}

bool has_times_of_its_own(const system& which) {
  return with_parts(which, false, [](const auto& parts) { return parts.law().holds_side(); });
}

bool has_lane_outputs(const system& which) {
  if (with_planar_parts(which, false, [](const auto&) { return true; })) return true;
  return with_parts(which, false, [](const auto& parts) {
    const any_model& law = parts.law();
    const bool is_open_at_rest = law.has_side() && !law.holds_side();
    if (is_set_valued(law) || is_open_at_rest || !law.describe().outputs.empty()) return false;
    const signal* const load = parts.load();
    return load == nullptr || (load->is_constant() && load->offset() > 0);
  });
}

std::optional<lane_job> lane_job_for(const system& like) {
  using answer = std::optional<lane_job>;
  if (planar_setup_in(like) != nullptr)
    return with_planar_parts<answer>(like, std::nullopt, [](const auto& parts) -> answer {
      lane_job job;
      job.kernel.key = parts.key;
      job.kernel.curve = parts.coupling;
      job.kernel.body = parts.body();
      for (const signal* each : parts.inputs()) {
        if (kind_of(*each) == input_kind::other) return std::nullopt;
        job.inputs.push_back(kind_of(*each));
      }
      job.mechanics = parts.numbers().size();
      job.law = detail::numbers_of_law(parts.law).size();
      return job;
    });
  return with_parts<answer>(like, std::nullopt, [](const auto& parts) -> answer {
    const any_model& law = parts.law();
    if (lanes_of(law) == nullptr) return std::nullopt;
    lane_job job;
    job.kernel.key = law.key();
    job.kernel.curve = law.holds_side() ? on_its_side : std::string_view(law.curve());
    job.kernel.body = parts.body;
    for (const auto& each : law.describe().parameters)
      if (each.count != nullptr || each.whole != nullptr)
        job.counts.push_back(each.count != nullptr ? *each.count : *each.whole);
    for (const auto& each : law.describe().parameters)
      if (each.count != nullptr) job.kernel.elements = *each.count;
    for (const signal* each : parts.inputs()) {
      if (kind_of(*each) == input_kind::other) return std::nullopt;
      job.inputs.push_back(kind_of(*each));
    }
    std::vector<double> numbers = parts.numbers();
    job.mechanics = numbers.size();
    find_lane_model(law)->read(law, numbers);
    job.law = numbers.size() - job.mechanics;
    return job;
  });
}

int most_lanes(instruction_set use) {
  return use == instruction_set::avx512 ? avx512_lanes::width
         : use == instruction_set::avx2 ? avx2_lanes::width
                                        : baseline_lanes::width;
}

std::unique_ptr<lane_block> make_lane_block(const system& like, lane_rows numbers,
                                            batch_method method, instruction_set use) {
  const bool is_planar = planar_setup_in(like) != nullptr;
#if defined(__x86_64__)
  if (use == instruction_set::avx512 && numbers.size() > avx2_lanes::width)
    return is_planar ? detail::planar_block_in<avx512_lanes>(like, numbers, method)
                     : detail::block_in<avx512_lanes>(like, numbers, method);
  if (use >= instruction_set::avx2 && numbers.size() > baseline_lanes::width)
    return is_planar ? detail::planar_block_in<avx2_lanes>(like, numbers, method)
                     : detail::block_in<avx2_lanes>(like, numbers, method);
#else
  static_cast<void>(use);
#endif
  return is_planar ? detail::planar_block_in<baseline_lanes>(like, numbers, method)
                   : detail::block_in<baseline_lanes>(like, numbers, method);
}

}  // namespace asperity
