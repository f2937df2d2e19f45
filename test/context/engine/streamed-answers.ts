/** Answers that an engine streams. */
import type { ContextStore, DraftUpdate } from '@parley/context';

export const textChunks = (...deltas: string[]) => [
  { type: 'start', messageId: 'd' },
  { type: 'text-start', id: '1' },
  ...deltas.map((delta) => ({ type: 'text-delta', id: '1', delta })),
  { type: 'text-end', id: '1' },
  { type: 'finish' },
];

export const message = (text: string, more = {}) => ({
  id: 'd',
  role: 'assistant',
  parts: [{ type: 'text', text, state: 'done' }],
  ...more,
});

/** A source whose chunks and end the test controls. */
export function controlledSource<T>() {
  const waiting: ((next: IteratorResult<T, undefined>) => void)[] = [];
  const left: IteratorResult<T, undefined>[] = [];
  const give = (next: IteratorResult<T, undefined>) => {
    const resolve = waiting.shift();
    if (resolve === undefined) left.push(next);
    else resolve(next);
  };
  const source: AsyncIterable<T> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise((resolve) => (left.length > 0 ? resolve(left.shift()!) : waiting.push(resolve))),
      return: async () => {
        give({ done: true, value: undefined });
        return { done: true, value: undefined };
      },
    }),
  };
  return {
    source,
    emit: (...chunks: T[]) => chunks.forEach((value) => give({ done: false, value })),
    end: () => give({ done: true, value: undefined }),
  };
}

export async function listOf<T>(chunks: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}

export async function followed(store: ContextStore, id = 'd'): Promise<DraftUpdate[]> {
  return listOf(store.followDraft('c', id));
}

export const chunksOf = (updates: readonly DraftUpdate[]) =>
  updates.flatMap((update) => (update.type === 'chunks' ? update.chunks : []));
