// LangGraph (JavaScript): an agent is a thread of a graph, a step is a node's turn and its
// checkpoint. Its argument is the database's URL.
import {Annotation, END, START, StateGraph} from '@langchain/langgraph';
import {PostgresSaver} from '@langchain/langgraph-checkpoint-postgres';
import pg from 'pg';
import {all, serve} from './rounds.mjs';

const pool = new pg.Pool({connectionString: process.argv[2], max: 20});
const saver = new PostgresSaver(pool);
await saver.setup();
const State = Annotation.Root({
  reply: Annotation(), step: Annotation(), steps: Annotation(), bytes: Annotation(),
});
const graph = new StateGraph(State)
  .addNode('work', (state) => ({reply: 'x'.repeat(state.bytes), step: state.step + 1}))
  .addEdge(START, 'work')
  .addConditionalEdges('work', (state) => (state.step < state.steps ? 'work' : END))
  .compile({checkpointer: saver});
await serve(
  (id, agents, steps, bytes) =>
    all(agents, (i) =>
      graph.invoke(
        {reply: '', step: 0, steps, bytes},
        // a step is stored before the next one begins
        {configurable: {thread_id: `${id}-${i}`}, recursionLimit: steps + 10, durability: 'sync'},
      )),
  async (id, agents, bytes) => {
    const found = await pool.query(
      "SELECT count(*) AS many FROM checkpoint_blobs WHERE channel = 'reply'"
        + ' AND thread_id LIKE $1 AND length(blob) >= $2',
      [`${id}-%`, bytes],
    );
    return found.rows[0].many;
  },
);
