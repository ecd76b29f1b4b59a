// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/input_signal.hpp>
#include <numbers>

namespace asperity {

namespace {

using std::numbers::pi;

signal::tone read_tone(key_builder& table, unit in) {
  constexpr unit per_second = units::one / units::second;
  constexpr unit radians_per_second = units::radian / units::second;
  signal::tone tone;
  double frequency = 1, start = 0;
  table.required("amplitude", tone.amplitude, in, any_value, "amplitude of the wave");
  const bool by_frequency = table.has("frequency");
  if (by_frequency) {
    if (table.has("omega")) table.refuse("omega", "give either frequency (Hz) or omega (rad/s)");
    table.optional("frequency", frequency, per_second, positive,
                   "frequency in Hz, instead of omega", "none");
    tone.omega = 2 * pi * frequency;
  }
  if (!by_frequency || table.lists()) {
    if (!table.has("omega"))
      table.miss("omega", "a number in rad/s, above 0; or give frequency in Hz");
    table.required("omega", tone.omega, radians_per_second, positive,
                   "angular frequency in rad/s, unless frequency is given");
  }
  table.optional("phase", tone.phase, units::radian, any_value, "phase of the wave at start");
  table.optional("start", start, units::second, any_value, "time from which the phase is counted");
  tone.phase -= tone.omega * start;
  return tone;
}

signal read_wave(key_builder& table, unit in, double ahead) {
  signal::tone tone = read_tone(table, in);
  tone.phase += ahead;
  double offset = 0;
  table.optional("offset", offset, in, any_value, "constant added to the wave");
  return signal::sines({tone}, offset);
}

signal read_sum(key_builder& table, unit in) {
  std::vector<signal::tone> tones;
  for (key_builder& each : table.tables("tone", "tables with the keys of a sine",
                                        "a list of tables with amplitude, frequency or omega, and "
                                        "phase")) {
    tones.push_back(read_tone(each, in));
    each.finish();
  }
  double offset = 0;
  table.optional("offset", offset, in, any_value, "constant added to their sum");
  return signal::sines(std::move(tones), offset);
}

}  // namespace

namespace detail {

extern const signal_row sine{
    .name = "sine",
    .meaning = "offset + amplitude sin(omega (t - start) + phase)",
    .read = [](key_builder& table, unit in) { return read_wave(table, in, 0); }};

extern const signal_row cosine{
    .name = "cosine",
    .meaning = "offset + amplitude cos(omega (t - start) + phase)",
    .read = [](key_builder& table, unit in) { return read_wave(table, in, pi / 2); }};

extern const signal_row multisine{
    .name = "multisine", .meaning = "offset + the sum of sines", .read = read_sum};

}  // namespace detail

}  // namespace asperity
