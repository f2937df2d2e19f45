/** Lists of keys in several chats, in the distributed form: Citus plans no walk and no lateral join over several shards. */
import sql, { join, raw } from 'sql-template-tag';
import { PerRun } from '../../database/dialects/postgresql/runs.js';
import type { Differences } from '../../database/dialects/differences.js';
import { arrayType, postgresqlDifferences } from '../../database/dialects/postgresql/differences.js';

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
  const lists = (valueOf: (n: number) => unknown) => new PerRun([...numbers.values()].map((list) => list.map(valueOf)));
  const arrays = names.map((name) => sql`${lists((n) => keys[n]?.[name])}::${arrayType(columns[name])}`);
  const listed = raw([...names, 'n'].map((name) => `"${name}"`).join(', '));
  const chat = sql`${new PerRun([...numbers.keys()])}::text`;
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
