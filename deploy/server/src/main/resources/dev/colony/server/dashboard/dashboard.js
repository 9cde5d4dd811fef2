// The page of a node: what runs, why it waits, and what a person may do about it. Its place is in
// the fragment of the URL, so that a link leads to what was seen.

import { Component, h, render } from "./preact.js";
import { key, setKey } from "./api.js";
import { a, button, form, h1, header, input, label, main, nav, p, span } from "./parts.js";
import { Agents } from "./agents.js";
import { Agent } from "./agent.js";
import { Approvals } from "./approvals.js";
import { Board } from "./board.js";
import { Overview } from "./overview.js";
import { Pages } from "./pages.js";
import { Store } from "./store.js";

const VIEWS = [
  ["overview", "Overview", Overview],
  ["agents", "Agents", Agents],
  ["approvals", "Approvals", Approvals],
  ["board", "Blackboard", Board],
  ["pages", "Pages", Pages],
  ["store", "Store", Store],
];

const TENANT = "colony.tenant";

/** The tenant that colony run uses. */
const USUAL_TENANT = "local";

function place() {
  const [view, ...rest] = decodeURIComponent(location.hash.slice(2)).split("/");
  return { view: view || "overview", rest };
}

class Dashboard extends Component {
  constructor() {
    super();
    this.state = { ...place(), tenant: sessionStorage.getItem(TENANT) ?? USUAL_TENANT, needsKey: false };
  }

  componentDidMount() {
    addEventListener("hashchange", () => {
      this.setState(place());
      document.querySelector("main").focus();
    });
  }

  enter(event) {
    event.preventDefault();
    setKey(new FormData(event.target).get("key"));
    this.setState({ needsKey: false, entered: (this.state.entered ?? 0) + 1 });
  }

  choose(tenant) {
    sessionStorage.setItem(TENANT, tenant);
    this.setState({ tenant });
  }

  render() {
    const { view, rest, tenant, needsKey, entered } = this.state;
    const current = view === "agent" ? "agents" : view;
    const shown = view === "agent" ? Agent : VIEWS.find(([name]) => name === view)?.[2];
    return [
      header(null,
        span({ class: "brand" }, "Colony"),
        nav({ "aria-label": "views" },
          VIEWS.map(([name, title]) =>
            a({ href: `#/${name}`, "aria-current": name === current ? "page" : undefined }, title))),
        label({ class: "tenant" }, "Tenant ",
          input({ value: tenant, size: 10, spellcheck: false, onChange: (event) => this.choose(event.target.value.trim()) })),
        key() && button({ type: "button", onClick: () => { setKey(""); this.setState({ needsKey: true }); } }, "Forget the key")),
      main({ tabindex: -1 },
        needsKey
          ? form({ class: "key", onSubmit: (event) => this.enter(event) },
              h1(null, "This node asks for a key"),
              p(null, "A viewer's key, or token, shows all, an operator's acts too. It stays in this tab."),
              label(null, "Key ", input({ name: "key", type: "password", autocomplete: "off", required: true })),
              button(null, "Enter"))
          : shown
            ? h(shown, { key: `${view}/${rest.join("/")}/${tenant}/${entered}`, tenant, rest, onKey: () => this.setState({ needsKey: true }) })
            : p({ class: "problem" }, "There is no such view.")),
    ];
  }
}

render(h(Dashboard), document.body);
