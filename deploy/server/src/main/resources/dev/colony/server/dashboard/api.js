// Calls of the API of the node that served the page. The key stays in this tab.

const KEY = "colony.key";

export const key = () => sessionStorage.getItem(KEY) ?? "";

export function setKey(value) {
  if (value) {
    sessionStorage.setItem(KEY, value);
  } else {
    sessionStorage.removeItem(KEY);
  }
}

const ROLES = ["viewer", "operator", "admin"];
let role = ROLES[0];

/** Whether the caller may do what this role is the least for, as the node's last answer says. */
export const may = (least) => ROLES.indexOf(role) >= ROLES.indexOf(least);

/** What the API refuses, with what it says about it. */
export class Refusal extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

async function ask(method, path, body, signal) {
  const headers = {};
  if (key()) {
    headers.Authorization = `Bearer ${key()}`;
  }
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (failure) {
    if (failure.name === "AbortError") {
      throw failure;
    }
    throw new Refusal(0, "unreachable", "The node does not answer. It is asked again.");
  }
  role = answer.headers.get("Colony-Role") ?? role;
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Refusal(answer.status, problem.code ?? "", problem.detail ?? `status ${answer.status}`);
  }
  return answer;
}

/** The body of an answer; undefined where there is none. */
async function body(answer) {
  const text = await answer.text();
  return text ? JSON.parse(text) : undefined;
}

/** A query is made of what is given; empty values are left out, and a list is given one by one. */
export function url(path, query = {}) {
  const parts = Object.entries(query)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]))
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parts.length ? `${path}?${parts.join("&")}` : path;
}

export const get = (path, query) => ask("GET", url(path, query)).then(body);

export const post = (path, sent = {}) => ask("POST", path, sent).then(body);

/** A post whose operation takes no fields. */
export const postEmpty = (path) => ask("POST", path).then(body);

/** An agent's path: its id is tenant/colony/name. */
export function agentPath(agentId) {
  const [tenant, colony, name] = agentId.split("/");
  return `/v1/tenants/${tenant}/colonies/${colony}/agents/${name}`;
}

/**
 * Follows a stream of server-sent events until its last one, and comes back behind the last id
 * where the connection breaks. Returns what ends it.
 */
export function follow(path, query, onEvent) {
  const aborted = new AbortController();
  let last = "";
  const loop = async () => {
    while (!aborted.signal.aborted) {
      try {
        const answer = await askStream(url(path, query), last, aborted.signal);
        const ended = await read(answer, (event) => {
          last = event.id || last;
          onEvent(event);
        });
        if (ended) {
          return;
        }
      } catch (failure) {
        if (failure.name === "AbortError" || (failure.status >= 400 && failure.status < 500)) {
          return;
        }
      }
      await new Promise((again) => setTimeout(again, 1000));
    }
  };
  loop();
  return () => aborted.abort();
}

async function askStream(path, last, signal) {
  const headers = last ? { "Last-Event-ID": last } : {};
  if (key()) {
    headers.Authorization = `Bearer ${key()}`;
  }
  const answer = await fetch(path, { headers, signal });
  if (!answer.ok) {
    throw new Refusal(answer.status, "", "");
  }
  return answer;
}

/** Whether the last event of all has come. */
async function read(answer, onEvent) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let left = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return false;
    }
    left += value;
    let end;
    while ((end = left.indexOf("\n\n")) >= 0) {
      const event = parse(left.slice(0, end));
      left = left.slice(end + 2);
      if (event) {
        onEvent(event);
        if (event.name === "end" || event.name === "problem") {
          return true;
        }
      }
    }
  }
}

function parse(block) {
  const fields = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) {
      fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
    }
  }
  return fields.data === undefined
    ? undefined
    : { id: fields.id ?? "", name: fields.event ?? "", data: JSON.parse(fields.data) };
}
