import type { DraftWriter, Message, ThreadStore } from '@parley/client';

/** Stands in for a model: put one here, or a request to your server. It streams words as they come. */
async function* model(question: string, signal: AbortSignal) {
  const words = `You said “${question}”, which has ${question.length} characters. ${new Date().toLocaleTimeString()}`;
  for (const word of words.split(/(?<= )/)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (signal.aborted) return;
    yield word;
  }
}

/** Sends a message and starts its answer in one request. Every tab shows the answer as it grows. */
export async function ask(store: ThreadStore, text: string) {
  const asked = await store.ask(text);
  if (asked.ok) await write(asked.value.writer, asked.value.message);
}

/** Answers a message again, beside its other answers. */
export async function answer(store: ThreadStore, question: Message) {
  const started = await store.write({ parentId: question.id });
  if (started.ok) await write(started.value, question);
}

async function write(writer: DraftWriter, { text }: Message) {
  // The signal is aborted after a press on Stop, in any tab.
  for await (const word of model(text, writer.signal)) writer.append(word);
  await writer.finish().catch((error: unknown) => console.error(error));
}
