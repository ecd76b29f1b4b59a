#!/usr/bin/env bash
# Faults in the headers of models, one at a time, and who notices: ./dev mutants
#
# All faults of a header are compiled at once into a header of the same name, first on the include
# path; SEEDED_FAULT chooses one when a program starts. Each is tried on the header's own test, then,
# where that passes, on the laws of every model that the header is part of, then on the experiments
# that name these models. What was noticed is kept in results.tsv under the hash of the header and is
# not tried again; what was not is.
set -euo pipefail

root=$PWD
build=$root/build/release
work=$build/seeded_faults
results=$work/results.tsv
equivalent=$root/tests/seeded_faults/equivalent.txt
faults=$build/tests/seeded_faults

fail() {
  printf 'mutants: %s\n' "$*" >&2
  exit 2
}

# ---- which headers, and what belongs to them ------------------------------------------------------

headers() { git ls-files -- 'asperity/models/*.hpp' 'asperity/nonsmooth/*.hpp'; }

# The headers of models that a header is part of: itself, or those that include it.
models_of() {
  local header=$1 user
  case $header in
    */detail/* | asperity/nonsmooth/*)
      for user in $(git grep -lF "#include <$header>" -- 'asperity/models/*.hpp' 'asperity/nonsmooth/*.hpp'); do
        models_of "$user"
      done | sort -u
      ;;
    *) echo "$header" ;;
  esac
}

# The test beside it, then the others that include what it is part of.
tests_of() {
  local header=$1 user
  [[ ! -f ${header%.hpp}_test.cpp ]] || echo "${header%.hpp}_test.cpp"
  [[ $header == */detail/* ]] || return 0
  git grep -lF "#include <$header>" -- 'asperity/models/*_test.cpp' || true
  for user in $(models_of "$header"); do echo "${user%.hpp}_test.cpp"; done
}

keys_of() { models_of "$1" | xargs -r -n 1 basename -s .hpp; }

# ---- compiling, linking, running ------------------------------------------------------------------

# The flags of an object of the build, without those that optimise and warn. Quoted for the shell.
flags_of() {
  ninja -C "$build" -t commands "$1" | tail -n 1 | grep -oE -- '-(D|I|std=|f)[^ ]+|-isystem [^ ]+' | paste -sd ' '
}

# The command that links a program of the build, with OBJECTS for its own: {} is the output.
link_of() {
  local keep=$2 command
  command=$(ninja -C "$build" -t commands "$1" | tail -n 1 | sed -E 's/^: && //; s/ && :$//')
  [[ $keep == keep ]] || command=$(sed -E 's! [^ ]*CMakeFiles[^ ]*\.o!!g' <<<"$command")
  sed -E "s! -o $1 ! \"\$objects\" -o \"\$out\" !; s!c\+\+ !c++ $linker !; s! -O3!!" <<<"$command"
}

prepare() {
  mkdir -p "$work"
  linker=$(command -v ld.gold >/dev/null && echo -fuse-ld=gold || true)
  local any=tests/CMakeFiles/model_tests.dir/__/asperity/models/friction/coulomb_test.cpp.o
  {
    printf 'test_flags=%q\n' "$(flags_of "$any") -DASPERITY_SOURCE_DIR='\"$root\"' -DASPERITY_BINARY_DIR='\"$build\"'"
    printf 'model_flags=%q\n' "$(flags_of CMakeFiles/asperity.dir/generated/models/coulomb.cpp.o)"
    printf 'link_test=%q\n' "$(link_of tests/model_tests leave)"
    printf 'link_laws=%q\n' "$(link_of tests/laws_test keep)"
    printf 'link_port_laws=%q\n' "$(link_of tests/port_laws_test keep)"
    printf 'link_tool=%q\n' "$(link_of cli/asperity keep)"
  } >"$work/commands"
  . "$work/commands"
  # What many tests include is read once: no headers in which faults are seeded, nor what includes them.
  printf '#include <%s>\n' gtest/gtest.h algorithm cmath functional map random set string vector \
    asperity/{elements,lists,testing}.hpp asperity/scalar/{dual,fixed_count,pack}.hpp >"$work/common"
  if ! cmp -s "$work/common" "$work/common.hpp" ||
    [[ -n $(find asperity -name '*.hpp' -newer "$work/common.hpp.gch" 2>&1) ]]; then
    cp "$work/common" "$work/common.hpp"
    eval "c++ $test_flags -O0 -w -x c++-header '$work/common.hpp' -o '$work/common.hpp.new'"
    mv "$work/common.hpp.new" "$work/common.hpp.gch"  # another run may be reading it
  fi
  # The tests that take nine tenths of the time of all: these are tried last.
  if [[ ! -s $work/slow ]]; then
    "$build/tests/model_tests" | sed -nE 's/^\[ +OK \] ([^ ]+) \(([0-9]+) ms\)/\2 \1/p' | sort -rn |
      awk '{ time[NR] = $1; name[NR] = $2; all += $1 }
        END { for (i = 1; sum < 0.9 * all; ++i) { sum += time[i]; print name[i] } }' | paste -sd : >"$work/slow"
  fi
}

# limited SECONDS COMMAND ...: in so much processor time, without a word. 0: it ended well.
limited() {
  local seconds=$1
  shift
  (
    ulimit -t "$seconds" -v 8000000 -c 0
    timeout "$((100 * seconds))" "$@" >/dev/null 2>&1
  ) 2>/dev/null
}

compile_test() { eval "c++ -I'$1' $test_flags -O0 -w -include '$work/common.hpp' -c '$root/$2' -o '$3'"; }
compile_model() { eval "c++ -I'$1' $model_flags -O1 -w -c '$build/generated/models/$2.cpp' -o '$3'"; }
link() { (cd "$build" && objects=$2 out=$3 && eval "${!1//\"\$objects\"/$objects}"); }

# The numbers of faults that the compiler complains about: where it found the error, or else what asked
# for what it did not find.
refused() {
  local numbers
  numbers=$(sed -nE 's/^seeded_fault_([0-9]+):[0-9:]+ (fatal )?error:.*/\1/p' "$1" | sort -un)
  [[ -n $numbers ]] || numbers=$(sed -nE 's/.*seeded_fault_([0-9]+):.*/\1/p' "$1" | head -n 1)
  echo $numbers
}

# compile FUNCTION HEADER SOURCE OBJECT: the source with all numbers of `left`, out of which those are
# taken that do not compile; these are remembered.
compile() {
  local number bad
  while true; do
    "$faults" make "$2" "${left[@]}" >"$folder/$2"
    "$1" "$folder" "$3" "$4" 2>"$folder/errors" && return
    bad=$(refused "$folder/errors")
    [[ -n $bad ]] || {
      head -n 20 "$folder/errors" >&2
      fail "$3 does not compile"
    }
    for number in $bad; do remember "$number" uncompiled; done
    drop $bad
  done
}

drop() {
  local number kept=()
  for number in "${left[@]}"; do [[ " $* " == *" $number "* ]] || kept+=("$number"); done
  left=("${kept[@]}")
}

# remember NUMBER ANSWER
remember() {
  printf '%s\t%s\t%s\t%s\n' "$hash" "$header" "${about[$1]}" "$2" >>"$results"
  answer[$1]=$2
}

# notices ANSWER PROGRAM ...: tries what is left; what the program notices is left no longer. The
# program must pass without a fault, and may take ten times the time that it took so.
notices() {
  local number noticed=() seconds name=$1
  shift
  seconds=$(
    TIMEFORMAT='%3U'
    { time limited 1200 "$@" || echo failed; } 2>&1
  )
  [[ $seconds != *failed* ]] || fail "$header: the $name fails without any fault: $*"
  seconds=$((2 + 10#${seconds//[^0-9]/} / 100))
  for number in "${left[@]}"; do
    SEEDED_FAULT=$number limited "$seconds" "$@" || {
      remember "$number" "$name"
      noticed+=("$number")
    }
  done
  drop "${noticed[@]:-0}"
}

# All faults of a header up to the number asked for; a line of latest.tsv each.
try_header() {
  local header=$1 wanted=$2 hash number kind line what text reason key test keys filter experiments objects=() programs=()
  local left=() chosen=() taken=0
  declare -A about answer excused
  . "$work/commands"
  folder=$(mktemp -d "$work/try.XXXXXX")
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/$(dirname "$header")"
  hash=$(md5sum <"$header" | cut -c 1-16)
  while IFS=$'\t' read -r number kind line what text known reason; do
    about[$number]=$kind$'\t'$line$'\t'$what$'\t'$text
    [[ -z $reason ]] || excused[$number]=$reason
    # Some do not compile: a few more than wanted.
    ((${#chosen[@]} < 2 * wanted)) || continue
    [[ $known != uncompiled ]] || continue
    chosen+=("$number")
    if [[ $known =~ ^(test|laws|claims)$ ]]; then answer[$number]=$known; else left+=("$number"); fi
  done < <(with_what_is_known)

  for test in $(tests_of "$header" | awk '!seen[$0]++'); do
    ((${#left[@]} > 0)) || break
    compile compile_test "$header" "$test" "$folder/test.o"
    only_wanted
    ((${#left[@]} > 0)) || break
    programs+=("$folder/test_${#programs[@]}")
    link link_test "$folder/test.o" "${programs[-1]}" || fail "cannot link $test"
    notices test "${programs[-1]}" --gtest_fail_fast --gtest_brief=1 --gtest_filter="-$(<"$work/slow")"
  done
  for test in "${programs[@]}"; do
    ((${#left[@]} == 0)) || notices test "$test" --gtest_fail_fast --gtest_brief=1 --gtest_filter="$(<"$work/slow")"
  done
  only_wanted
  # What is known to change nothing is not looked for any further.
  for number in "${left[@]}"; do
    [[ -z ${excused[$number]:-} ]] || answer[$number]=equivalent
  done
  drop "${!excused[@]}"

  keys=
  [[ $until == tests ]] || keys=$(keys_of "$header")
  if ((${#left[@]} > 0)) && [[ -n $keys ]]; then
    for key in $keys; do
      compile compile_model "$header" "$key" "$folder/$key.o"
      objects+=("$folder/$key.o")
    done
    filter=$(sed 's!.*!*/&:*/&_with_*!' <<<"$keys" | paste -sd :)
    for test in link_laws link_port_laws; do
      ((${#left[@]} > 0)) || break
      link $test "${objects[*]}" "$folder/laws" || fail "cannot link the laws"
      notices laws "$folder/laws" --gtest_fail_fast --gtest_brief=1 --gtest_filter="$filter"
    done
    experiments=$(for key in $keys; do grep -lE "\"$key\"" experiments/*/*.toml || true; done |
      sort -u | sed -E 's!experiments/(.*)\.toml!\1!')
    if ((${#left[@]} > 0)) && [[ -n $experiments && $until == claims ]]; then
      link link_tool "${objects[*]}" "$folder/tool" || fail "cannot link the tool"
      notices claims "$folder/tool" reproduce $experiments --experiments "$root/experiments"
    fi
  fi
  for number in "${left[@]}"; do remember "$number" open; done

  for number in "${chosen[@]}"; do
    [[ ${answer[$number]:-uncompiled} != uncompiled ]] || continue
    [[ -z ${excused[$number]:-} || ${answer[$number]} == equivalent ]] || answer[$number]=stale
    printf '%s\t%s\t%s\n' "$header" "${about[$number]}" "${answer[$number]}" >>"$work/latest.tsv"
    [[ ${answer[$number]} =~ ^(open|stale)$ ]] || continue
    awk -F '\t' -v h="$header" -v a="${answer[$number]}" \
      '{ printf "%s: %s:%s: %s: %s\n      %s\n", a, h, $2, $1, $3, $4 }' <<<"${about[$number]}"
  done
  awk -F '\t' -v h="$header" '$1 == h { ++n; noticed += $6 ~ /test|laws|claims/; same += $6 == "equivalent" }
    END { printf "%3d of %3d noticed%s: %s\n", noticed, n - same, same ? ", " same " equivalent" : "", h }' "$work/latest.tsv"
}

# The faults of the header, each with the last answer to it and whether it is listed as equivalent.
with_what_is_known() {
  awk -F '\t' -v h="$hash" -v key="$(basename "$header" .hpp)" '
    FILENAME == ARGV[1] { if ($1 == h) known[$5, $6] = $7; next }
    FILENAME == ARGV[2] { if (!/^#/ && $1 == key) excused[$2, $3] = 1; next }
    { print $0 "\t" (($4, $5) in known ? known[$4, $5] : "new") "\t" (($4, $5) in excused ? 1 : "") }' \
    "$results" "$equivalent" <("$faults" list "$header")
}

# Of those that compile, no more than were asked for, in their order.
only_wanted() {
  local number n=0 kept=()
  for number in "${chosen[@]}"; do
    [[ ${answer[$number]:-} != uncompiled ]] || continue
    ((n < wanted)) || break
    kept+=("$number")
    n=$((n + 1))
  done
  chosen=("${kept[@]}")
  kept=()
  for number in "${left[@]}"; do [[ " ${chosen[*]} " != *" $number "* ]] || kept+=("$number"); done
  left=("${kept[@]}")
}

table() {
  awk -F '\t' '
    { f = $1; sub("^asperity/(models/)?", "", f); sub("/.*", "", f)
      if (!($1 in seen)) { seen[$1] = 1; ++n[f, "headers"]; ++n["together", "headers"] }
      split("all " $2 " " $6, names, " ")
      for (i in names) { ++n[f, names[i]]; ++n["together", names[i]] }
      if (!(f in known)) { known[f] = 1; order[++families] = f } }
    function row(f) {
      printf "%-20s%9d%8d%6d%6d%8d%7d%10d%7d%8d%12d%6d\n", f, n[f, "headers"], n[f, "all"], n[f, "sign"],
        n[f, "term"], n[f, "factor"], n[f, "bound"], n[f, "test"], n[f, "laws"], n[f, "claims"],
        n[f, "equivalent"], n[f, "open"] + n[f, "stale"] }
    END {
      printf "%-20s%9s%8s%6s%6s%8s%7s%10s%7s%8s%12s%6s\n", "family", "headers", "faults", "sign", "term", "factor",
        "bound", "own test", "laws", "claims", "equivalent", "open"
      for (i = 1; i <= families; ++i) row(order[i])
      row("together")
      exit n["together", "open"] + n["together", "stale"] > 0 }' <(sort "$work/latest.tsv")
}

# ---- what is asked for ----------------------------------------------------------------------------

if [[ ${1:-} == --one-header ]]; then  # from xargs below
  until=$4
  try_header "$2" "$3"
  exit
fi

wanted=4 until=claims chosen=() jobs=$(nproc)
while (($# > 0)); do
  case $1 in
    --all) wanted=1000000 ;;
    --sample)
      wanted=${2:-}
      [[ $wanted =~ ^[1-9][0-9]*$ ]] || fail "--sample takes a number above 0, not '$wanted'"
      shift
      ;;
    --until)
      until=${2:-}
      [[ $until =~ ^(tests|laws|claims)$ ]] || fail "--until takes tests, laws or claims, not '$until'"
      shift
      ;;
    --jobs)
      jobs=${2:-}
      [[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "--jobs takes a number above 0, not '$jobs'"
      shift
      ;;
    -*) fail "unknown option '$1'; see ./dev help" ;;
    *)
      found=$(headers | grep -E "(^|/)$1(\.hpp|/.*)?$" || true)
      [[ -n $found ]] || fail "no header '$1': a model such as lugre, or a family such as contact"
      mapfile -t -O "${#chosen[@]}" chosen <<<"$found"
      ;;
  esac
  shift
done
((${#chosen[@]} > 0)) || mapfile -t chosen < <(headers)
prepare
touch "$results"
: >"$work/latest.tsv"
printf '%s\n' "${chosen[@]}" | awk '!seen[$0]++' |
  xargs -P "$jobs" -I {} "${BASH_SOURCE[0]}" --one-header {} "$wanted" "$until" || fail "interrupted, or a test fails as it is"
echo
table
