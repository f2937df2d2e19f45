/** Many clients, one after the other, that disconnect before they receive a response. */
import { request, type ClientRequest } from 'node:http';
import { expect, test } from 'vitest';
import { rawDatabase } from '../../support/database/raw-database.js';
import { startListening } from '../../support/server/listening-server.js';

const REQUESTS = 400;
const AT_ONCE = 20;
const MESSAGES = 500;

/** @param connectionsOf returns the number of the server's database connections */
export function testAbortedRequests(connectionsOf: (url: string) => Promise<number>): void {
  test(`${REQUESTS} requests of disconnected clients release their connections`, async () => {
    const { ask, url, databaseUrl, unexpectedErrors } = await startListening({ migrateOnStart: true });
    const create = 'mutation { createChat(input: { id: "c" }) { __typename } }';
    expect(await ask(create)).toHaveProperty('data.createChat.__typename', 'CreateChatPayload');
    const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    const messages = Array.from({ length: MESSAGES }, () => ({ name: 'user', content: { text: 'Who is there?' } }));
    expect(await ask(save, { input: { chatId: 'c', messages } })).not.toHaveProperty('errors');
    const chain = '{ chat(id: "c") { title activeBranch { chain { id data } messages(last: 5) { totalCount } } } }';
    const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const before = { sockets: sockets(), connections: await connectionsOf(databaseUrl) };

    let left = REQUESTS;
    const leave = async (): Promise<void> => {
      while (left-- > 0) {
        const outgoing = request(url, {
          method: 'POST',
          agent: false,
          headers: { 'content-type': 'application/json' },
        });
        outgoing.on('error', () => {});
        outgoing.end(JSON.stringify({ query: left % 3 === 0 ? save : chain, variables: variablesOf(left) }));
        // Disconnect in every state: before the server reads the request, while it runs, and during the response.
        await happened(outgoing, left % 2 === 0 ? 'socket' : 'finish');
        if (left % 5 === 0) await happened(outgoing, 'response');
        outgoing.destroy();
        if (!outgoing.closed) await happened(outgoing, 'close');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, leave));

    expect(await ask(chain)).toHaveProperty(`data.chat.activeBranch.chain.${MESSAGES - 1}.id`);
    await expect.poll(sockets).toBeLessThanOrEqual(before.sockets + 1);
    // The server has two pools of ten connections.
    expect(await connectionsOf(databaseUrl)).toBeLessThanOrEqual(Math.max(before.connections, 20));
    expect([...unexpectedErrors.values()]).toEqual([]);
  });
}

function happened(outgoing: ClientRequest, event: string): Promise<void> {
  return new Promise((resolve) => void outgoing.once(event, () => resolve()));
}

function variablesOf(n: number): unknown {
  return { input: { chatId: 'c', messages: [{ id: `left-${n}`, name: 'user', content: { text: 'I am off.' } }] } };
}

/** All connections to a PostgreSQL schema; 0 for a file. */
export async function serverConnections(url: string): Promise<number> {
  const database = await rawDatabase(url);
  const [row] = await database.rows<{ n: number }>(
    `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley'`,
  );
  return Number(row?.n);
}
