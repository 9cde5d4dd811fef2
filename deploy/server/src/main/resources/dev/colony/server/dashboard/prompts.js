// What a model was asked in a step, section by section, with what each takes.

import { Component } from "./preact.js";
import { get } from "./api.js";
import { cells, code, counted, details, div, h3, json, number, p, rows, span, summary, usage } from "./parts.js";

/** The prompts of a step, asked for when they are looked at. */
export class Prompts extends Component {
  constructor() {
    super();
    this.state = {};
  }

  async look() {
    const { agentId, run, step } = this.props;
    const [tenant, colony, name] = agentId.split("/");
    const scope = `tenant:${tenant}:colony:${colony}:agent:${name}:namespace:prompts`;
    const found = [];
    let after;
    try {
      do {
        const page = await get(`/v1/tenants/${tenant}/board/entries`, { scope, tag: [run, `step-${step}`], after });
        found.push(...page.entries);
        after = page.next;
      } while (after);
      found.sort((one, other) => Date.parse(one.updatedAt) - Date.parse(other.updatedAt));
      this.setState({ prompts: found.map((one) => one.value), failure: undefined });
    } catch (failure) {
      this.setState({ failure });
    }
  }

  render() {
    const { prompts, failure } = this.state;
    return details({ class: "prompts", onToggle: (event) => event.target.open && !prompts && this.look() },
      summary(null, "Prompts"),
      failure && p({ class: "problem", role: "alert" }, failure.message),
      prompts?.length === 0 && p({ class: "none" }, "None is kept: planners keep those of their latest steps for an hour."),
      prompts?.map(prompt));
  }
}

function prompt({ name, pages = [], sections, usage: tokens }) {
  const shown = sections.filter((one) => one.text);
  const largest = Math.max(1, ...shown.map((one) => one.sizeTokens));
  return div(null,
    h3(null, "Call ", code(null, name), ": ", usage(tokens)),
    pages.length > 0 && p(null, `${counted(pages.length, "page")} before it: `, json(pages.join("\n"), "pages")),
    rows(["section", "stands in", "tokens", "may take", "text"],
      shown.map((one) =>
        cells(one.name, one.part.toLowerCase(),
          [number(one.sizeTokens), " ", span({ class: "bar", style: { width: `${Math.max(1, (100 * one.sizeTokens) / largest)}px` } })],
          [number(one.budgetTokens), one.cut && span({ class: "state waiting" }, "cut")],
          json(one.text, "text"))),
      "It had no sections."));
}
