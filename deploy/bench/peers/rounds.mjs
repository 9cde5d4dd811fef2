// What run-peers says to a peer, as Rounds.java says it.
import {createInterface} from 'node:readline';

// Restate's SDK expects it, and Node has it from 22 on.
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new Promise((done, failed) => ([resolve, reject] = [done, failed]));
  return {promise, resolve, reject};
};

export async function serve(run, count) {
  console.log('ready');
  for await (const line of createInterface({input: process.stdin})) {
    const [verb, id, ...rest] = line.split(' ');
    const numbers = rest.map(Number);
    if (verb === 'run') {
      const begun = performance.now();
      await run(id, ...numbers);
      console.log((performance.now() - begun) / 1000);
    } else {
      console.log(await count(id, ...numbers));
    }
  }
  process.exit(0);
}

export const all = (many, call) => Promise.all(Array.from({length: many}, (_, i) => call(i)));
