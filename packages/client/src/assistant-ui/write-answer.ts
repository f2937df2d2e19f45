/** Writes an answer in this page, as a draft that every tab follows. */
import type { Message } from '../message.js';
import type { ThreadStore } from '../thread-store.js';

/**
 * A model.
 * @param thread the messages, with the question last
 * @param signal aborted when a user stops the answer, in any tab
 * @returns the text of the answer in pieces
 */
export type Answer = (thread: readonly Message[], signal: AbortSignal) => AsyncIterable<string>;

/**
 * @param store with the option `writer`
 * @param stopping stops the answer; the text so far is saved
 * @param parentId the message to answer again; the last message by default
 * @throws ParleyError when the draft cannot be written, and the errors of the model
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
  // The writer notices a stop only with its next append.
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
    // A stopped model may throw.
    if (!signal.aborted) failure = { error };
  } finally {
    unsubscribe();
    writer.signal.removeEventListener('abort', stop);
  }
  await (isBegun ? writer.finish() : writer.discard());
  if (failure !== undefined) throw failure.error;
}
