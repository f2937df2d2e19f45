/** Two servers on one database: the locks between processes, and the write queue in each process. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../../../src/server.js';
import { graphql } from '../../generated/graphql/gql.js';
import { allRowsAt } from '../../support/database/all-rows.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { Branches, CreateChat, SaveMessages, userMessage } from '../../support/chats/operations.js';
import { holdDatabase } from '../../support/database/raw-database.js';
import { shareServer, startServer, type ServerProcess } from '../../support/server/server-process.js';
import { expectSoundDatabase } from '../../support/database/sound-database.js';
import { isDistributed } from '../../support/database/database-kind.js';
import {
  temporaryDatabase,
  temporaryDatabaseUrl,
  type TemporaryDatabase,
} from '../../support/database/temporary-database.js';
import { eventsOf } from '../event-log.js';

const ChainSeqs = graphql(`
  query ChainSeqs($id: ID!) {
    chat(id: $id) {
      messageCount
      activeBranch {
        name
        messageCount
        chain {
          id
          seq
          depth
        }
      }
    }
  }
`);

/** Everything except generated ids. */
const Demo = graphql(`
  query Demo {
    chats(first: 10) {
      edges {
        node {
          id
          metadata
          version
          graph {
            nodes {
              role
              content
              depth
            }
            branches {
              name
              isActive
            }
            checkpoints {
              name
            }
          }
        }
      }
    }
  }
`);

const CHAT = 'shared';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());
const both = [0, 1].map(() => shareServer(() => ({ DATABASE_URL: database.url })));

/** Both servers, with an empty chat. */
async function twoServers(): Promise<[ServerProcess, ServerProcess]> {
  const [one, other] = both.map((server) => server());
  await one!.post(`mutation { deleteChat(input: { chatId: "${CHAT}", permanently: true }) { __typename } }`);
  await one!.run(CreateChat, { input: { id: CHAT } });
  return [one!, other!];
}

function inTurn<T>(
  count: number,
  servers: readonly ServerProcess[],
  client: (server: ServerProcess, n: number) => T,
): T[] {
  return Array.from({ length: count }, (_, n) => client(servers[n % servers.length]!, n));
}

describe('two servers on one database', () => {
  it('both start on a new database, and write the demo once', async () => {
    const start = (databaseUrl: string) =>
      startServer({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true', DEMO: 'default' });
    const databaseUrl = temporaryDatabaseUrl();
    const servers = await Promise.all([start(databaseUrl), start(databaseUrl)]);
    const alone = { DATABASE_URL: temporaryDatabaseUrl(), MIGRATE_ON_START: 'true', DEMO: 'default' } as const;
    const demo = await (await startConfigured(alone)).run(Demo, {});
    for (const server of servers) expect(await server.run(Demo, {})).toEqual(demo);
    await expectSoundDatabase(databaseUrl);
  });

  // In the distributed form, no start creates the database and its demo.
  it.skipIf(isDistributed)('both start at any stage of the other one’s demo', async () => {
    const demoOf = async (servers: number) => {
      const options = { databaseUrl: temporaryDatabaseUrl(), migrateOnStart: true, demo: true };
      const started = await Promise.all(Array.from({ length: servers }, () => createServer(options)));
      await Promise.all(started.map((server) => server.stop()));
      const { messages, events } = await allRowsAt(options.databaseUrl);
      return {
        messages: messages.map(({ seq, preview }) => `${seq}: ${preview}`).sort(),
        events: events.map(({ seq, type }) => `${seq}: ${type}`),
      };
    };
    const demo = await demoOf(1);
    for (let round = 0; round < 3; round++) expect(await demoOf(2)).toEqual(demo);
  });

  it('append the turns of 64 concurrent clients to one branch, in one chain', async () => {
    const CLIENTS = 64;
    const TURNS = 4;
    const servers = await twoServers();

    const acknowledged = await Promise.all(
      inTurn(CLIENTS, servers, async (server, client) => {
        const ids: string[] = [];
        for (let turn = 0; turn < TURNS; turn++) {
          const id = `client-${client}-turn-${turn}`;
          const { saveMessages } = await server.run(SaveMessages, {
            input: { chatId: CHAT, messages: [userMessage(id)], onConflict: 'REJECT' },
          });
          expect(saveMessages).toMatchObject({
            __typename: 'SaveMessagesPayload',
            branched: false,
            branch: { name: 'main' },
            messages: [{ id }],
          });
          ids.push(id);
        }
        return ids;
      }),
    );

    for (const server of servers) {
      const { chat } = await server.run(ChainSeqs, { id: CHAT });
      const { chain, messageCount } = chat!.activeBranch;
      const total = CLIENTS * TURNS;
      expect([chat!.messageCount, messageCount]).toEqual([total, total]);
      expect(chain.map(({ id }) => id).sort()).toEqual(acknowledged.flat().sort());
      expect(chain.map(({ seq }) => seq)).toEqual(chain.map((_, n) => n + 1));
      expect(chain.map(({ depth }) => depth)).toEqual(chain.map((_, n) => n));
      // The messages of each client are in the order of its requests.
      const place = new Map(chain.map(({ id }, n) => [id, n]));
      for (const ids of acknowledged) {
        const places = ids.map((id) => place.get(id)!);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
      const events = await eventsOf(server, CHAT);
      expect(events.filter(({ __typename }) => __typename === 'BranchHeadMoved')).toHaveLength(total);
    }
    await expectSoundDatabase(database.url);
  });

  it('let one of 16 clients with the same head append, and return the newer messages to the others', async () => {
    const servers = await twoServers();
    await servers[0].run(SaveMessages, {
      input: { chatId: CHAT, messages: [userMessage('seen')], onConflict: 'REJECT' },
    });

    const results = await Promise.all(
      inTurn(16, servers, (server, n) =>
        server.run(SaveMessages, {
          input: { chatId: CHAT, messages: [userMessage(`m${n}`)], expectedHead: { id: 'seen' }, onConflict: 'REJECT' },
        }),
      ),
    );

    const saved = results.flatMap(({ saveMessages }) =>
      saveMessages.__typename === 'SaveMessagesPayload' ? saveMessages.messages.map(({ id }) => id) : [],
    );
    expect(saved).toHaveLength(1);
    const refused = results.filter(({ saveMessages }) => saveMessages.__typename !== 'SaveMessagesPayload');
    for (const { saveMessages } of refused) {
      expect(saveMessages).toMatchObject({
        __typename: 'HeadConflictError',
        code: 'HEAD_CONFLICT',
        expectedHeadId: 'seen',
        branch: { name: 'main' },
        actualHead: { id: saved[0] },
        newerMessages: [{ id: saved[0] }],
      });
    }
    const { chat } = await servers[1].run(Branches, { id: CHAT });
    expect(chat!.branches.edges.map(({ node }) => node)).toEqual([
      { name: 'main', isActive: true, chain: [{ id: 'seen' }, { id: saved[0] }] },
    ]);
  });

  it('wait for a third process that locks the database, and answer reads meanwhile', async () => {
    const servers = await twoServers();
    const holder = await holdDatabase(database.url);

    const readAndClose = async () => {
      for (let n = 0; n < 25; n++) {
        const read = await Promise.all(servers.map((server) => server.run(ChainSeqs, { id: CHAT })));
        expect(read.map(({ chat }) => chat!.messageCount)).toEqual([0, 0]);
      }
      await holder.release();
    };
    const saves = inTurn(4, servers, (server, n) =>
      server.run(SaveMessages, { input: { chatId: CHAT, messages: [userMessage(`m${n}`)], onConflict: 'REJECT' } }),
    );
    const [answers] = await Promise.all([Promise.all(saves), readAndClose()]);

    expect(answers.map(({ saveMessages }) => saveMessages.__typename)).toEqual(Array(4).fill('SaveMessagesPayload'));
    const { chat } = await servers[0].run(ChainSeqs, { id: CHAT });
    expect(chat!.activeBranch.chain.map(({ id }) => id).sort()).toEqual(['m0', 'm1', 'm2', 'm3']);
    await eventsOf(servers[0], CHAT);
  });

  it('create a branch for each of 16 clients with the same head that request a fork', async () => {
    const servers = await twoServers();
    await servers[0].run(SaveMessages, {
      input: { chatId: CHAT, messages: [userMessage('seen')], onConflict: 'REJECT' },
    });

    const results = await Promise.all(
      inTurn(16, servers, (server, n) =>
        server.run(SaveMessages, {
          input: {
            chatId: CHAT,
            branch: 'main',
            messages: [userMessage(`m${n}`)],
            expectedHead: { id: 'seen' },
            onConflict: 'FORK',
          },
        }),
      ),
    );

    const payloads = results.flatMap(({ saveMessages }) =>
      saveMessages.__typename === 'SaveMessagesPayload' ? [saveMessages] : [],
    );
    expect(payloads).toHaveLength(16);
    // The first fork found the expected head.
    expect(payloads.filter(({ branched }) => !branched).map(({ branch }) => branch.name)).toEqual(['main']);
    const { chat } = await servers[1].run(Branches, { id: CHAT });
    const chains = chat!.branches.edges.map(({ node }) => [node.name, node.chain.map(({ id }) => id)] as const);
    expect(Object.fromEntries(chains)).toEqual(
      Object.fromEntries(payloads.map(({ branch, messages }) => [branch.name, ['seen', messages[0]!.id]])),
    );
    expect(chains).toHaveLength(16);
    expect(chat!.branches.edges.filter(({ node }) => node.isActive)).toHaveLength(1);
    await eventsOf(servers[1], CHAT);
  });
});
