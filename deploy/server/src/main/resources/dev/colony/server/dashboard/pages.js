// Which pages lie in which replica's cache: a column for each replica, a row for each page.

import { get } from "./api.js";
import { Live, button, cells, div, h1, h2, number, p, rows, span, table, tbody, td, th, thead, tr } from "./parts.js";

const MOST = 1000;
const ROWS = 100;

export class Pages extends Live {
  constructor(props) {
    super(props);
    this.shown = ROWS;
  }

  async load() {
    const [pages, found, locks, faults] = await Promise.all([
      get("/v1/pages"), get("/v1/pages/table", { limit: MOST }), get("/v1/pages/locks"), get("/v1/pages/faults")]);
    return { pages, found, locks: locks.locks, faults: faults.faults };
  }

  show({ pages, found, locks, faults }) {
    return div(null,
      h1(null, "Pages in caches"),
      rows(["replica", "at", "node", "pages", "tokens"],
        pages.replicas.map((one) => cells(one.replica, one.baseUri, one.node, number(one.pages), number(one.tokens))),
        "No replica serves a model."),
      h2(null, "Where they lie"),
      found.entries.length === 0 ? p({ class: "none" }, "No cache holds a page.") : this.heat(pages.replicas, found),
      h2(null, "Asked for and in no cache"),
      rows(["page", "priority", "asked by"],
        faults.map((one) => cells(one.page, one.priority, one.waiters.join(", "))), "None."),
      h2(null, "Locked"),
      rows(["page", "by", "until"], locks.map((one) => cells(one.page, one.holder, one.until)), "None."));
  }

  /** The pages with the latest use first; the darker a field, the more tokens of it are there. */
  heat(replicas, { all, entries }) {
    const byPage = Map.groupBy(entries, (one) => one.page);
    const largest = Math.max(1, ...entries.map((one) => one.tokens));
    const last = (places) => places.map((one) => one.lastUse ?? "").sort().at(-1);
    const pages = [...byPage].sort(([, one], [, other]) => last(other).localeCompare(last(one)));
    return div(null,
      p(null, `${number(all)} places of ${number(byPage.size)} pages`, all > entries.length && `, the first ${number(entries.length)} shown`),
      div({ class: "wide", tabindex: 0, role: "region", "aria-label": "pages by replica" },
        table({ class: "heat" },
          thead(null, tr(null, th({ scope: "col" }, "page"), replicas.map((one) => th({ scope: "col" }, one.replica)))),
          tbody(null, pages.slice(0, this.shown).map(([page, places]) =>
            tr({ key: page }, th({ scope: "row" }, page),
              replicas.map((one) => place(places.find((each) => each.replica === one.replica), largest))))))),
      pages.length > this.shown && button({ type: "button", onClick: () => { this.shown += ROWS; this.setState({}); } }, "More pages"));
  }
}

function place(entry, largest) {
  if (!entry) {
    return td(null);
  }
  const step = entry.state === "RESIDENT" ? Math.ceil((5 * entry.tokens) / largest) : 0;
  const more = [entry.readers > 0 && `${entry.readers} reading`, entry.lockedUntil && "locked"].filter(Boolean);
  return td({ class: `heat-${step} ${entry.state.toLowerCase()}` },
    entry.state === "RESIDENT" ? number(entry.tokens) : entry.state.toLowerCase(),
    more.length > 0 && span({ class: "more" }, ` ${more.join(", ")}`));
}
