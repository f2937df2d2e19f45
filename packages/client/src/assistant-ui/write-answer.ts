/** Has somebody answer in this page, as a draft that every tab sees grow. */
import type { Message } from '../store/message.js';
import type { ThreadStore } from '../store/thread-store.js';

/**
 * A model.
 * @param thread what was said, with the question last
 * @param signal aborted when somebody presses stop, in whichever tab
 * @returns the words of the answer, as they come
 */
export type Answer = (thread: readonly Message[], signal: AbortSignal) => AsyncIterable<string>;

/**
 * @param store with the option `writer`
 * @param stopping ends it; what was written until then is saved
 * @param parentId what is answered, when it was answered before; the last message by default
 * @throws ParleyError when it cannot be written, and what the model throws
 */
export async function writeAnswer(
  store: ThreadStore,
  answer: Answer,
  stopping: AbortController,
  parentId?: string,
): Promise<void> {
  const { thread } = store.getState();
  const end = parentId === undefined ? thread.length : thread.findIndex(({ id }) => id === parentId) + 1;
  const outcome = await store.write(parentId === undefined ? {} : { parentId });
  if (!outcome.ok) throw outcome.error;
  const writer = outcome.value;
  const stop = () => stopping.abort();
  writer.signal.addEventListener('abort', stop);
  // Sooner than the writer hears of it, which does so as it sends more.
  const unsubscribe = store.subscribe(() => {
    const draft = store.getState().drafts.find(({ id }) => id === writer.id);
    if (draft?.message.status === 'stopping') stop();
  });
  const { signal } = stopping;
  const stopped = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  let isBegun = false;
  let failure: { error: unknown } | undefined;
  try {
    const words = answer(thread.slice(0, end), signal)[Symbol.asyncIterator]();
    while (!signal.aborted) {
      const next = await Promise.race([words.next(), stopped]);
      if (next === undefined) void words.return?.().catch(() => {});
      if (next === undefined || next.done === true) break;
      writer.append(next.value);
      isBegun = true;
    }
  } catch (error) {
    // A model that was stopped may say so in this way.
    if (!signal.aborted) failure = { error };
  } finally {
    unsubscribe();
    writer.signal.removeEventListener('abort', stop);
  }
  await (isBegun ? writer.finish() : writer.discard());
  if (failure !== undefined) throw failure.error;
}
