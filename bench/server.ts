/** The server that is measured: the built one, as a process of its own, asked through HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';

/** Sends a request, on one of as many connections as there are at once, and answers its beginning. */
export type Post = (query: string, variables?: unknown) => Promise<string>;

/** Runs the server on a database, and what is measured against it. */
export async function withServer(databaseUrl: string, measure: (post: Post) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: '0', DEMO: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const agent = new Agent({ keepAlive: true });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = /http:\S+/.exec(line.toString())?.[0] ?? '';
    await measure((query, variables) => post(url, agent, JSON.stringify({ query, variables })));
  } finally {
    agent.destroy();
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** Reads the whole answer, and looks at no more than its beginning: parsing it is not the server's cost. */
function post(url: string, agent: Agent, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const outgoing = request(url, { method: 'POST', agent, headers }, (incoming) => {
      let beginning = '';
      incoming.on('data', (chunk: Buffer) => (beginning ||= chunk.toString('utf8', 0, 200)));
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (beginning.startsWith('{"data":{')) resolve(beginning);
        else reject(new Error(beginning));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Saves a question and its answer at the end of a chat's active branch. */
export async function saveTurn(post: Post, chatId: string): Promise<void> {
  const messages = ['user', 'assistant'].map((name) => ({ name, content: { text: 'A question, or an answer.' } }));
  const query = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  const answer = await post(query, { input: { chatId, messages } });
  if (!answer.includes('SaveMessagesPayload')) throw new Error(`not saved: ${answer}`);
}
