// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace asperity {

// Search without a server: the index is a script, since pages that are read from a disc may not fetch
// files. It is loaded when somebody begins to search. Also: a button to copy code.
inline constexpr const char* search_script = R"js("use strict";
(() => {
  const up = document.currentScript.dataset.up;
  const make = (tag, more, ...inside) => {
    const made = Object.assign(document.createElement(tag), more);
    made.append(...inside);
    return made;
  };

  // ---- search ----
  const field = make("input", {type: "search", placeholder: "Search  ( / )", autocomplete: "off"});
  field.setAttribute("aria-label", "Search the documentation");
  const list = make("ul", {className: "found", hidden: true});
  document.querySelector("header").append(make("div", {className: "search"}, field, list));
  let wanted = false;
  const load = () => {
    if (wanted) return;
    wanted = true;
    document.head.append(make("script", {src: up + "search_index.js", onload: show}));
  };
  const rank = (page, words) => {
    let sum = 0;
    for (const word of words) {
      const title = page.title.toLowerCase(), key = page.address.toLowerCase();
      let best = 0;
      if (key.endsWith("/" + word + ".html")) best = 100;
      else if (title.split(/[^a-z0-9_+]+/).includes(word)) best = 40;
      else if (title.includes(word) || key.includes(word)) best = 20;
      else if (page.words.includes(" " + word + " ")) best = 5;
      else if (page.words.includes(" " + word)) best = 2;
      if (best === 0) return 0;
      sum += best;
    }
    return sum;
  };
  function show() {
    // Words end where those of the index do: stick-slip and --json are found, too.
    let words = field.value.toLowerCase().split(/[^a-z0-9_+\u0080-\uffff]+/).filter(word => word);
    if (words.some(word => word.length > 1)) words = words.filter(word => word.length > 1);
    list.replaceChildren();
    list.hidden = words.length === 0 || typeof asperity_pages === "undefined";
    if (list.hidden) return;
    const found = asperity_pages.map(page => ({page, rank: rank(page, words)}))
        .filter(each => each.rank > 0).sort((a, b) => b.rank - a.rank).slice(0, 14);
    for (const {page} of found)
      list.append(make("li", {}, make("a", {href: up + page.address}, page.title,
                                      make("small", {}, page.kind))));
    if (found.length === 0) list.append(make("li", {}, make("a", {}, "Nothing found")));
  }
  field.addEventListener("focus", load);
  field.addEventListener("input", () => { load(); show(); });
  document.addEventListener("keydown", event => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
    if (event.key === "Escape") { list.hidden = true; field.blur(); }
    const links = [...list.querySelectorAll("a[href]")], at = links.indexOf(document.activeElement);
    if (!list.hidden && links.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      links[(at + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length].focus();
    }
    if (event.key === "Enter" && event.target === field && links.length) location.href = links[0].href;
  });
  document.addEventListener("click", event => {
    if (!event.target.closest(".search")) list.hidden = true;
  });

  // ---- code ----
  if (navigator.clipboard)
    for (const pre of document.querySelectorAll(".wide > pre")) {
      const button = make("button", {type: "button", className: "copy"}, "copy");
      button.addEventListener("click", () => {
        navigator.clipboard.writeText(pre.textContent);
        button.textContent = "copied";
      });
      pre.parentElement.append(button);
    }
})();
)js";

}  // namespace asperity
