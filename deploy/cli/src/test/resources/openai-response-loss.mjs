// OpenAI's client of npm, driven by ResponseNodeLossTest: BASE_URL OTHER_BASE_URL MODEL INPUT.
// Prints a line for the response, one for each event, and one when a stream breaks off.
import OpenAI from 'openai';

const [first, other, model, input] = process.argv.slice(2);
const at = (baseURL) => new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
const say = (line) => console.log(JSON.stringify(line));

let last = -1;
let text = '';
const follow = async (stream) => {
  for await (const event of stream) {
    last = event.sequence_number;
    say({ number: last, type: event.type });
    if (event.type === 'response.completed') {
      text = event.response.output_text ?? event.response.output[0].content[0].text;
    }
  }
};

const begun = await at(first).responses.create({ model, input, background: true });
say({ id: begun.id, status: begun.status });
try {
  await follow(await at(first).responses.retrieve(begun.id, { stream: true }));
} catch (error) {
  say({ broken: error.constructor.name, after: last });
}
await follow(
  await at(other).responses.retrieve(begun.id, { stream: true, starting_after: last }),
);
say({ text });
