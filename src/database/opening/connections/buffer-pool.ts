/**
 * Memory for long answers of a thread, used again and again. V8 collects garbage in the thread that serves everybody, for 20 ms at
 * a time, whenever some 13 MB of buffers have come and gone there; it counts none that threads share.
 */
import type { Bytes } from '../../../conversation/reads.js';

/** What is free at each end, in bytes: the rest of an answer is written around what fills the middle. */
export const MARGIN_BYTES = 16 * 1024;

/** How much is kept for the next answers: as many pieces, each of as many bytes at most. */
const MAX_POOLED_BUFFERS = 6;
const MAX_POOLED_BUFFER_BYTES = 16 * 1024 ** 2;

export class BufferPool {
  readonly #free: SharedArrayBuffer[] = [];

  /** A piece that nobody uses; null when there is none. */
  take(): SharedArrayBuffer | null {
    return this.#free.pop() ?? null;
  }

  /** Bytes that begin behind the room. The piece is used again when they have been given back. */
  lend(memory: SharedArrayBuffer, length: number): Bytes {
    const whole = Buffer.from(memory);
    let isLent = true;
    return {
      bytes: whole.subarray(MARGIN_BYTES, MARGIN_BYTES + length),
      within: (before, after) => {
        const start = MARGIN_BYTES - Buffer.byteLength(before);
        if (!isLent || start < 0 || MARGIN_BYTES + length + Buffer.byteLength(after) > memory.byteLength) return null;
        whole.write(before, start);
        return whole.subarray(start, MARGIN_BYTES + length + whole.write(after, MARGIN_BYTES + length));
      },
      giveBack: () => {
        if (isLent && memory.byteLength <= MAX_POOLED_BUFFER_BYTES && this.#free.length < MAX_POOLED_BUFFERS)
          this.#free.push(memory);
        isLent = false;
      },
    };
  }
}
