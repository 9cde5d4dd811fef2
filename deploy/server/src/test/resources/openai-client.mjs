// OpenAI's client of npm, driven by OpenAiNodeTest: BASE_URL KEY MODEL PART, prints one JSON object.
import OpenAI from 'openai';

const [baseURL, apiKey, model, part] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const asks = (content) => ({ model, messages: [{ role: 'user', content }] });
const term = {
  type: 'object',
  properties: { term: { type: 'string' }, letters: { type: 'integer' } },
  required: ['term', 'letters'],
  additionalProperties: false,
};
const look = {
  type: 'object',
  properties: { term: { type: 'string' } },
  required: ['term'],
  additionalProperties: false,
};

const failure = async (call) => {
  try {
    await call();
    return {};
  } catch (error) {
    return {
      type: error.constructor.name,
      status: error.status,
      code: error.code,
      retryAfter: error.headers?.get('retry-after'),
    };
  }
};

const replies = async () => {
  const chat = await client.chat.completions.create(asks('What is a bow?'));
  const response = await client.responses.create({ model, input: 'What is a bow?' });
  const models = await client.models.list();
  return {
    chat: chat.choices[0].message.content,
    chatTokens: chat.usage.total_tokens,
    response: response.output_text,
    models: models.data.map((one) => one.id),
  };
};

const streams = async () => {
  const chat = client.chat.completions.stream({
    ...asks('What is a bow?'),
    stream_options: { include_usage: true },
  });
  const parts = [];
  chat.on('content', (text) => parts.push(text));
  const whole = await chat.finalChatCompletion();
  const response = client.responses.stream({ model, input: 'What is a bow?' });
  const ended = await response.finalResponse();
  return {
    parts,
    chat: whole.choices[0].message.content,
    chatTokens: whole.usage.total_tokens,
    response: ended.output_text,
  };
};

const tools = async () => {
  const looked = [];
  const runner = client.chat.completions.runTools({
    ...asks('What is a bow?'),
    tools: [
      {
        type: 'function',
        function: {
          name: 'look',
          description: 'Looks a term up.',
          parameters: look,
          parse: JSON.parse,
          function: ({ term: word }) => {
            looked.push(word);
            return `found ${word}`;
          },
        },
      },
    ],
  });
  const chat = await runner.finalContent();
  const response = await client.responses.create({
    model,
    input: 'What is a bow?',
    tools: [{ type: 'function', name: 'look', parameters: look, strict: true }],
  });
  return { looked, chat, response: response.output[0].arguments };
};

const structured = async () => {
  const chat = await client.chat.completions.parse({
    ...asks('What is a bow?'),
    response_format: { type: 'json_schema', json_schema: { name: 'term', schema: term, strict: true } },
  });
  const response = await client.responses.parse({
    model,
    input: 'What is a bow?',
    text: { format: { type: 'json_schema', name: 'term', schema: term, strict: true } },
  });
  return {
    chat: JSON.parse(chat.choices[0].message.content),
    response: JSON.parse(response.output_text),
  };
};

const errors = async () => {
  const stranger = new OpenAI({ baseURL, apiKey: 'key-of-none', maxRetries: 0 });
  const patient = new OpenAI({ baseURL, apiKey, maxRetries: 1 });
  const retried = await patient.chat.completions.create(asks('Is there room now?'));
  return {
    key: await failure(() => stranger.chat.completions.create(asks('What is a bow?'))),
    model: await failure(() =>
      client.chat.completions.create({ ...asks('What is a bow?'), model: 'other' })),
    busy: await failure(() => client.chat.completions.create(asks('Is there room?'))),
    retried: retried.choices[0].message.content,
  };
};

const abortedStream = async () => {
  const stream = await client.chat.completions.create({ ...asks('Go on for ever.'), stream: true });
  for await (const chunk of stream) {
    stream.controller.abort();
    return { text: chunk.choices[0].delta.content };
  }
};

/** Aborted when a byte comes on standard input: by then the call is at the server. */
const abortedCall = async () => {
  const controller = new AbortController();
  process.stdin.once('data', () => {
    process.stdin.destroy();
    controller.abort();
  });
  return failure(() =>
    client.chat.completions.create(asks('Go on for ever.'), { signal: controller.signal }));
};

const parts = { replies, streams, tools, structured, errors, abortedStream, abortedCall };
console.log(JSON.stringify(await parts[part]()));
