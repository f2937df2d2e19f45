/** The bytes of a body as they arrive. A chunk can have one byte: an object for each would take a hundred times the bytes. */
export class BodyBuffer {
  bytes = Buffer.alloc(0);
  #buffer = this.bytes;

  constructor(private readonly maxBytes: number) {}

  /** @returns false when the chunk does not fit */
  add(chunk: Uint8Array): boolean {
    const { length } = this.bytes;
    const end = length + chunk.byteLength;
    if (end > this.maxBytes) return false;
    if (end > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.maxBytes, 2 * end));
      this.bytes.copy(grown);
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, length);
    this.bytes = this.#buffer.subarray(0, end);
    return true;
  }
}
