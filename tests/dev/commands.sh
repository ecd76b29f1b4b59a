#!/usr/bin/env bash
# commands.sh SOURCE: ./dev in a copy of the tree that is a repository of its own. The hook is written and
# runs, the list for users is the smaller one, and release-check refuses what is not ready.
set -euo pipefail
source=$1
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}
command -v git >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for file in dev packages.txt CMakeLists.txt CHANGELOG.md CITATION.cff; do cp "$source/$file" .; done
git init -q .
git add .
git -c user.name=test -c user.email=test@localhost commit -qm "A copy"

# Every command of the help is one that ./dev knows, and the other way round.
named=$(./dev help | sed -nE 's!^\./dev ([-a-z]+).*!\1!p' | sort -u)
known=$(sed -n '/^case \$command in/,/^esac/p' dev | sed -nE 's/^  ([-a-z]+)\).*/\1/p' | sort -u)
diff <(echo "$named" | grep -vx help) <(echo "$known" | grep -vx help) || fail "help and commands differ"

# Packages: none twice, and the ones for users are some of them.
repeated=$(grep -vE '^(#|\[|$)' packages.txt | sort | uniq -d)
[[ -z "$repeated" ]] || fail "packages.txt repeats $repeated"
for wanted in g++ cmake libcli11-dev; do
  awk '/^\[user\]/ { on = 1; next } /^\[/ { on = 0 } on' packages.txt | grep -qx -- "$wanted" || fail "[user] lacks $wanted"
done
! awk '/^\[user\]/ { on = 1; next } /^\[/ { on = 0 } on' packages.txt | grep -qE 'gtest|clang|valgrind|benchmark' ||
  fail "[user] has what only tests need"
for section in $(sed -nE 's/^\[(.*)\]$/\1/p' packages.txt); do
  sed -n '/^setup() {/,/^}/p' dev | grep -qE -- "--all\).* $section( |$)" || fail "setup --all leaves out [$section]"
  grep -qE "install_sections.* $section( |$)" <(grep -v -- '--all)' dev) || [[ $section == optional ]] ||
    fail "no command installs [$section]"
done
! ./dev setup --nonsense 2>/dev/null || fail "setup takes nonsense"

# The hook, which does not replace another one.
hook=$(./dev hook)
[[ -x "$hook" ]] && grep -q 'dev lint --format' "$hook" || fail "no hook"
./dev hook >/dev/null || fail "the hook cannot be written again"
echo 'something else' >"$hook"
! ./dev hook 2>/dev/null || fail "another hook was replaced"
rm "$hook"

# A version that is not ready, and one that is.
expect_refusal() {
  local said
  ! said=$(./dev release-check "${@:2}" 2>&1) || fail "release-check takes ${*:2}"
  grep -q -- "$1" <<<"$said" || fail "release-check ${*:2} says: $said"
}
version=$(sed -nE 's/^project\(asperity VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
commit() { git -c user.name=test -c user.email=test@localhost commit -qam "Changed"; }
expect_refusal 'takes a version'
expect_refusal 'takes a version' 1.x
expect_refusal 'CMakeLists.txt says' 99.0.0 --quick
sed -i -E "s/^## $version .*/## $version (unreleased)/" CHANGELOG.md
git diff --quiet || commit
expect_refusal 'CHANGELOG.md has no line' "$version" --quick
sed -i "s/^## $version .*/## $version (2026-01-31)/" CHANGELOG.md
expect_refusal 'not committed' "$version" --quick
commit
./dev release-check "$version" --quick | grep -q 'ready' || fail "release-check refuses what is ready"
git -c user.name=test -c user.email=test@localhost tag "v$version"
expect_refusal 'exists already' "$version" --quick
echo "./dev does what its help says"
