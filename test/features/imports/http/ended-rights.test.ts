/** Exports whose viewer loses a chat, or whose token expires, before the end; and parameters that no database can store. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createChat } from '../../../../src/conversation/chats.js';
import { transferChat } from '../../../../src/features/members/members.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../../src/conversation/store.js';
import { ExportReport, exportChats } from '../../../../src/features/exports/export-chats.js';
import { zippedExport } from '../../../../src/features/exports/export-targets.js';
import { ChatArchive, type Archive } from '../../../../src/features/exports/archive.js';
import { writerNamed, WRITERS } from '@parley/interchange/server';
import { atDatabase } from '../../../cli/database-content.js';
import { VIEWER, writeChain } from '../../../support/chats/large-chats.js';
import { startListening } from '../../../support/server/listening-server.js';
import { emptyDatabaseUrl } from '../../../support/database/temporary-database.js';
import { AUTH, bearer } from '../../../support/server/tokens.js';

const ADMIN = { userId: 'root', isAdmin: true };
const ALICE = { userId: 'alice', isAdmin: false };
const MESSAGES = 40;
/** More than the buffers of both sockets, so that an export waits for its reader. */
const MESSAGE_BYTES = 500_000;

const listen = (options: Parameters<typeof startListening>[0] = {}) =>
  startListening({ auth: AUTH, migrateOnStart: true, databaseUrl: emptyDatabaseUrl(), ...options });

async function save(
  store: ConversationStore,
  { userId }: { userId: string },
  chatId: string,
  texts: readonly string[],
) {
  const messages = texts.map((text) => ({ name: 'assistant', type: 'message', content: { text } }));
  await saveMessages(store, { userId, isAdmin: false }, { chatId, messages });
}

const transferToAlice = (store: ConversationStore, id: string) =>
  transferChat(store, ADMIN, { id, userId: ALICE.userId });

/** Chats of VIEWER in the order of an export, which is also that of their ids: a large one, and two small ones. */
async function serverWithChats() {
  const server = await listen();
  await atDatabase(server.databaseUrl, async ({ store }) => {
    await createChat(store, VIEWER, { id: 'large' });
    for (let n = 0; n < MESSAGES; n += 10) {
      await save(store, VIEWER, 'large', Array<string>(10).fill('x'.repeat(MESSAGE_BYTES)));
    }
    for (const id of ['later', 'latest']) {
      await createChat(store, VIEWER, { id });
      await save(store, VIEWER, id, [`before, in ${id}`]);
    }
  });
  return server;
}

/** Starts an export and reads its beginning. @returns a function that reads the rest */
async function startExport(url: string, query: string, headers: Record<string, string>) {
  const request = httpRequest(url.replace('/graphql', `/export${query}`), { headers }).end();
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  return async () => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => {});
    await new Promise((resolve) => response.once('close', resolve));
    return { text: Buffer.concat(pieces).toString(), isWhole: response.complete };
  };
}

const linesOf = (text: string) => text.trimEnd().split('\n');
const lastLine = (text: string) => JSON.parse(linesOf(text).at(-1) ?? '') as unknown;
const wholeChats = (text: string) => [...text.matchAll(/^\{"end":\{"chat":"(\w+)"/gm)].map(([, id]) => id);

describe('an export over HTTP', () => {
  it('contains nothing written after a transfer, and marks the transferred chat as incomplete', async () => {
    const { url, databaseUrl, unexpectedErrors } = await serverWithChats();
    const headers = await bearer(VIEWER.userId);
    const [lines, array] = [await startExport(url, '', headers), await startExport(url, '?format=chatgpt', headers)];
    await atDatabase(databaseUrl, async ({ store }) => {
      for (const id of ['large', 'later']) {
        await transferToAlice(store, id);
        await save(store, ALICE, id, ['written by Alice']);
      }
    });
    const parley = await lines();
    expect(parley.text).not.toContain('Alice');
    expect(parley.text).not.toContain('in later');
    expect(linesOf(parley.text)).toContain('{"incomplete":"chat \\"large\\" was deleted or transferred"}');
    expect([wholeChats(parley.text), parley.isWhole]).toEqual([['latest'], true]);
    const chatGpt = await array();
    expect(chatGpt.isWhole).toBe(false);
    expect(chatGpt.text).not.toContain('Alice');
    expect(() => JSON.parse(chatGpt.text) as unknown).toThrow();
    expect(unexpectedErrors.size).toBe(0);
  });

  it('ends when the token expires, with a final error line and an aborted response', async () => {
    const { url, unexpectedErrors } = await serverWithChats();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const rests = [
      await startExport(url, '', await bearer(VIEWER.userId, false, 60)),
      await startExport(url, '?everybody=true', await bearer(ADMIN.userId, true, 60)),
    ];
    const longer = await startExport(url, '', await bearer(VIEWER.userId, false, 120));
    vi.advanceTimersByTime(66_000);
    for (const rest of rests) {
      const { text, isWhole } = await rest();
      expect([wholeChats(text), lastLine(text), isWhole]).toEqual([[], { incomplete: 'the token expired' }, false]);
      expect(text.length).toBeLessThan(MESSAGES * MESSAGE_BYTES);
    }
    const { text, isWhole } = await longer();
    expect([wholeChats(text), isWhole]).toEqual([['large', 'later', 'latest'], true]);
    expect(unexpectedErrors.size).toBe(0);
  });

  it('runs the same statements for an unknown chat as for the chat of another user', async () => {
    let statements: string[] = [];
    const { url, databaseUrl } = await listen({ onStatement: (sql) => statements.push(sql) });
    await atDatabase(databaseUrl, ({ store }) => writeChain(store, 'long', 600));
    const headers = await bearer(ALICE.userId);
    const asked = async (chatId: string) => {
      statements = [];
      const { status } = await fetch(url.replace('/graphql', `/export?chatId=${chatId}`), { headers });
      return { status, statements };
    };
    await asked('unknown');
    const unknown = await asked('unknown');
    expect(unknown).toMatchObject({ status: 404, statements: [expect.any(String)] });
    expect(await asked('long')).toEqual(unknown);
  });
});

/** The end of an export whose first chat is transferred after its first text was read. */
const MARKS = new Map([
  ['parley', /^\{"incomplete":"chat \\"long\\" was deleted or transferred"\}$/m],
  ['oasst', /^\{"incomplete":"chat \\"long\\" was deleted or transferred"\}$/m],
  ['completions', /^\{"incomplete":"chat \\"long\\" was deleted or transferred"\}$/m],
  ['markdown', /^_Incomplete: chat "long" was deleted or transferred_$/m],
  ['html', /<p class="rest">Incomplete: chat &quot;long&quot; was deleted or transferred<\/p>/],
]);

describe('an export whose chat is transferred while it is read', () => {
  it('ends a zip with an error', async () => {
    await atDatabase(emptyDatabaseUrl(), async (database) => {
      const { store } = database;
      await writeChain(store, 'long', 600);
      const archive = new ChatArchive(database.connection);
      const losing: Archive = {
        chats: archive.chats.bind(archive),
        read: async (id, owner) => {
          const chat = await archive.read(id, owner);
          const messages = async function* () {
            for await (const rows of chat?.messages() ?? []) {
              yield rows;
              await transferToAlice(store, 'long');
            }
          };
          return chat && { ...chat, messages, isThere: () => chat.isThere() };
        },
      };
      const writer = writerNamed('librechat')!;
      const request = { archive: losing, writer, userId: VIEWER.userId, chatId: null, since: null } as const;
      const zip = zippedExport({ ...request, paths: 'active' }, new ExportReport(writer));
      await expect(buffer(zip)).rejects.toThrow('chat "long" was deleted or transferred');
    });
  });

  it.each(WRITERS.map(({ name }) => [name]))('is marked as incomplete as %s', async (name) => {
    await atDatabase(emptyDatabaseUrl(), async (database) => {
      const { store } = database;
      await writeChain(store, 'long', 600);
      // Chat completions end with an answer.
      await save(store, VIEWER, 'long', ['the answer']);
      // Its id follows that of the other chat, as both may have the same time.
      await createChat(store, VIEWER, { id: 'new' });
      await save(store, VIEWER, 'new', ['in last']);
      const archive = new ChatArchive(database.connection);
      const writer = WRITERS.find((one) => one.name === name)!;
      const report = new ExportReport(writer);
      const request = { archive, writer, userId: VIEWER.userId, chatId: null, since: null, paths: 'active' } as const;
      let text = '';
      let isTransferred = false;
      const read = async () => {
        for await (const piece of exportChats(request, report)) {
          text += piece;
          if (isTransferred || piece === writer.frame.before) continue;
          await transferToAlice(store, 'long');
          isTransferred = true;
        }
      };
      const mark = MARKS.get(name);
      if (mark === undefined) {
        await expect(read()).rejects.toThrow('chat "long" was deleted or transferred');
        expect(() => JSON.parse(text) as unknown).toThrow();
      } else {
        await read();
        expect(text).toMatch(mark);
        expect(text).toContain('in last');
        expect(text).not.toContain('long-599');
        expect(report.lost).toEqual(['long']);
      }
    });
  });
});

it('the error for a parameter that no database can store names it', async () => {
  const { url, unexpectedErrors } = await listen();
  const headers = { ...(await bearer(ADMIN.userId, true)), 'content-type': 'application/json' };
  const routes = [
    ['GET', '/export', ['format', 'userId', 'chatId', 'since', 'paths', 'everybody', 'zip']],
    ['POST', '/import', ['format', 'userId']],
    ['DELETE', '/users', ['userId']],
  ] as const;
  for (const [method, path, names] of routes) {
    for (const name of names) {
      for (const value of ['%00', 'a%00', 'a%20', '', 'a'.repeat(256)]) {
        const response = await fetch(url.replace('/graphql', `${path}?${name}=${value}`), { method, headers });
        const message = expect.stringMatching(new RegExp(`^${name} must `)) as string;
        expect([path, response.status, await response.json()]).toEqual([
          path,
          400,
          { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] },
        ]);
      }
    }
  }
  expect(unexpectedErrors.size).toBe(0);
});
