import { Transform, type TransformCallback } from 'node:stream';

/** Passes an exact number of bytes and fails otherwise: streams of files and sockets may end early without an error. */
export class ExactBytes extends Transform {
  #bytes = 0;

  /**
   * @param failure the error for another number of bytes
   * @param onProgress called with each chunk
   */
  constructor(
    private readonly expected: number,
    private readonly failure: (bytes: number) => Error,
    private readonly onProgress?: () => void,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length;
    this.onProgress?.();
    if (this.#bytes > this.expected) done(this.failure(this.#bytes));
    else done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.#bytes === this.expected ? null : this.failure(this.#bytes));
  }
}
