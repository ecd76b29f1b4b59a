# The work-precision diagram of docs/speed.md:
#   stiff_bench --csv points.csv && gnuplot -e "points='points.csv'; picture='docs/work_precision.svg'" benchmarks/work_precision.gnuplot
set terminal svg size 1100,480 font "sans,13"
set output picture
set datafile separator comma
set logscale xy
set xrange [*:*] reverse
set format x "10^{%T}"
set format y "10^{%T}"
set grid
set key outside below center horizontal samplen 2 maxcols 3
set multiplot layout 1,3
set ylabel "processor time (s)"
draw(w, m) = sprintf("< awk -F'\"' '$2==\"%s\"{print substr($3,2)}' %s | awk -F, '$1==\"%s\" && $4<1{print $4\",\"$3}' | sort -t, -k1,1gr", w, points, m)
set title "stick-slip, LuGre, 20 s"
set xlabel "error of the period (s)"
plot draw("stick-slip, 20 s", "rosenbrock") w lp lw 2 pt 7 lc rgb "#1b6ca8" t "rosenbrock", draw("stick-slip, 20 s", "cvode") w lp lw 2 pt 5 lc rgb "#c0392b" t "CVODE", draw("stick-slip, 20 s", "odeint dopri5") w p pt 9 lc rgb "#7f8c8d" t "odeint dopri5", draw("stick-slip, 20 s", "scipy LSODA") w lp lw 2 pt 11 lc rgb "#d68910" t "SciPy LSODA", draw("stick-slip, 20 s", "octave lsode") w p pt 13 lc rgb "#6c3483" t "Octave lsode"
set ylabel ""
do for [K in "1e+05 1e+08"] {
  w = "shaken mass, K = ".K
  set title "forced mass, DAI, K = ".K." N/m, 4 s"
  set xlabel "error of x / largest |x|"
  plot draw(w, "rosenbrock") w lp lw 2 pt 7 lc rgb "#1b6ca8" t "rosenbrock", draw(w, "trbdf2") w lp lw 2 pt 9 lc rgb "#1e8449" t "trbdf2", draw(w, "sdirk2") w lp lw 2 pt 11 lc rgb "#7d9d2e" t "sdirk2", draw(w, "cvode") w lp lw 2 pt 5 lc rgb "#c0392b" t "CVODE"
}
unset multiplot
