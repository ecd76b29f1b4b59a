% SPDX-License-Identifier: Apache-2.0
% The stick-slip oscillator of stiff_bench by Octave's lsode, as a user would type it.
% usage: octave stick_slip_octave.m LOG10_OF_RELATIVE_TOLERANCE
% Prints the processor time of 20 s in seconds and the mean period of slip over 120 s.
1;
function d = rates(y, t)
  v = y(2);
  level = 1 + 0.5 * exp(-(v / 1e-3)^2);
  z_dot = v - 1e5 * abs(v) / level * y(3);
  d = [v; 0.1 * t - y(1) - (1e5 * y(3) + sqrt(1e5) * z_dot + 0.4 * v); z_dot];
end
relative = 10 ^ str2double(argv(){1});
lsode_options("relative tolerance", relative);
lsode_options("absolute tolerance", 1e-5 * relative);
start = cputime();
lsode(@rates, [0; 0; 0], [0 20]);
seconds = cputime() - start;
t = 0:1e-3:120;
y = lsode(@rates, [0; 0; 0], t);
v = y(:, 2);
at = find(v(1:end-1) < 0.05 & v(2:end) >= 0.05);
onsets = t(at)' + 1e-3 * (0.05 - v(at)) ./ (v(at + 1) - v(at));
printf("%.9g %.9g\n", seconds, (onsets(end) - onsets(2)) / (numel(onsets) - 2));
