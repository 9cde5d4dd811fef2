// What a person wants to know first: who is there, what goes on, what waits for somebody.

import { agentPath, get, post } from "./api.js";
import { BY } from "./approvals.js";
import { Live, a, agentLink, ago, cells, counted, dd, deed, div, dl, dt, h1, h2, number, rows, span, state } from "./parts.js";

const MOST = 200;

export class Overview extends Live {
  async load() {
    const { tenant } = this.props;
    const all = `/v1/tenants/${tenant}`;
    const [agents, asked, spending, suspensions, cluster] = await Promise.all([
      get(`${all}/agents`, { limit: MOST }),
      get(`${all}/approvals`, { limit: MOST }),
      get(`${all}/spending`),
      get(`${all}/suspensions`),
      // Keys of one tenant do not see the nodes.
      get("/v1/cluster").catch(() => undefined),
    ]);
    return { agents, asked, spending, suspended: suspensions.scopes, cluster };
  }

  tell(scope, what) {
    this.act(() => post(`${scopePath(scope)}/${what}`, { reason: `by ${BY}` }));
  }

  show({ agents, asked, spending, suspended, cluster }) {
    const { tenant } = this.props;
    const whole = `tenant:${tenant}`;
    const counts = new Map();
    agents.agents.forEach((one) => counts.set(one.state, (counts.get(one.state) ?? 0) + 1));
    const troubled = agents.agents.filter((one) => one.state === "FAILED" || one.lost || one.lastFailure);
    return div(null,
      h1(null, "Overview"),
      div({ class: "tiles" },
        [...counts].sort().map(([name, count]) =>
          a({ class: "tile", href: `#/agents/${name}` }, span({ class: "figure" }, number(count)), state(name))),
        a({ class: "tile", href: "#/approvals" },
          span({ class: "figure" }, number(asked.approvals.length)), " waiting for approval"),
        agents.next && span({ class: "tile" }, `The first ${number(MOST)} agents are counted`)),
      h2(null, "Suspended as a whole"),
      rows(["what", "why", "since", "resume"],
        suspended.map((one) =>
          cells(words(one.scope), one.reason, ago(one.since),
            deed("operator", { onClick: () => this.tell(one.scope, "resume") }, `Resume ${words(one.scope)}`))),
        "Nothing is."),
      !suspended.some((one) => one.scope === whole) && div({ class: "buttons" },
        deed("operator",
          { class: "grave", onClick: () => confirm(`Suspend tenant ${tenant}? No agent of it takes a step until it is resumed.`) && this.tell(whole, "suspend") },
          `Suspend tenant ${tenant}`)),
      h2(null, "Spent in this period"),
      dl(null, dt(null, spending.period), dd(null, spent(spending.inPeriod))),
      h2(null, "Trouble"),
      rows(["agent", "state", "what failed", "when"],
        troubled.map((one) =>
          cells(agentLink(one.agentId), state(one.state),
            one.lost ? "events were lost" : one.lastFailure?.reason ?? one.reason, ago(one.lastFailure?.at ?? one.since))),
        "No agent has failed or lost events, and no run that a write has begun."),
      cluster && h2(null, "Nodes"),
      cluster && rows(["node", "status", "role"],
        cluster.members.map((one) =>
          cells(one.address + (one.address === cluster.self ? " (this one)" : ""),
            one.reachable ? one.status : `${one.status}, unreachable`, one.address === cluster.leader ? "leader" : "member")),
        "No node is known."));
  }
}

/** The names in a scope: of a tenant, of a colony, or of the agent at the top of a tree. */
const names = (scope) => scope.split(":").filter((part, index) => index % 2 === 1);

const words = (scope) => `${["tenant", "colony", "tree of"][names(scope).length - 1]} ${names(scope).join("/")}`;

/** Where it is suspended and resumed. */
function scopePath(scope) {
  const [tenant, colony, agent] = names(scope);
  return agent ? `${agentPath([tenant, colony, agent].join("/"))}/tree`
    : colony ? `/v1/tenants/${tenant}/colonies/${colony}` : `/v1/tenants/${tenant}`;
}

function spent({ spent: what, limit }) {
  const tokens = what.usage.promptTokens + what.usage.completionTokens;
  const bound = limit ? [limit.tokens && `${number(limit.tokens)} tokens`, limit.cost && `cost ${limit.cost}`].filter(Boolean) : [];
  return `${counted(what.calls, "model call")}, ${number(tokens)} tokens, cost ${what.cost}` + (bound.length ? `, of ${bound.join(" and ")}` : "");
}
