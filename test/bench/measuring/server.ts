/** The measured server: a built one in a separate process, called over HTTP. */
import { Agent, request } from 'node:http';
import { vacuum } from './postgresql.js';
import { startParley } from './processes.js';

/** Sends a request and returns the start of the response; each concurrent request has a separate connection. */
export type Post = (query: string, variables?: unknown, headers?: Record<string, string>) => Promise<string>;

export interface Server {
  post: Post;
  url: string;
  pid: number;
}

/**
 * Runs a server on a database, and the measurement against it. PostgreSQL is vacuumed before.
 * @param folder of another build
 * @param settings further environment variables
 */
export async function withServer<T>(
  databaseUrl: string,
  measure: (server: Server) => Promise<T>,
  folder?: string,
  settings: Record<string, string> = {},
): Promise<T> {
  if (databaseUrl.startsWith('postgresql:')) await vacuum(databaseUrl);
  const { url, pid, stop } = await startParley(
    { DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true', ...settings },
    folder,
  );
  try {
    return await withPost(url, (post) => measure({ post, url, pid }));
  } finally {
    await stop();
  }
}

/** Runs several servers on a database, each with further environment variables, and the measurement against them. */
export async function withServers<Name extends string, T>(
  databaseUrl: string,
  settings: Record<Name, Record<string, string>>,
  measure: (servers: Record<Name, Server>) => Promise<T>,
): Promise<T> {
  const running = new Map<string, Server>();
  let run = () => measure(Object.fromEntries(running) as Record<Name, Server>);
  for (const [name, further] of Object.entries<Record<string, string>>(settings)) {
    const inner = run;
    run = () =>
      withServer(
        databaseUrl,
        (server) => {
          running.set(name, server);
          return inner();
        },
        undefined,
        further,
      );
  }
  return run();
}

/** Runs a measurement with a client of a server. */
export async function withPost<T>(url: string, measure: (post: Post) => Promise<T>): Promise<T> {
  const agent = new Agent({ keepAlive: true });
  try {
    return await measure((query, variables, headers) =>
      post(url, agent, JSON.stringify({ query, variables }), headers),
    );
  } finally {
    agent.destroy();
  }
}

/** Reads the whole response but returns only its start: parsing is not part of the server's cost. */
function post(url: string, agent: Agent, body: string, further: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...further };
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

/** The full text of a response. */
export async function wholeAnswer(url: string, query: string): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return response.text();
}
