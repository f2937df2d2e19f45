/** Lists of keys in several chats, in the distributed form: Citus plans no walk and no lateral join over several shards. */
import sql, { join, raw } from 'sql-template-tag';
import type { Differences } from '../differences.js';
import { arrayType, postgresqlDifferences } from './differences.js';

/** A parameter of a statement that runs once for each chat. */
class PerChat {
  constructor(readonly values: readonly unknown[]) {}
}

/** The values of each run of a statement: usually of one, of a list in several chats of one for each. */
export function runsOf(values: readonly unknown[]): unknown[][] {
  const runs = values.find((value) => value instanceof PerChat);
  if (runs === undefined) return [[...values]];
  return runs.values.map((_, run) => values.map((value) => (value instanceof PerChat ? value.values[run] : value)));
}

/** The statement has the form for one chat, so that each run touches one shard. */
const keysPerChat: Differences['keys'] = (keys, columns) => {
  const k = postgresqlDifferences.keys(keys, columns);
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const ofChat = names.find((name) => columns[name] === 'chat');
  if (ofChat === undefined || k.chat !== null) return k;
  // Without keys, one run of no chat returns nothing.
  const numbers = new Map<unknown, number[]>(keys.length === 0 ? [['', []]] : []);
  keys.forEach((key, n) => {
    const ofSame = numbers.get(key[ofChat]);
    if (ofSame === undefined) numbers.set(key[ofChat], [n]);
    else ofSame.push(n);
  });
  const lists = (valueOf: (n: number) => unknown) =>
    new PerChat([...numbers.values()].map((list) => list.map(valueOf)));
  const arrays = names.map((name) => sql`${lists((n) => keys[n]?.[name])}::${arrayType(columns[name])}`);
  const listed = raw([...names, 'n'].map((name) => `"${name}"`).join(', '));
  const chat = sql`${new PerChat([...numbers.keys()])}::text`;
  return {
    ...k,
    from: sql`unnest(${join(arrays, ', ')}, ${lists((n) => n)}::bigint[]) AS k(${listed})`,
    n: raw('k."n"'),
    chat,
    [ofChat]: chat,
  };
};

/** A list of chats alone is joined with `chats`: their rows are complete in each shard, so that one statement reads all. */
export const keysInShards: Differences['keys'] = (keys, columns) => {
  const k = postgresqlDifferences.keys(keys, columns);
  const [name, ...others] = Object.keys(columns) as (keyof typeof columns)[];
  if (name === undefined || columns[name] !== 'chat' || k.chat !== null || others.length > 0) {
    return keysPerChat(keys, columns);
  }
  return { ...k, from: sql`chats kc JOIN ${k.from} ON kc."id" = ${k[name]}`, [name]: raw('kc."id"') };
};
