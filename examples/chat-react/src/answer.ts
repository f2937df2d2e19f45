import type { DraftWriter, ThreadStore } from '@parley/client';
import type { FilePart } from '@parley/client/files';

/** A fake model that streams words: replace it with yours, or a request to your server. */
async function* model(question: string, signal: AbortSignal) {
  const words = `You said “${question}”, which has ${question.length} characters. ${new Date().toLocaleTimeString()}`;
  for (const word of words.split(/(?<= )/)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (signal.aborted) return;
    yield word;
  }
}

/** A message in the format of the AI SDK. */
export const contentOf = (text: string, files: FilePart[]) => ({
  data: { role: 'user', parts: [...(text === '' ? [] : [{ type: 'text', text }]), ...files] },
});

/** Sends a message and starts its answer in one request. Every tab shows the answer as it grows. */
export async function ask(store: ThreadStore, text: string, files: FilePart[]) {
  const asked = await store.ask(contentOf(text, files));
  if (asked.ok) await write(asked.value.writer, text);
}

/** Answers a message again, as a sibling of its other answers. */
export async function answer(store: ThreadStore, parentId: string) {
  const question = store.getState().thread.find(({ id }) => id === parentId)?.text ?? '';
  const started = await store.write({ parentId });
  if (started.ok) await write(started.value, question);
}

/** The signal of a writer is aborted after a press on Stop, in any tab. */
async function write(writer: DraftWriter, question: string) {
  for await (const word of model(question, writer.signal)) writer.append(word);
  await writer.finish().catch((error: unknown) => console.error(error));
}
