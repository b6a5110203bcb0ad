(() => {
  "use strict";
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const pane = document.getElementById("pane");
  const live = document.getElementById("live");
  const parts = new Map(); // claim number -> everything on the page that belongs to it
  const add = (number, element) => parts.set(number, [...(parts.get(number) || []), element]);
  all("[data-claim]").forEach((element) => add(element.dataset.claim, element));
  all("[data-for]").forEach((element) => element.dataset.for.split(" ").forEach((number) => add(number, element)));

  let shown = "";
  let pinned = "";

  const clashes = (element, number) => (element.dataset.clash || "").split(" ").includes(number);

  function show(number) {
    if (number === shown) return;
    (parts.get(shown) || []).forEach((element) => element.classList.remove("on", "hot"));
    shown = number;
    const mine = parts.get(number) || [];
    mine.forEach((element) => {
      element.classList.add("on");
      if (clashes(element, number)) element.classList.add("hot");
    });
    const evidence = mine.find((element) => element.dataset.for);
    const scrolls = pane.scrollHeight > pane.clientHeight + 1;
    if (evidence && scrolls) {
      const box = evidence.getBoundingClientRect();
      const frame = pane.getBoundingClientRect();
      if (box.top < frame.top + 48 || box.bottom > frame.bottom - 24) {
        pane.scrollTop += box.top - frame.top - frame.height / 3;
      }
    }
  }

  function tell(number) {
    const card = document.getElementById("c" + number);
    const reason = card && card.querySelector(".why li");
    live.textContent = card ? `Claim ${number}, ${card.dataset.verdict}. ${reason ? reason.textContent : ""}` : "";
  }

  const numberAt = (target) => {
    const element = target instanceof Element && target.closest("[data-claim]");
    return element ? element.dataset.claim : "";
  };

  document.addEventListener("mouseover", (event) => show(numberAt(event.target) || pinned));
  document.addEventListener("focusin", (event) => {
    const number = numberAt(event.target);
    if (number) { show(number); tell(number); }
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[href^='#']");
    const number = (link && link.dataset.goes) || numberAt(event.target);
    if (!number) return;
    pinned = number;
    show(number);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    pinned = "";
    show("");
  });

  const filter = document.querySelector(".filter");
  const buttons = all(".filter button");
  filter.hidden = buttons.length < 3; // one verdict alone leaves nothing to choose
  buttons.forEach((button) => button.addEventListener("click", () => {
    buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
    const wanted = button.dataset.show;
    all(".card").forEach((card) => { card.hidden = wanted !== "" && card.dataset.verdict !== wanted; });
  }));
  // A link to a card that the filter hides brings all cards back.
  window.addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.hidden) { buttons[0].click(); target.scrollIntoView(); }
  });
})();
