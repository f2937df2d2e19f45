/** Writes the answer to a claimed question. */
import type { AnswerModel } from './model.js';
import { engineOf } from './claim.js';
import { modelAttempts } from './model-attempts.js';
import type { ParleyServer } from './parley-server.js';
import type { Question } from './question.js';

export interface Written {
  /** `stopped` and `failed`: saved as incomplete, or discarded if nothing was written. */
  outcome: 'answered' | 'stopped' | 'failed';
  isSaved: boolean;
  /** Why it failed. */
  error?: unknown;
}

export interface WriteOptions {
  model: AnswerModel;
  /** Messages of the path that the model is given at most. */
  maxMessages: number;
  /** The idle timeout of the claim, in seconds. */
  idleTimeout: number;
  /** Called with the error of a call of the model that is repeated. */
  onRetry: (error: unknown) => void;
}

/**
 * @param draftId of the claim
 * @throws ContextError when the answer could not be saved
 */
export async function writeAnswer(
  server: ParleyServer,
  question: Question,
  draftId: string,
  { model, maxMessages, idleTimeout, onRetry }: WriteOptions,
): Promise<Written> {
  async function* call(signal: AbortSignal) {
    const messages = await server.chain(question.messageId, maxMessages);
    yield* model.answer(messages, signal);
  }
  const stream = await engineOf(server, question, question.branchName).stream(
    ({ signal }) => modelAttempts(() => call(signal), signal, onRetry),
    { id: draftId, takeUp: true, idleTimeout },
  );
  try {
    await stream.finish();
  } catch (error) {
    const isSaved = (await stream.saved) !== null;
    if (!stream.signal.aborted) return { outcome: 'failed', isSaved, error };
    return { outcome: 'stopped', isSaved };
  }
  return { outcome: stream.signal.aborted ? 'stopped' : 'answered', isSaved: (await stream.saved) !== null };
}
