/** The chunks of an answer, over as many calls of the model as its first content takes. */
import { setTimeout as pause } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';

/** The maximum of calls for a question. */
const MAX_CALLS = 4;
const FIRST_PAUSE_MS = 500;
/** The length of an answer's deltas: the server stores messages of 1 MiB. */
const MAX_ANSWER_CHARACTERS = 200_000;

/** Chunks that no reader sees anything of: they wait for the first that has content. */
const SILENT: ReadonlySet<string> = new Set([
  ...['start', 'start-step', 'finish-step', 'finish', 'abort', 'error', 'message-metadata'],
  ...['text-start', 'text-end', 'reasoning-start', 'reasoning-end'],
]);

/**
 * Nothing is returned of a call that fails before its first content, which is repeated after a pause.
 * @param onRetry called with the error of a call that is repeated
 * @throws Error of the last call, or when a call fails after its first content
 */
export async function* modelAttempts(
  call: () => AsyncIterable<UIMessageChunk>,
  signal: AbortSignal,
  onRetry: (error: unknown) => void,
): AsyncGenerator<UIMessageChunk, void> {
  for (let calls = 1, pauseMs = FIRST_PAUSE_MS; ; calls++, pauseMs *= 2) {
    let waiting: UIMessageChunk[] | null = [];
    let characters = 0;
    try {
      for await (const chunk of call()) {
        if (chunk.type === 'error') throw new Error(chunk.errorText);
        if (waiting !== null && isSilent(chunk)) {
          waiting.push(chunk);
          continue;
        }
        yield* waiting ?? [];
        waiting = null;
        yield chunk;
        if ('delta' in chunk) characters += chunk.delta.length;
        if (characters > MAX_ANSWER_CHARACTERS) {
          throw new Error(`the answer exceeds ${MAX_ANSWER_CHARACTERS} characters: lower --max-output-tokens`);
        }
      }
      if (waiting === null || signal.aborted) return;
      throw new Error('the model returned no content');
    } catch (error) {
      if (waiting === null || signal.aborted || calls === MAX_CALLS) throw error;
      onRetry(error);
      await pause(pauseMs, undefined, { signal });
    }
  }
}

function isSilent(chunk: UIMessageChunk): boolean {
  return SILENT.has(chunk.type) || ('delta' in chunk && chunk.delta === '');
}
