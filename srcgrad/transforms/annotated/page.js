"use strict";
(() => {
  const rows = [...document.querySelectorAll(".row")];
  const lists = [...document.querySelectorAll(".rows")];
  const status = document.getElementById("status");
  const hint = status.innerHTML;
  const byLine = new Map(); // "file.line" -> the rows that belong to it
  let held = null;
  let marked = [];

  const keys = (element) => (element.dataset.at || "").split(" ").filter(Boolean);
  const lineOf = (key) => key.replace(/[fr]$/, "");
  for (const row of rows)
    for (const line of new Set(keys(row).map(lineOf))) {
      if (!byLine.has(line)) byLine.set(line, []);
      byLine.get(line).push(row);
    }

  function dark() {
    for (const row of rows) row.classList.remove("f", "r", "here");
    for (const code of marked) code.innerHTML = code.dataset.plain;
    marked = [];
  }

  // The rows that share a line with an element: its sweep only, or both where it names none.
  function light(element) {
    dark();
    element.classList.add("here");
    for (const key of keys(element)) {
      const sweep = /[fr]$/.test(key) ? key.slice(-1) : "";
      for (const row of byLine.get(lineOf(key)) || [])
        for (const other of keys(row)) {
          if (lineOf(other) !== lineOf(key)) continue;
          const theirs = /[fr]$/.test(other) ? other.slice(-1) : sweep;
          if (!sweep || !theirs || theirs === sweep) row.classList.add(theirs || sweep || "f");
        }
    }
    for (const part of (element.dataset.part || "").split(" ").filter(Boolean)) {
      const [line, span] = part.split(":");
      const row = document.getElementById("s" + line.replace(".", "-"));
      if (row) underline(row.querySelector("code"), ...span.split("-").map(Number));
    }
    describe(element);
  }

  // Marks the characters of a line between two columns.
  function underline(code, start, end) {
    if (!code.dataset.plain) code.dataset.plain = code.innerHTML;
    marked.push(code);
    let at = 0;
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const [from, to] = [Math.max(start - at, 0), Math.min(end - at, node.length)];
      if (from < to) found.push([node, from, to]);
      at += node.length;
    }
    for (const [node, from, to] of found) {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      range.surroundContents(document.createElement("mark"));
    }
  }

  function describe(element) {
    const told = [...element.querySelectorAll("[title]")].map((e) => e.title).filter(Boolean);
    const lines = [...new Set(keys(element).map(lineOf))].map((k) => k.split(".")[1]);
    const whose = element.id.startsWith("s") ? "line " : "of line" + (lines.length > 1 ? "s " : " ");
    status.textContent = lines.length || told.length
      ? (lines.length ? whose + lines.join(", ") : "no line of the source") + (told.length ? ": " + told.join("; ") : "")
      : "no line of the source";
  }

  function show(element) {
    light(element);
    for (const list of lists) {
      if (list.contains(element)) continue;
      const first = list.querySelector(".row.f, .row.r");
      if (first) list.scrollTop = first.offsetTop - list.offsetTop - list.clientHeight / 3;
    }
  }

  function let_go() {
    held = null;
    dark();
    status.innerHTML = hint;
  }

  const target = (event) => event.target.closest && event.target.closest("[data-at]");
  document.addEventListener("mouseover", (event) => {
    const element = target(event);
    if (held) return;
    if (element) light(element);
    else dark();
  });
  document.addEventListener("click", (event) => {
    const element = target(event);
    if (!element || element === held) return let_go();
    held = element;
    if (element.matches(".row")) focus(element);
    show(element);
  });
  document.addEventListener("focusin", (event) => {
    const element = target(event);
    if (element && event.target.matches(":focus-visible")) {
      held = null;
      light(element);
    }
  });

  // One row of each pane is in the order of tabs; the arrow keys walk from there.
  function focus(row) {
    for (const other of row.parentElement.querySelectorAll('.row[tabindex="0"]')) other.tabIndex = -1;
    row.tabIndex = 0;
    row.focus({ preventScroll: true });
    const [top, end] = [row.offsetTop - row.parentElement.offsetTop, row.parentElement.clientHeight];
    const at = row.parentElement.scrollTop;
    if (top < at || top + row.offsetHeight > at + end)
      row.parentElement.scrollTop = Math.max(0, top - end / 2);
  }
  for (const list of lists) {
    const first = list.querySelector(".row");
    if (first) first.tabIndex = 0;
    list.addEventListener("keydown", (event) => {
      const own = [...list.querySelectorAll(".row")];
      const at = own.indexOf(document.activeElement);
      const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: own.length - 1 };
      if (event.key in steps) {
        event.preventDefault();
        const next = own[Math.max(0, Math.min(steps[event.key], own.length - 1))];
        held = null;
        focus(next);
        show(next);
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        held = own[at];
        show(own[at]);
      }
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") let_go();
  });

  // The tabs of a pane: the text of one is shown.
  for (const tab of document.querySelectorAll("[data-shows]"))
    tab.addEventListener("click", (event) => {
      event.stopPropagation();
      for (const other of tab.parentElement.children) {
        const shown = other === tab;
        other.setAttribute("aria-pressed", shown);
        document.getElementById(other.dataset.shows).hidden = !shown;
      }
      if (held) show(held);
    });
})();
