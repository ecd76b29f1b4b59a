#!/usr/bin/env bash
# In the clean root: what the packages bring, used as their users do. Called by try.sh.
set -euo pipefail
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'inside: %s\n' "$*" >&2
  exit 1
}
install() { apt-get install -y -qq --no-install-recommends "$@" >/tmp/log 2>&1 || { tail -n 20 /tmp/log; fail "cannot install $*"; }; }
named_so() {
  find / -xdev \( -path /proc -o -path /here -o -path /packages -o -path /consumer -o -path /tmp -o -path /var \) \
    -prune -o -iname '*asperity*' -print | sort
}
before=$(named_so)
apt-get update -qq || echo "package lists not updated, trying as they are"
! command -v asperity >/dev/null || fail "asperity is there already"

say "the tool"
install /packages/asperity_*.deb
mkdir /here
cd /here
asperity --version
asperity run stick_slip --plot none
test -s stick_slip.run/series.csv
asperity examples | grep 'stick_slip ' >/dev/null  # not -q, which closes the pipe too soon
asperity reproduce xiong_2013/fig_3_4 | tail -n 1
test -f /usr/share/man/man1/asperity-run.1.gz || # a root may be told to leave manual pages out
  grep -rq 'path-exclude.*man' /etc/dpkg/dpkg.cfg.d
bash -c 'source /usr/share/bash-completion/completions/asperity
  COMP_WORDS=(asperity ru) COMP_CWORD=1; _asperity; [[ "${COMPREPLY[*]}" == run ]]'

say "C: pkg-config"
install /packages/libasperity-c1_*.deb /packages/libasperity-dev_*.deb gcc g++ cmake make pkg-config
cc -std=c99 /usr/share/asperity/examples/c/hold.c $(pkg-config --cflags --libs asperity) -o hold
./hold
# Where it is installed with the compiler's own folders, nothing else is named.
[[ "$(pkg-config --variable=libdir asperity)" == */lib/* ]]
test -f "$(pkg-config --variable=includedir asperity)/asperity.h"

say "C++: find_package"
cmake -S /consumer -B /here/build >/tmp/log || { cat /tmp/log; fail "find_package"; }
cmake --build /here/build >/tmp/log || { tail -n 30 /tmp/log; fail "consumer"; }
/here/build/consumer /usr/share/asperity/examples/stick_slip.toml

say "Python"
install /packages/python3-asperity_*.deb
python3 -c '
import asperity
print(asperity.__version__, len(asperity.models.__all__), "models")
print(asperity.run("xiong_2013/fig_3_4"))'

say "documentation and sweeps under mpirun"
install /packages/asperity-doc_*.deb
for package in /packages/asperity-mpi_*.deb; do
  [[ ! -f "$package" ]] || install "$package"
done

say "removed without a trace"
mapfile -t ours < <(for package in /packages/*.deb; do dpkg-deb --field "$package" Package; done)
apt-get purge -y -qq "${ours[@]}" >/tmp/log 2>&1 ||
  { cat /tmp/log; fail "purge"; }
left=$(comm -13 <(echo "$before") <(named_so))
[[ -z "$left" ]] || fail "left over: $left"

say "the tarball, anywhere"
mkdir -p "/opt/some where"
tar -xzf /packages/*.tar.gz -C "/opt/some where" --strip-components=1
"/opt/some where/bin/asperity" run stick_slip --plot none --out from_tarball
cmp stick_slip.run/series.csv from_tarball/series.csv
