/** Several engines on one chat: no turn is lost. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { assistant, ContextEngine, lastAssistantMessage, RemoteStore, user, type ContextStore } from '@parley/context';
import { openContextStore } from '../../src/exports/parley.js';
import { createServer } from '../../src/server.js';
import { databaseKind, isInMemory } from '../support/database/database-kind.js';
import { expectSoundDatabase } from '../support/database/sound-database.js';
import { openStores } from './stores.js';

const stores = openStores();

/** The stores of the engines. */
const WRITERS: Record<string, () => Promise<ContextStore>[]> = {
  'in one process': () => [inProcess(), inProcess()],
  'on one server': () => [remote(), remote()],
  'in a process and on its server': () => [inProcess(), remote()],
  'eight of them': () => Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? inProcess() : remote())),
};
if (!isInMemory) {
  WRITERS['on two servers of one database'] = () => [remote(), remoteOfAnotherServer()];
  WRITERS['beside the server'] = () => [remote(), besideTheServer()];
}

const inProcess = async () => stores.get('in process');
const remote = async () => new RemoteStore({ url: stores.url });

async function remoteOfAnotherServer(): Promise<ContextStore> {
  const server = await createServer({ databaseUrl: stores.databaseUrl, port: 0 });
  onTestFinished(() => server.stop());
  return new RemoteStore({ url: await server.start() });
}

async function besideTheServer(): Promise<ContextStore> {
  const store = await openContextStore({ databaseUrl: stores.databaseUrl });
  onTestFinished(() => store.close());
  return store;
}

const openEngines = async (open: () => Promise<ContextStore>[]) =>
  (await Promise.all(open())).map((store) => new ContextEngine({ store, chatId: 'c', userId: 'u' }));

const ROUNDS = databaseKind === 'sqlite' || isInMemory ? 8 : 4;

describe.each(Object.entries(WRITERS))('engines %s', (_where, open) => {
  test('concurrent saves in many rounds form one chain, in the order of each engine', async () => {
    const engines = await openEngines(open);
    // Concurrent first calls create the chat once.
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(
        engines.map((engine, n) =>
          engine.set(user(`${n}`, { id: `${n}-${round}-q` }), assistant(`${n}`, { id: `${n}-${round}-a` })).save(),
        ),
      );
    }
    const store = stores.get('in process');
    const chain = (await store.getMessages('c')).map(({ id }) => id);
    expect(chain).toHaveLength(engines.length * ROUNDS * 2);
    for (const n of engines.keys()) {
      const own = Array.from({ length: ROUNDS }, (_, round) => [`${n}-${round}-q`, `${n}-${round}-a`]).flat();
      expect(chain.filter((id) => id.startsWith(`${n}-`))).toEqual(own);
    }
    // A question and its answer are one save, without messages between them.
    for (const [place, id] of chain.entries()) {
      if (id.endsWith('-q')) expect(chain[place + 1]).toBe(id.replace(/q$/, 'a'));
    }
    expect(await store.listBranches('c')).toMatchObject([
      { name: 'main', headMessageId: chain.at(-1), isActive: true },
    ]);
    expect((await store.getGraph('c')).nodes).toHaveLength(chain.length);
  });

  test('all messages are in the graph and on a branch after concurrent edits, rewinds and switches', async () => {
    const engines = await openEngines(open);
    const saved = new Set<string>();
    const save = async (engine: ContextEngine) => {
      for (const { id } of (await engine.save()).messages) saved.add(id);
    };
    /** The action of an engine in each round. */
    const moves: ((engine: ContextEngine, mark: string) => Promise<unknown>)[] = [
      (engine, mark) => save(engine.set(user('new', { id: `${mark}-q` }), assistant('new', { id: `${mark}-a` }))),
      (engine, mark) => save(engine.set(user(`edited ${mark}`, { id: 'first' }), assistant('anew'))),
      async (engine, mark) => {
        await engine.rewind('first');
        await save(engine.set(assistant('again', { id: `${mark}-r` })));
      },
      (engine, mark) => save(engine.set(lastAssistantMessage(`corrected ${mark}`))),
      async (engine, mark) => {
        await engine.btw();
        await engine.switchBranch('main');
        await save(engine.set(user('back', { id: `${mark}-b` })));
      },
      async (engine) => {
        await engine.checkpoint('here');
        await engine.restore('here');
      },
    ];
    await save(engines[0]!.set(user('one', { id: 'first' }), assistant('two', { id: 'second' })));
    for (let round = 0; round < moves.length; round += 1) {
      await Promise.all(engines.map((engine, n) => moves[(round + n) % moves.length]!(engine, `${n}-${round}`)));
    }
    const store = stores.get('in process');
    const { nodes, branches } = await store.getGraph('c');
    expect(new Set(nodes.map(({ id }) => id))).toEqual(saved);
    const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
    const reached = new Set<string>();
    for (const { headMessageId } of branches) {
      for (let id = headMessageId; id != null && !reached.has(id); id = parents.get(id) ?? null) reached.add(id);
    }
    expect(reached).toEqual(saved);
    expect(branches.filter(({ isActive }) => isActive)).toHaveLength(1);
    if (!isInMemory) await expectSoundDatabase(stores.databaseUrl);
  });
});
