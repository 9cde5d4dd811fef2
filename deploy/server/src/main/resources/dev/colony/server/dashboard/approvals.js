// What agents ask people for, answered here.

import { agentPath, get, post } from "./api.js";
import { Live, agentLink, ago, cells, deed, div, h1, rows, span } from "./parts.js";

const MOST = 200;

/** Who answers, in the journal of the agent: the key of the call says more. */
export const BY = "dashboard";

export class Approvals extends Live {
  load() {
    return get(`/v1/tenants/${this.props.tenant}/approvals`, { limit: MOST });
  }

  show({ approvals }) {
    return div(null,
      h1(null, "Approvals"),
      rows(["agent", "request", "why", "since", "answer"],
        approvals.map((asked) =>
          cells(agentLink(asked.agentId), asked.request, asked.reason, ago(asked.since), answers(this, asked.agentId, asked.request))),
        "No agent waits for an approval."));
  }
}

/** Two buttons in a view that answer a request of an agent. */
export function answers(view, agentId, request) {
  const answer = (granted) => () =>
    view.act(() => post(`${agentPath(agentId)}/approvals/${encodeURIComponent(request)}`, { granted, by: BY }));
  return span({ class: "buttons" },
    deed("operator", { onClick: answer(true) }, "Approve"),
    deed("operator", { onClick: answer(false) }, "Decline"));
}
