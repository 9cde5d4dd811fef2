// The small parts that views are made of.

import { Component, h } from "./preact.js";
import { may } from "./api.js";

const tag = (name) => (props, ...children) => h(name, props, ...children);

export const [a, button, code, dd, details, div, dl, dt, form, h1, h2, h3, input, label, li, main] =
  ["a", "button", "code", "dd", "details", "div", "dl", "dt", "form", "h1", "h2", "h3", "input", "label", "li", "main"].map(tag);
export const [nav, ol, option, p, pre, section, select, small, span, summary, table, tbody, td, th, thead, tr, ul] =
  ["nav", "ol", "option", "p", "pre", "section", "select", "small", "span", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul"].map(tag);

export const header = tag("header");
export const time = tag("time");

/** A button for what not every caller may do; none for those who may not. */
export const deed = (least, props, ...children) =>
  may(least) && button({ type: "button", ...props }, ...children);

const EVERY_MILLIS = 3000;

/** The state and why, in words and a colour that is not alone in telling it. */
export const state = (name) => span({ class: `state ${String(name).toLowerCase()}` }, String(name).toLowerCase());

export const number = (value) => Number(value ?? 0).toLocaleString("en");

/** One step, 1,200 steps. */
export const counted = (value, what) => `${number(value)} ${what}${value === 1 ? "" : "s"}`;

export const percent = (part, whole) => (whole ? `${Math.round((100 * part) / whole)} %` : "–");

export function millis(value) {
  const ms = value ?? 0;
  return ms < 1000 ? `${ms} ms` : ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60000)} min`;
}

export function ago(at) {
  if (!at) {
    return "";
  }
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1000));
  const words =
    seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${Math.round(seconds / 60)} min`
      : seconds < 86400 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} days`;
  return time({ datetime: at, title: at }, `${words} ago`);
}

/** A value as JSON, open where it is short. */
export function json(value, what = "value") {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (text === undefined) {
    return null;
  }
  return text.length <= 120 && !text.includes("\n")
    ? code(null, text)
    : details(null, summary(null, `${what}, ${number(text.length)} characters`), pre({ tabindex: 0 }, text));
}

export const usage = (tokens) =>
  tokens && tokens.promptTokens + tokens.completionTokens > 0
    ? `${number(tokens.promptTokens)} prompt tokens, ${percent(tokens.cachedTokens, tokens.promptTokens)} cached, ${number(tokens.completionTokens)} written`
    : "no tokens";

/** Rows under heads; says so where there are none. */
export function rows(heads, body, none) {
  return body.length === 0
    ? p({ class: "none" }, none)
    : div({ class: "wide", tabindex: 0, role: "region", "aria-label": heads.join(", ") },
        table(null, thead(null, tr(null, heads.map((head) => th({ scope: "col" }, head)))), tbody(null, body)));
}

export const cells = (...values) => tr(null, values.map((value) => td(null, value)));

export const agentLink = (agentId) => a({ href: `#/agent/${agentId}` }, agentId);

/**
 * A view that asks the API for what it shows, again every few seconds while the tab is seen. A
 * subclass has load() and show(data).
 */
export class Live extends Component {
  constructor() {
    super();
    this.state = { data: undefined, failure: undefined };
    this.seen = () => document.visibilityState === "visible" && this.refresh();
  }

  componentDidMount() {
    this.refresh();
    this.timer = setInterval(this.seen, EVERY_MILLIS);
    document.addEventListener("visibilitychange", this.seen);
  }

  componentWillUnmount() {
    this.gone = true;
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
  }

  /** One request at a time: a slow node is not asked once more meanwhile. */
  async refresh() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    try {
      const data = await this.load();
      if (!this.gone) {
        this.setState({ data, failure: undefined });
      }
    } catch (failure) {
      if (!this.gone) {
        this.setState({ failure });
        if (failure.status === 401) {
          this.props.onKey?.();
        }
      }
    } finally {
      this.asking = false;
      if (this.again && !this.gone) {
        this.again = false;
        this.refresh();
      }
    }
  }

  /** Does something and shows what comes of it. */
  async act(what) {
    try {
      await what();
      this.setState({ refused: undefined });
    } catch (refused) {
      this.setState({ refused });
    }
    this.refresh();
  }

  render() {
    const { data, failure, refused } = this.state;
    return div(null,
      failure && p({ class: "problem", role: "alert" }, failure.message),
      refused && p({ class: "problem", role: "alert" }, refused.message),
      data === undefined ? (failure ? null : p({ class: "none" }, "…")) : this.show(data));
  }
}
