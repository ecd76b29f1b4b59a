// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every Preisach operator needs, whatever the size of its mesh and memory.
//
// The Everett function E(a, b), a >= b, is the weight of all relays that switch up at or below a
// and down at or above b. It is given at the nodes of a regular mesh of n cells a side; within a
// cell the density of relays is constant, so E follows exactly from the nodes around.

#include <asperity/lists.hpp>

namespace asperity::detail {

// Where E(x_i, x_j), i > j, stands in a list: E_10, E_20, E_21, E_30 ...
ASPERITY_FN int everett_index(int i, int j) { return i * (i - 1) / 2 + j; }

// E(a, b) for positions in cells: 0 <= b <= a <= n. node(i, j) is E at nodes i >= j, 0 for i = j.
template <class S, class Node>
ASPERITY_FN S everett(const Node& node, int n, const S& a, const S& b) {
  const int i = lists::index(a, n - 1), j = lists::index(b, n - 1);
  if (i <= j) {  // both in one triangle at the diagonal
    const S width = a - b;
    return node(i + 1, i) * width * width;
  }
  const S up = a - S(i), down = S(j + 1) - b;  // parts of the cells passed
  const S inner = node(i, j + 1), row = node(i + 1, j + 1) - inner, column = node(i, j) - inner;
  const S corner = node(i + 1, j) - node(i, j) - row;
  const S row_end = node(i + 1, i), column_end = node(j + 1, j);  // triangles at the diagonal
  return inner + up * (row - row_end + up * row_end) +
         down * (column - column_end + down * column_end) + up * down * corner;
}

// The reduced memory: after coming up from far below, maxima and minima that no later excursion has
// wiped out, s[0] a maximum, s[1] a minimum, s[2] a maximum ...; the last one is the input itself.
// Takes the input from where it is to x in [0, top] and returns how many there are then; -1 where a
// turn needs more than `capacity`. But a swing below a millionth of a cell, which moves the output by
// its square, is then forgotten instead.
template <class S, class List>
ASPERITY_FN int remember(List&& s, int depth, int capacity, const S& x) {
  const auto at = [&](int k) { return k > 0 ? s[k - 1] : S(0); };  // at(0): far below
  if (depth == 0) {
    if (!(S(0) < x)) return 0;
    s[0] = x;
    return 1;
  }
  const bool rises = at(depth) < x, on_rising_branch = depth % 2 == 1;
  if (x == at(depth)) return depth;
  if (rises == on_rising_branch) {
    s[depth - 1] = x;
  } else if (depth < capacity) {
    s[depth++] = x;
  } else {
    if (lit<S>(1e-6) < math::abs(at(depth) - at(depth - 1))) return -1;
    s[--depth - 1] = x;
  }
  for (;;) {  // loops that close are wiped out
    const bool is_maximum = depth % 2 == 1;
    if (is_maximum && depth >= 3 && at(depth - 2) <= x) {
      depth -= 2;
    } else if (!is_maximum && depth >= 2 && x <= at(depth - 2)) {
      depth -= 2;
    } else {
      return depth;
    }
    if (depth > 0) s[depth - 1] = x;
  }
}

// The output: from all relays down, each branch turns those up, or down again, that it passed.
template <class S, class Node, class List>
ASPERITY_FN S preisach_output(const Node& node, int n, const List& s, int depth) {
  S half = S(0), before = S(0);
  for (int k = 0; k < depth; ++k) {
    const S now = s[k];
    half += k % 2 == 0 ? everett(node, n, now, before) : -everett(node, n, before, now);
    before = now;
  }
  return S(2) * half - node(n, 0);
}

}  // namespace asperity::detail
