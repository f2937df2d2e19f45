/** Files in Parley's format, exported from a separate database, with values that no export has. */
import { atDatabase } from '../../../cli/database-content.js';
import { temporaryFile } from '../../../support/temporary-folder.js';
import { exportFrom } from '../../exports/run-export.js';
import { BOB, writeBeginning, writeRest } from './two-users.js';

export type Lines = readonly object[];

/** Two exports of a chat of Bob: an early one and a later one. */
export async function exportTwice(): Promise<{ early: Lines; late: Lines }> {
  const [url, chatId] = [`file:${temporaryFile()}`, 'bobs'];
  await atDatabase(url, ({ store }) => writeBeginning(store, BOB, chatId, 'Text'));
  const early = await linesAt(url, chatId);
  await atDatabase(url, ({ store }) => writeRest(store, BOB, chatId, 'Text'));
  return { early, late: await linesAt(url, chatId) };
}

/** An export of one chat. */
export async function linesAt(url: string, chatId: string): Promise<Lines> {
  const { text } = await exportFrom(url, '--chat', chatId);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
}

const AT = '2026-01-31T12:00:00.000Z';

/** A chat with one branch: two messages saved together, the others later. */
export function chainOf(chatId: string, ids: readonly string[], more: readonly object[] = []): Lines {
  const [branchId, actorId] = [`${chatId}-main`, BOB];
  const move = (first: number, last: number) => {
    const heads = { previousHeadId: ids[first - 2] ?? null, headId: ids[last - 1] };
    return { type: 'BranchHeadMoved', payload: { branchId, ...heads, firstSeq: first, lastSeq: last } };
  };
  const events = [
    { type: 'ChatCreated', payload: {} },
    { type: 'BranchCreated', payload: { branchId, headId: null } },
    { type: 'BranchActivated', payload: { branchId } },
    move(1, 2),
    ...(ids.length > 2 ? [move(3, ids.length)] : []),
    ...more,
  ];
  const times = { createdAt: AT, updatedAt: AT };
  const counts = { version: events.length, messages: ids.length };
  const message = { name: 'user', type: 'message', createdAt: AT, createdBy: BOB, data: { parts: [] } };
  return [
    { parley: 1, chat: { id: chatId, userId: BOB, title: 'Own', ...times, ...counts, metadata: {} } },
    ...ids.map((id, n) => ({ message: { id, parentId: ids[n - 1] ?? null, ...message } })),
    { branch: { id: branchId, name: 'main', headId: ids.at(-1), isActive: true, createdAt: AT, seq: 2 } },
    ...events.map((event, n) => ({ event: { seq: n + 1, actorId, createdAt: AT, ...event } })),
    { end: {} },
  ];
}

/** The file with new unique ids. */
export function renamed(lines: Lines, ids: ReadonlySet<string>, suffix: string): Lines {
  return mapped(lines, (text) => (ids.has(text) ? `${text}.${suffix}` : text));
}

export interface Forgery {
  /** The field and its value, for a test that fails. */
  what: string;
  lines: Lines;
}

/** The file with another value in one field; each field of each line, and each value. */
export function* forgedFields(lines: Lines, values: readonly string[]): Generator<Forgery> {
  for (const [n, line] of lines.entries()) {
    for (const [path, old] of leavesOf(line)) {
      for (const value of valuesFor(old, values)) {
        if (value === old) continue;
        const what = `${path.join('.')} of line ${n + 1} is ${JSON.stringify(value)}`;
        yield { what, lines: lines.with(n, replaced(line, path, value) as object) };
      }
    }
  }
}

/** The file with one id replaced in all places. */
export function* forgedIds(lines: Lines, values: readonly string[]): Generator<Forgery> {
  for (const id of idsIn(lines)) {
    for (const value of values) {
      yield { what: `${id} is ${value}`, lines: mapped(lines, (text) => (text === id ? value : text)) };
    }
  }
}

/** The ids that a file defines. */
export function idsIn(lines: Lines): Set<string> {
  const ids = new Set<string>();
  for (const line of lines) {
    for (const [path, value] of leavesOf(line)) {
      if (typeof value === 'string' && /^(id|branchId|checkpointId)$/.test(path.at(-1)!)) ids.add(value);
    }
  }
  return ids;
}

function valuesFor(old: unknown, values: readonly string[]): readonly unknown[] {
  if (typeof old === 'number') return [0, old + 1];
  return typeof old === 'boolean' ? [!old] : values;
}

function* leavesOf(value: unknown, path: string[] = []): Generator<[string[], unknown]> {
  if (typeof value !== 'object' || value === null) yield [path, value];
  else for (const [key, member] of Object.entries(value)) yield* leavesOf(member, [...path, key]);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const members = Object.entries(value as object).map(([name, member]) => [
    name,
    name === key ? replaced(member, rest, by) : (member as unknown),
  ]);
  const copy = Object.fromEntries(members) as Record<string, unknown>;
  return Array.isArray(value) ? Object.values(copy) : copy;
}

function mapped(lines: Lines, map: (text: string) => string): Lines {
  return JSON.parse(JSON.stringify(lines), (_, value: unknown) =>
    typeof value === 'string' ? map(value) : value,
  ) as Lines;
}
