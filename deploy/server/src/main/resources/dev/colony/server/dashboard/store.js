// What the store could not deliver or has lost, and what a person decides about it.

import { agentPath, get, post, postEmpty } from "./api.js";
import { Live, agentLink, ago, cells, dd, deed, div, dl, dt, h1, h2, json, millis, number, rows, span } from "./parts.js";

const MOST = 100;

export class Store extends Live {
  async load() {
    const tenant = `/v1/tenants/${this.props.tenant}`;
    const [letters, lost, store] = await Promise.all([
      get(`${tenant}/inbox/dead-letters`, { limit: MOST }),
      get(`${tenant}/lost-events`),
      get("/v1/store").catch(() => undefined),
    ]);
    return { letters: letters.deadLetters, lost: lost.lostEvents, store };
  }

  letter(one, what) {
    this.act(() => postEmpty(`/v1/tenants/${this.props.tenant}/inbox/dead-letters/${one.letter}/${what}`));
  }

  decide(one, what) {
    this.act(() => postEmpty(`${agentPath(one.agentId)}/lost-events/${what}`));
  }

  show({ letters, lost, store }) {
    return div(null,
      h1(null, "Store"),
      store && dl(null,
        dt(null, "Messages that wait"), dd(null, number(store.inbox.messages)),
        dt(null, "Clock of this node and the store"), dd(null, millis(Math.abs(store.clocks.nodeMillis - store.clocks.storeMillis)), " apart")),
      h2(null, "Dead letters"),
      rows(["agent", "key", "why", "tries", "when", "request", "decide"],
        letters.map((one) =>
          cells(agentLink(one.agentId), one.key, one.reason, number(one.deliveries), ago(one.at), json(one.request, "request"),
            span({ class: "buttons" },
              deed("operator", { onClick: () => this.letter(one, "send") }, "Send again"),
              deed("operator", { onClick: () => this.letter(one, "drop") }, "Drop")))),
        "Every message has come to its agent."),
      h2(null, "Lost events"),
      rows(["agent", "stored", "acknowledged", "decide"],
        lost.map((one) =>
          cells(agentLink(one.agentId), number(one.stored), number(one.acknowledged),
            span({ class: "buttons" }, ["continue", "restore", "close"].map((what) =>
              deed("operator", { onClick: () => this.decide(one, what) }, what))))),
        "No event was lost."));
  }
}
