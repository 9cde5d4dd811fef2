// The agents of a tenant as a tree, with their states and why they wait.

import { get } from "./api.js";
import { Live, agentLink, ago, button, counted, div, form, h1, input, label, li, option, select, small, span, state, ul } from "./parts.js";

const PAGE = 200;
const STATES = ["INITIALIZED", "RUNNING", "WAITING", "LOADED", "UNLOADED", "IDLE", "SUSPENDED", "STOPPED", "FAILED"];

export class Agents extends Live {
  constructor(props) {
    super(props);
    this.asked = { state: props.rest[0]?.toLowerCase() ?? "", prefix: "" };
    this.pages = 1;
  }

  /** As many pages as were asked for; a page may be short while there is a next one. */
  async load() {
    const agents = [];
    let after;
    for (let page = 0; page < this.pages; page++) {
      const found = await get(`/v1/tenants/${this.props.tenant}/agents`, { ...this.asked, limit: PAGE, after });
      agents.push(...found.agents);
      after = found.next;
      if (!after) {
        break;
      }
    }
    return { agents, more: Boolean(after) };
  }

  filter(change) {
    this.asked = { ...this.asked, ...change };
    this.pages = 1;
    this.refresh();
  }

  show({ agents, more }) {
    return div(null,
      h1(null, "Agents"),
      form({ class: "filters", onSubmit: (event) => event.preventDefault() },
        label(null, "State ",
          select({ value: this.asked.state, onChange: (event) => this.filter({ state: event.target.value }) },
            option({ value: "" }, "any"), STATES.map((name) => option({ value: name.toLowerCase() }, name.toLowerCase())))),
        label(null, "Name begins with ",
          input({ value: this.asked.prefix, onChange: (event) => this.filter({ prefix: event.target.value.trim() }) }))),
      agents.length === 0 ? span({ class: "none" }, "No agent fits.") : tree(agents),
      more && button({ type: "button", onClick: () => { this.pages++; this.refresh(); } }, "More agents"));
  }
}

/** Children stand below their parent where that is shown too. */
function tree(agents) {
  const shown = new Set(agents.map((one) => one.agentId));
  const below = Map.groupBy(agents, (one) => (shown.has(one.parent) ? one.parent : ""));
  const branch = (parent) =>
    ul({ class: "tree" }, (below.get(parent) ?? []).map((one) =>
      li({ key: one.agentId }, agentLink(one.agentId), " ", state(one.state), " ", why(one),
        small(null, " ", ago(one.since)), below.has(one.agentId) && branch(one.agentId))));
  return branch("");
}

/** Causes of a suspension whose names do not speak for themselves. */
const CAUSES = { EXPLICIT: "told to wait", SCOPE: "with others" };

/** Why an agent waits or what it failed of, in the words of the node. */
export function why(one) {
  const runs = one.openRuns > 0 && one.state !== "SUSPENDED" ? counted(one.openRuns, "open run") : "";
  const asks = one.asks?.length ? `asks for approval of ${one.asks.join(", ")}` : "";
  const waits = one.suspension ? `${CAUSES[one.suspension.cause] ?? one.suspension.cause.toLowerCase()}: ${one.suspension.reason}` : "";
  const failed = one.lastFailure ? `last failure: ${one.lastFailure.reason}` : "";
  return [asks || waits || one.reason, runs, failed].filter(Boolean).join(" · ");
}
