import type { ThreadStore } from '@parley/client';

/** Stands in for a model: put one here, or a request to your server. It streams words as they come. */
async function* model(question: string, signal: AbortSignal) {
  const words = `You said “${question}”, which has ${question.length} characters. ${new Date().toLocaleTimeString()}`;
  for (const word of words.split(/(?<= )/)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (signal.aborted) return;
    yield word;
  }
}

/** Answers the end of the thread, or a message above, beside the answers that are there. Every tab sees it grow. */
export async function answer(store: ThreadStore, parentId?: string) {
  const { thread, leafId } = store.getState();
  const question = thread.find(({ id }) => id === (parentId ?? leafId))?.text ?? '';
  const outcome = await store.write(parentId === undefined ? {} : { parentId });
  if (!outcome.ok) return;
  const writer = outcome.value;
  // The signal is aborted when somebody presses stop, in whichever tab.
  for await (const word of model(question, writer.signal)) writer.append(word);
  await writer.finish().catch((error: unknown) => console.error(error));
}
