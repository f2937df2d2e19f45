/** The bytes of a body as they arrive. A chunk can have one byte: an object for each would take a hundred times the bytes. */
export class BodyBuffer {
  #buffer = Buffer.alloc(0);
  #size = 0;

  /** @param maxBytes the caller adds no more */
  constructor(private readonly maxBytes: number) {}

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Whether another chunk fits. */
  fits(chunk: Uint8Array): boolean {
    return this.#size + chunk.byteLength <= this.maxBytes;
  }

  add(chunk: Uint8Array): void {
    const end = this.#size + chunk.byteLength;
    if (end > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.maxBytes, 2 * end));
      this.#buffer.copy(grown, 0, 0, this.#size);
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#size);
    this.#size = end;
  }
}
