/** Each row of the table in docs/export.md: exports chats with the command, and imports them if a reader exists. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renameBranch } from '../../../src/conversation/branches/branches.js';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { messageText } from '../../../src/conversation/text/message-text.js';
import { WRITERS } from '@parley/interchange/server';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { atDatabase, contentOf, type DatabaseContent } from '../../cli/database-content.js';
import { conversation, message, nodeOf } from '../imports/readers/chatgpt-export.js';
import { documentedFormats, phrasesOf } from '../imports/documented-table.js';
import { exportFrom, importTo } from './run-export.js';

const ANN = { userId: 'ann', isAdmin: false };
const TEXTS = { q: 'Why?', a: 'Because.', b: 'Therefore.', t: 'Another beginning' };

/** Two roots, a fork whose first child is active, messages of all kinds, and a chat without messages. */
async function writeChats(folder: string): Promise<string> {
  const url = `file:${join(folder, 'from.db')}`;
  const given = conversation(['s', 'k < s', 'q < k', 'h < q', 'a < h', 'b < h', 't', 'e < b', 'w < t', 'x < w'], {
    current_node: 'a',
  });
  const say = (id: string, role: string, parts: string[], n: number) =>
    (nodeOf(given, id).message = message(id, {
      author: { role },
      create_time: 1_700_000_000.125 + n,
      content: { content_type: 'text', parts },
    }));
  say('s', 'system', ['Be kind.'], 0);
  for (const [n, [id, text]] of Object.entries(TEXTS).entries()) {
    say(id, id === 'q' || id === 't' ? 'user' : 'assistant', [text], n + 1);
  }
  say('e', 'user', [''], 9);
  say('k', 'user', ['Answer in rhymes.'], 10);
  Object.assign(nodeOf(given, 'k').message ?? {}, { metadata: { is_visually_hidden_from_conversation: true } });
  for (const [id, role] of [
    ['w', 'tool'],
    ['x', 'assistant'],
  ] as const) {
    say(id, role, [], 11);
    Object.assign(nodeOf(given, id).message ?? {}, { content: { content_type: 'weather', degrees: 3 } });
  }
  const thoughts = { content_type: 'thoughts', thoughts: [{ summary: 'Hm.', content: 'Hm!' }] };
  nodeOf(given, 'h').message = message('h', {
    author: { role: 'assistant' },
    create_time: 1_700_000_008.125,
    content: thoughts,
  });
  const path = join(folder, 'given.json');
  writeFileSync(
    path,
    JSON.stringify([given, { title: 'Nothing yet', conversation_id: 'c2', mapping: {}, create_time: 1 }]),
  );
  expect(await importTo(url, path, '--user', 'ann')).toMatchObject({ code: 0 });
  const { chats, messages } = await contentOf(url);
  const chatId = chats.find(({ title }) => title === 'A talk')?.id ?? '';
  await atDatabase(url, async ({ store }) => {
    await renameBranch(store, ANN, { chatId, name: 'main-v2', newName: 'therefore' });
    const q = messages.find(({ preview }) => preview === TEXTS.q);
    await createCheckpoint(store, ANN, { chatId, name: 'asked', messageId: q?.id ?? '' });
    await startDraft(store, ANN, { chatId, branch: 'therefore', id: 'draft-1', name: 'assistant' });
  });
  return url;
}

type Row = DatabaseContent['messages'][number];

const textOf = ({ data }: { data: string }) => messageText(JSON.parse(data));
const isHidden = ({ data }: Row) => data.includes('"hidden":true');
const hasOtherParts = ({ data }: Row) => data.includes('"type":"data-');
const isEmpty = ({ data }: Row) => data.includes('"parts":[{"type":"text","text":""}]');

/** The messages with a text that are not hidden, linked to the nearest one above. */
function shown({ messages }: DatabaseContent): Row[] {
  const byId = new Map(messages.map((each) => [each.id, each]));
  const isShown = (each: Row) => !isHidden(each) && textOf(each) !== '';
  const nearest = (id: string | null): string | null => {
    const found = id === null ? undefined : byId.get(id);
    return found === undefined || isShown(found) ? id : nearest(found.parentId);
  };
  return messages.filter(isShown).map((each) => ({ ...each, parentId: nearest(each.parentId) }));
}

const idsIn = ({ messages }: DatabaseContent) =>
  new Set(messages.flatMap(({ id, data }) => [id, (JSON.parse(data) as { metadata?: { id?: unknown } }).metadata?.id]));

/** Every path from a root to a leaf through shown messages, as one value of each message. */
function paths(content: DatabaseContent, seen: (message: Row) => unknown): string[] {
  const messages = shown(content);
  const byId = new Map(messages.map((each) => [each.id, each]));
  const parents = new Set(messages.map(({ parentId }) => parentId));
  const path = (id: string | null): unknown[] => {
    const found = id === null ? undefined : byId.get(id);
    return found === undefined ? [] : [...path(found.parentId), seen(found)];
  };
  return messages
    .filter(({ id }) => !parents.has(id))
    .map(({ id }) => JSON.stringify(path(id)))
    .sort();
}

/** Properties of chats that a format may lose, read from a database. */
const FACTS: Record<string, (content: DatabaseContent, ids: ReadonlySet<unknown>) => unknown> = {
  'the graph': (content) => paths(content, textOf),
  'the role of the system': (content) => paths(content, ({ name }) => name),
  times: (content) => paths(content, ({ createdAt }) => Math.floor(createdAt / 1000)),
  milliseconds: (content) => paths(content, ({ createdAt }) => createdAt),
  ids: (content, ids) => [...ids].every((id) => idsIn(content).has(id)),
  titles: ({ chats }) => chats.map(({ title }) => title).sort(),
  'the active leaf': ({ branches, messages }) =>
    messages
      .filter(({ id }) => branches.some(({ isActive, headMessageId }) => isActive && headMessageId === id))
      .map(textOf),
  'chats with several roots': ({ chats, messages }) =>
    chats.filter(({ id }) => messages.filter((each) => each.chatId === id && each.parentId === null).length > 1).length,
  'chats without messages': ({ chats, messages }) =>
    chats.filter(({ id }) => messages.every(({ chatId }) => chatId !== id)).length,
  'names of branches': ({ branches }) => branches.map(({ name }) => name).sort(),
  checkpoints: ({ checkpoints }) => checkpoints.map(({ name }) => name),
  'the log': ({ events }) => events.map(({ type, createdAt }) => `${createdAt} ${type}`).sort(),
  authors: ({ chats, messages }) =>
    // The chat's owner if messages have no author.
    [...new Set([...chats.map(({ userId }) => userId), ...messages.map(({ createdBy }) => createdBy)])],
  metadata: ({ chats }) => chats.map(({ metadata }) => metadata).sort(),
  thoughts: ({ messages }) => messages.some(({ data }) => data.includes('"reasoning"')),
  'tool calls': ({ messages }) => messages.some(({ data }) => data.includes('"type":"dynamic-tool"')),
  'other parts': ({ messages }) => messages.filter(hasOtherParts).length,
  'hidden messages': ({ messages }) => messages.filter(isHidden).length,
  'empty messages': ({ messages }) => messages.filter(isEmpty).length > 0,
  drafts: ({ drafts }) => drafts.length,
};

/** The lost properties by the phrase of the table. */
const LOST: Record<string, string[]> = {
  'the common losses': ['names of branches', 'checkpoints', 'the log', 'authors', 'metadata', 'drafts'],
  'parts other than text': ['thoughts', 'tool calls', 'other parts'],
  'other parts': ['other parts'],
  'hidden messages': ['hidden messages'],
  'hidden and empty messages': ['hidden messages', 'empty messages'],
  'drafts that are being written': ['drafts'],
  milliseconds: ['milliseconds'],
  titles: ['titles'],
  'the active leaf': ['the active leaf'],
  'the role of system messages': ['the role of the system'],
  'that several roots are one chat': ['chats with several roots'],
  'chats without messages': ['chats without messages'],
};

const documented = documentedFormats('export.md', 'Format, and its `--format`');
const rows = documented.map(({ names: [name = ''], cells: [, again, lost] }) => ({
  name,
  again,
  lost: phrasesOf(lost),
}));
const lossesOf = (kind: string) => rows.find(({ name }) => name === kind)?.lost;

/** Writes the chats in a format, and imports them into a new database if a reader exists. */
async function roundTrip(format: string, ...args: string[]) {
  const folder = temporaryFolder();
  const url = await writeChats(folder);
  const path = join(folder, `out.${format}`);
  const out = await exportFrom(url, path, '--format', format, ...args);
  expect(out).toMatchObject({ code: 0, error: [] });
  const again = `file:${join(folder, 'again.db')}`;
  return { url, path, text: readFileSync(path, 'utf8'), out, again, readAgain: () => importTo(again, path) };
}

describe('the table of export formats', () => {
  it('lists every format', () => {
    expect(documented.flatMap(({ names }) => names).sort()).toEqual(WRITERS.map(({ name }) => name).sort());
  });

  it.each(rows.filter(({ again }) => again === 'the same graph' || again === 'the same database'))(
    'is correct about $name: only the listed losses occur',
    async ({ name, lost }) => {
      const { url, again, readAgain } = await roundTrip(name);
      expect(await readAgain()).toMatchObject({ code: 0, error: [] });
      const [from, to] = [await contentOf(url), await contentOf(again)];
      const ids = new Set(shown(from).map(({ id }) => id));
      const isLost = (fact: string) => {
        const seen = FACTS[fact];
        return JSON.stringify(seen?.(from, ids)) !== JSON.stringify(seen?.(to, ids));
      };
      expect(Object.keys(FACTS).filter(isLost)).toEqual(
        Object.keys(FACTS).filter((fact) => lost.some((phrase) => LOST[phrase]?.includes(fact))),
      );
      expect(lost.filter((phrase) => LOST[phrase] === undefined)).toEqual([]);
    },
  );

  it('is correct about completions: a chat for each path, with texts only', async () => {
    expect(lossesOf('completions')).toEqual([
      'the common losses',
      'parts other than text',
      'hidden messages',
      'ids, times, titles',
      'messages without a text, and those after the last answer',
    ]);
    const { url, text, again, readAgain } = await roundTrip('completions', '--paths', 'leaves');
    expect(await readAgain()).toMatchObject({ code: 0, error: [] });
    const [from, to] = [await contentOf(url), await contentOf(again)];
    expect(paths(to, textOf)).toEqual(
      [
        ['Be kind.', TEXTS.q, TEXTS.a],
        ['Be kind.', TEXTS.q, TEXTS.b],
      ]
        .map((path) => JSON.stringify(path))
        .sort(),
    );
    expect(to.chats.map(({ title }) => title)).toEqual([null, null]);
    for (const { id } of from.messages) expect(text).not.toContain(id);
    const times = new Set(from.messages.map(({ createdAt }) => createdAt));
    expect(to.messages.filter(({ createdAt }) => times.has(createdAt))).toEqual([]);
  });

  it.each(['markdown', 'html'])('is correct about %s: a section for each path', async (format) => {
    expect(lossesOf(format)).toEqual([
      'the common losses',
      'parts other than text',
      'ids',
      'forks',
      'hidden and empty messages',
    ]);
    const { url, text, readAgain } = await roundTrip(format, '--paths', 'leaves');
    const { messages, chats } = await contentOf(url);
    for (const { title } of chats) expect(text).toContain(title ?? '');
    for (const said of Object.values(TEXTS)) expect(text).toContain(said);
    // Both paths begin with the shared messages.
    expect(text.split(TEXTS.q)).toHaveLength(3);
    expect(text).toContain('2023-11-14');
    expect(text).toContain('Not shown: thoughts');
    const heading = format === 'html' ? /<h3>/g : /^### /gm;
    expect(text.match(heading)).toHaveLength(messages.filter((each) => !isEmpty(each) && !isHidden(each)).length + 3);
    for (const { id, parentId } of messages.filter(({ id }) => messages.some((each) => each.parentId === id))) {
      expect([id, text.includes(id)]).toEqual([id, false]);
      expect(text).not.toContain(parentId ?? 'no parent');
    }
    for (const lost of ['asked', 'rhymes', 'Hm!', 'ann', '"import"']) expect(text).not.toContain(lost);
    expect(await readAgain()).toMatchObject({ code: 1 });
  });
});
