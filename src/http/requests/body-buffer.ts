/** The bytes of a body as they arrive. A chunk can have one byte: an object for each would take a hundred times the bytes. */
export class BodyBuffer {
  #buffer = Buffer.alloc(0);
  #size = 0;

  constructor(private readonly maxBytes: number) {}

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** @returns false when the chunk does not fit */
  add(chunk: Uint8Array): boolean {
    const end = this.#size + chunk.byteLength;
    if (end > this.maxBytes) return false;
    if (end > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.maxBytes, 2 * end));
      this.#buffer.copy(grown, 0, 0, this.#size);
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#size);
    this.#size = end;
    return true;
  }
}
