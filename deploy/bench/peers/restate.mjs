// Restate: an agent is an invocation of a service, a step is a journaled run of it.
// Arguments: the URLs of the server's ingress and of its admin API, and a port for the service.
import {all, serve} from './rounds.mjs';
import {once} from 'node:events';
import {createServer} from 'node:http2';
import * as restate from '@restatedev/restate-sdk';

// All results that the store holds, at the last count.
let counted = 0;

const [ingress, admin, port] = process.argv.slice(2);
const agent = restate.service({
  name: 'Agent',
  options: {journalRetention: {hours: 1}},
  handlers: {
    run: async (ctx, {steps, bytes}) => {
      let length = 0;
      for (let step = 0; step < steps; step++) {
        length += (await ctx.run('step', () => 'x'.repeat(bytes))).length;
      }
      return length;
    },
  },
});

async function post(url, body, headers) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {'content-type': 'application/json', accept: 'application/json', ...headers},
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status} ${await answer.text()}`);
  return answer.json();
}

await once(
  createServer(restate.createEndpointHandler({services: [agent]}))
    .listen(Number(port), '127.0.0.1'),
  'listening',
);
await post(`${admin}/deployments`, {uri: `http://127.0.0.1:${port}`});
await serve(
  (id, agents, steps, bytes) =>
    all(agents, () => post(`${ingress}/Agent/run`, {steps, bytes})),
  async (id, agents, bytes) => {
    const found = await post(`${admin}/query`, {
      query: "SELECT count(*) AS many FROM sys_journal WHERE entry_type = 'Notification: Run'"
        + ` AND raw_length >= ${bytes}`,
    });
    const before = counted;
    counted = found.rows[0].many;
    return counted - before;
  },
);
