// The blackboard: scopes, their entries, and the events of a scope as they come.

import { Component, h } from "./preact.js";
import { follow, get } from "./api.js";
import { Live, a, ago, button, cells, div, form, h1, h2, input, json, label, number, p, rows, span } from "./parts.js";

const PAGE = 100;
const SHOWN_EVENTS = 200;

export class Board extends Live {
  constructor(props) {
    super(props);
    this.scope = props.rest.join("/");
    this.keys = "";
    this.pages = 1;
  }

  async load() {
    const tenant = `/v1/tenants/${this.props.tenant}/board`;
    const found = [];
    let after;
    for (let page = 0; page < this.pages; page++) {
      const one = this.scope
        ? await get(`${tenant}/entries`, { scope: this.scope, keys: this.keys || "*", limit: PAGE, after })
        : await get(`${tenant}/scopes`, { limit: PAGE, after });
      found.push(...(one.entries ?? one.scopes));
      after = one.next;
      if (!after) {
        break;
      }
    }
    return { found, more: Boolean(after) };
  }

  show({ found, more }) {
    return div(null,
      h1(null, "Blackboard"),
      this.scope ? this.entries(found) : scopes(found),
      more && button({ type: "button", onClick: () => { this.pages++; this.refresh(); } }, "More"),
      this.scope && h(Events, { tenant: this.props.tenant, scope: this.scope }));
  }

  entries(found) {
    return div(null,
      p(null, a({ href: "#/board" }, "All scopes"), " / ", span({ class: "name" }, this.scope)),
      form({ class: "filters", onSubmit: (event) => { event.preventDefault(); this.keys = event.target.elements.keys.value.trim(); this.refresh(); } },
        label(null, "Keys like ", input({ name: "keys", placeholder: "*" })), button(null, "Show")),
      rows(["key", "value", "version", "written by", "when", "tags"],
        found.map((one) =>
          cells(one.key, json(one.value), number(one.version), one.updatedBy, ago(one.updatedAt), (one.tags ?? []).join(", "))),
        "No entry fits."));
  }
}

function scopes(found) {
  return rows(["scope", "entries", "events", "newest"],
    found.map((one) =>
      cells(a({ href: `#/board/${encodeURIComponent(one.scope)}` }, one.scope), number(one.entries), number(one.events), one.newest)),
    "Nothing is written.");
}

class Events extends Component {
  constructor() {
    super();
    this.state = { events: [], from: undefined };
  }

  componentWillUnmount() {
    this.stop?.();
  }

  watch(from) {
    this.stop?.();
    this.setState({ events: [], watched: true });
    const { tenant, scope } = this.props;
    this.stop = follow(`/v1/tenants/${tenant}/board/events`, { scope, from }, (event) =>
      this.setState(({ events }) => ({ events: [event.data, ...events].slice(0, SHOWN_EVENTS) })));
  }

  render() {
    const { events, watched } = this.state;
    return div(null,
      h2(null, "Events"),
      div({ class: "buttons" },
        button({ type: "button", onClick: () => this.watch("beginning") }, "From the beginning"),
        button({ type: "button", onClick: () => this.watch(undefined) }, "From now on")),
      watched && rows(["position", "what", "key", "version", "writer", "when"],
        events.map((one) => cells(one.position, one.type, one.key ?? "", one.version ?? "", one.writer ?? "", ago(one.at))),
        "No event yet."));
  }
}
