/**
 * A pool of shared buffers for long results of worker threads. Ordinary buffers would cause a 20 ms garbage collection
 * of the main thread per 13 MB; shared ones do not count.
 */
import type { Bytes } from '../../conversation/json-lists.js';

/** Free bytes at each end of a buffer, for the parts of a response before and after the list. */
export const MARGIN_BYTES = 16 * 1024;

/** Limits of the buffers kept for reuse. */
const MAX_POOLED_BUFFERS = 6;
const MAX_POOLED_BUFFER_BYTES = 16 * 1024 ** 2;

export class BufferPool {
  readonly #free: SharedArrayBuffer[] = [];

  /** An unused buffer; null when there is none. */
  take(): SharedArrayBuffer | null {
    return this.#free.pop() ?? null;
  }

  /** The bytes after the margin. The buffer is reused after release. */
  lend(memory: SharedArrayBuffer, length: number): Bytes {
    const whole = Buffer.from(memory);
    let isInUse = true;
    return {
      bytes: whole.subarray(MARGIN_BYTES, MARGIN_BYTES + length),
      within: (before, after) => {
        const start = MARGIN_BYTES - Buffer.byteLength(before);
        if (!isInUse || start < 0 || MARGIN_BYTES + length + Buffer.byteLength(after) > memory.byteLength) return null;
        whole.write(before, start);
        return whole.subarray(start, MARGIN_BYTES + length + whole.write(after, MARGIN_BYTES + length));
      },
      release: () => {
        if (isInUse && memory.byteLength <= MAX_POOLED_BUFFER_BYTES && this.#free.length < MAX_POOLED_BUFFERS)
          this.#free.push(memory);
        isInUse = false;
      },
    };
  }
}
