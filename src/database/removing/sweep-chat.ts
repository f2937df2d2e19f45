/** A step of the sweeps that remove chats in the background: a chat that cannot be removed does not stop the others. */
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError, UpgradeRequiredError } from '../../conversation/errors.js';
import { LOCK_PAUSE_MS } from '../../scheduler/lock-pacing.js';

export interface SweepOptions {
  /** Ends the sweep after the current step. */
  signal?: AbortSignal | undefined;
  /** Receives the failure of a chat, which the next sweep tries again. By default, it ends the sweep. */
  onFailure?: ((failure: Error) => void) | undefined;
}

/**
 * Removes a chat, and leaves time for other changes.
 * @returns null after a failure
 * @throws Error when other chats would fail, too
 */
export async function sweepChat<T>(
  chatId: string,
  { onFailure }: SweepOptions,
  remove: () => Promise<T>,
): Promise<T | null> {
  try {
    return await remove();
  } catch (cause) {
    if (cause instanceof DatabaseUnavailableError || cause instanceof UpgradeRequiredError) throw cause;
    if (onFailure === undefined) throw cause;
    onFailure(new Error(`Chat "${chatId}" cannot be removed`, { cause }));
    return null;
  } finally {
    await pause(LOCK_PAUSE_MS);
  }
}
