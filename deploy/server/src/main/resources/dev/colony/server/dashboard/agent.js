// One agent: its state, its runs as time lines that go on while one looks, its past, and what an
// operator may tell it.

import { Component, h } from "./preact.js";
import { agentPath, follow, get, may, post, url } from "./api.js";
import { why } from "./agents.js";
import { BY, answers } from "./approvals.js";
import { Prompts } from "./prompts.js";
import { Live, a, agentLink, ago, button, cells, code, counted, dd, deed, details, div, dl, dt, form, h1, h2, input, json, label, li, millis, number, ol, p, rows, section, small, span, state, summary, ul, usage } from "./parts.js";

const PAGE = 50;
const ENDED = new Set(["STOPPED", "FAILED"]);

/** Events of a run that tell of its difficulties, in the words of the field `reason`. */
const STRUGGLES = new Set(["repeated-failure", "limit-near", "dependency-stuck", "no-progress"]);

/** Characters of what was asked in the line where a run begins. */
const SHOWN_INPUT = 100;

/** Events of a run that are shown of a stream, the last ones. */
const SHOWN_EVENTS = 200;

export class Agent extends Live {
  constructor(props) {
    super(props);
    this.path = agentPath(props.rest.join("/"));
    this.older = [];
  }

  async load() {
    const [agent, newest] = await Promise.all([
      get(this.path),
      get(`${this.path}/history`, { limit: PAGE }),
    ]);
    return { agent, newest };
  }

  async more(before) {
    const page = await get(`${this.path}/history`, { limit: PAGE, before });
    this.older.push(page);
    this.setState({});
  }

  tell(what, reason) {
    this.act(() => post(`${this.path}/${what}`, { reason }));
  }

  ask(event) {
    event.preventDefault();
    const field = event.target.elements.input;
    this.act(async () => {
      await post(`${this.path}/runs`, { input: meant(field.value), namespace: "dashboard", requestedBy: BY });
      field.value = "";
    });
  }

  show({ agent, newest }) {
    const gone = ENDED.has(agent.state);
    // What the newest page has grown by since an older one was asked for stands in both.
    const entries = new Map([newest, ...this.older].flatMap((page) => page.entries).map((one) => [one.sequenceNr, one]));
    const past = [...entries.values()].sort((one, other) => other.sequenceNr - one.sequenceNr);
    const older = (this.older.at(-1) ?? newest).older;
    return div(null,
      h1(null, agent.agentId, " ", state(agent.state)),
      p(null, why(agent)),
      agent.asks?.map((request) => div({ class: "buttons" }, code(null, request), answers(this, agent.agentId, request))),
      dl(null,
        dt(null, "Policy"), dd(null, code(null, agent.policy.type)),
        dt(null, "Since"), dd(null, ago(agent.since)),
        agent.node && dt(null, "Node"), agent.node && dd(null, agent.node),
        agent.parent && dt(null, "Parent"), agent.parent && dd(null, agentLink(agent.parent)),
        dt(null, "Capabilities"), dd(null, agent.capabilities.map((one) => one.key).join(", ") || "none")),
      !gone && div({ class: "buttons" },
        agent.suspension?.cause === "SCOPE"
          ? a({ href: "#/overview" }, "Resume what it belongs to")
          : agent.state === "SUSPENDED"
          ? deed("operator", { onClick: () => this.tell("resume", `resumed by ${BY}`) }, "Resume")
          : deed("operator", { onClick: () => this.tell("suspend", `paused by ${BY}`) }, "Pause"),
        deed("admin", { class: "grave", onClick: () => confirm(`Stop ${agent.agentId}? It takes no more runs.`) && this.tell("stop", `stopped by ${BY}`) }, "Stop")),
      !gone && may("operator") && form({ class: "filters", onSubmit: (event) => this.ask(event) },
        label(null, "Ask it ", input({ name: "input", required: true, size: 50, placeholder: "text, or JSON in brackets" })), button(null, "Run")),
      agent.plan.length > 0 && h2(null, "Plan"),
      agent.plan.length > 0 && plan(agent.plan),
      h2(null, "Open runs"),
      agent.runs.length === 0
        ? p({ class: "none" }, "It has none.")
        : agent.runs.map((run) =>
            h(OpenRun, { key: run.runId, run, path: this.path,
              onCancel: () => this.act(() => post(url(`${this.path}/runs/${run.runId}/cancel`, { namespace: run.namespace }), { reason: `cancelled by ${BY}` })) })),
      h2(null, "What it did"),
      timeline(past, agent.agentId, (sequenceNr) => this.fork(agent, sequenceNr), (step) => this.rewind(step)),
      older && button({ type: "button", onClick: () => this.more(older) }, "Earlier"));
  }

  rewind({ runId, step }) {
    if (confirm(`Execute run ${runId} again from step ${step} on? What it has done outside since is not done again.`)) {
      this.act(() => post(`${this.path}/runs/${runId}/rewind`, { step, reason: `rewound by ${BY}` }));
    }
  }

  fork(agent, sequenceNr) {
    const name = prompt(`Name of the fork of ${agent.agentId} as it was at ${sequenceNr}`);
    if (name) {
      this.act(async () => {
        const reply = await post(`${this.path}/forks`, { sequenceNr, name });
        if (reply.agentId && reply.type === "forked") {
          location.hash = `#/agent/${reply.agentId}`;
        } else {
          throw new Error(`It is not forked: ${reply.type}.`);
        }
      });
    }
  }
}

/** A run that goes on, with the events that its stream tells. */
class OpenRun extends Component {
  constructor() {
    super();
    this.state = { events: [] };
  }

  componentDidMount() {
    const { run, path } = this.props;
    this.stop = follow(`${path}/runs/${run.runId}/events`, { namespace: run.namespace, retained: true }, (event) =>
      this.setState(({ events }) => ({ events: [...events, event.data].slice(-SHOWN_EVENTS) })));
  }

  componentWillUnmount() {
    this.stop();
  }

  render() {
    const { run, onCancel } = this.props;
    return section({ class: "run" },
      p(null, code(null, run.runId), " ", small(null, "asked ", ago(run.acceptedAt), run.requestedBy && ` by ${run.requestedBy}`), " ",
        run.cancelled ? span({ class: "state" }, "is being cancelled") : deed("operator", { onClick: onCancel }, "Cancel")),
      p(null, "Input ", json(run.input, "input")),
      run.traceId && p(null, "Trace ", trace(run.traceId)),
      run.stats && p(null, figures(run.stats)),
      run.blocked && p(null, "waits: ", run.blocked.reason),
      ol({ class: "events", "aria-live": "polite" }, this.state.events.map((event) =>
        li(null, ago(event.at), " ", span({ class: "name" }, event.name), " ",
          STRUGGLES.has(event.name) ? span({ class: "problem" }, event.data.reason) : event.data !== undefined && json(event.data, "event")))));
  }
}

/** The id of a trace, and where the node knows its page, a link to that. */
function trace(id) {
  const page = document.querySelector('meta[name="colony-trace-page"]')?.content;
  return page ? a({ href: page.replaceAll("{trace}", id), rel: "noreferrer" }, code(null, id)) : code(null, id);
}

function figures(stats) {
  const placed = stats.placementHits + stats.placementMisses;
  return [counted(stats.steps, "step"), counted(stats.modelCalls, "model call"), usage(stats.usage),
    placed > 0 && `pages where they lie ${number(stats.placementHits)} of ${number(placed)}`,
    stats.cost !== "0" && `cost ${stats.cost}`].filter(Boolean).join(" · ");
}

/** What is planned, as a tree: goals, actions with what became of them, revisions. */
function plan(planned) {
  return ul({ class: "plan" }, planned.map((row) =>
    li({ style: { paddingLeft: `${1.2 * row.depth}rem` } },
      row.action && span({ class: "name" }, row.action), " ", row.status && state(row.status), " ", row.text)));
}

/**
 * Newest first; the bar of a step is as long as it took beside the longest one shown. The last run
 * that has ended can be rewound. What an attempt of a run has done that was rewound later has
 * neither prompts nor a way back.
 */
function timeline(entries, agentId, onFork, onRewind) {
  const rewindable = entries.find((one) => one.type === "run-completed")?.result.runId;
  const counts = standing(entries);
  const longest = Math.max(1, ...entries.map((one) => one.tookMillis ?? 0));
  return ol({ class: "timeline" }, entries.map((one) =>
    li({ key: one.sequenceNr },
      details(null,
        summary(null, span({ class: "nr" }, one.sequenceNr), " ", ...title(one, longest), " ", small(null, ago(one.at))),
        one.actions && one.actions.map(action),
        one.error && p({ class: "problem" }, one.error.message),
        !one.actions && json(rest(one), "event"),
        one.modelCalls > 0 && counts.has(one) && h(Prompts, { agentId, run: one.runId, step: one.step }),
        div({ class: "buttons" },
          counts.has(one) && one.runId === rewindable && deed("operator", { onClick: () => onRewind(one) }, "Rewind to before it"),
          deed("operator", { onClick: () => onFork(one.sequenceNr) }, "Fork here"))))));
}

/** The steps of runs that no later attempt of their run has replaced. */
function standing(newestFirst) {
  const kept = new Map();
  return new Set(newestFirst.filter((one) => {
    if (one.type === "run-rewound") {
      kept.set(one.runId, Math.min(one.step, kept.get(one.runId) ?? one.step));
    }
    return one.type === "step-completed" && one.runId && one.step < (kept.get(one.runId) ?? Infinity);
  }));
}

function title(one, longest) {
  switch (one.type) {
    case "step-completed":
      return [
        span({ class: "name" }, one.actions.map((each) => each.key).join(", ") || "thinks"), " ",
        span({ class: "bar", style: { width: `${Math.max(1, (100 * one.tookMillis) / longest)}px` } }), " ",
        millis(one.tookMillis), one.modelCalls > 0 && ` · ${counted(one.modelCalls, "model call")}, ${usage(one.usage)}`,
        one.blocked && ` · waits: ${one.blocked.reason}`, one.error && [" ", state("failed")]];
    case "run-completed":
      return [span({ class: "name" }, `run ${one.result.runId} ended`), " ", state(one.result.status), " ",
        small(null, one.result.stats && figures(one.result.stats)), one.result.error && ` · ${one.result.error}`, one.result.partial && ` · a part: ${one.result.partial}`];
    case "run-accepted":
      return [span({ class: "name" }, `run ${one.runId} begins`), " ", begun(one.input), one.traceId && [" · trace ", trace(one.traceId)]];
    case "run-rewound":
      return [span({ class: "name" }, `run ${one.runId} goes on from step ${one.step}`), ` in attempt ${one.attempt}`, one.reason && ` · ${one.reason}`];
    case "state-changed":
      return [span({ class: "name" }, `${one.from.toLowerCase()} → ${one.to.toLowerCase()}`), " ", one.reason];
    default:
      return [span({ class: "name" }, one.type.replaceAll("-", " ")), " ", one.reason ?? ""];
  }
}

function action(one) {
  return section({ class: "action" },
    p(null, code(null, one.key), " ", state(one.status), " ", one.error),
    dl(null,
      one.parameters !== undefined && dt(null, "Parameters"), one.parameters !== undefined && dd(null, json(one.parameters, "parameters")),
      one.output !== undefined && dt(null, "Output"), one.output !== undefined && dd(null, json(one.output, "output"))));
}

/** The beginning of what was asked. */
function begun(input) {
  const text = typeof input === "string" ? input : JSON.stringify(input ?? null);
  return text.length <= SHOWN_INPUT ? text : `${text.slice(0, SHOWN_INPUT)}…`;
}

/** An object or a list where it reads as one, else the text. */
function meant(text) {
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

function rest({ sequenceNr, at, type, ...others }) {
  return others;
}
