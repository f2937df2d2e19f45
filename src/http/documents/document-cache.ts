import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { HEAP_BYTES } from '../../limits/limits.js';

/** What a character of a document takes at most when it has been parsed, about: names of one letter take so much. */
const BYTES_PER_CHARACTER = 256;

/** A 16th of the heap. */
const MAX_CHARACTERS = Math.floor(HEAP_BYTES / 16 / BYTES_PER_CHARACTER);

/** Parsed documents by their text. When it is full, those go first that nobody has asked for longest. */
export class DocumentCache {
  /** Those that were asked for last come last. */
  readonly #documents = new Map<string, DocumentNode>();
  #characters = 0;

  constructor(private readonly maxCharacters: number = MAX_CHARACTERS) {}

  /** How much it holds. */
  get size(): { documents: number; characters: number } {
    return { documents: this.#documents.size, characters: this.#characters };
  }

  get(text: string): DocumentNode | undefined {
    const document = this.#documents.get(text);
    if (document !== undefined) {
      this.#documents.delete(text);
      this.#documents.set(text, document);
    }
    return document;
  }

  set(text: string, document: DocumentNode): void {
    this.delete(text);
    // One that leaves no room for any other is not worth them.
    if (text.length > this.maxCharacters) return;
    this.#documents.set(text, document);
    this.#characters += text.length;
    for (const oldest of this.#documents.keys()) {
      if (this.#characters <= this.maxCharacters) break;
      this.delete(oldest);
    }
  }

  delete(text: string): void {
    if (this.#documents.delete(text)) this.#characters -= text.length;
  }
}

/** In place of a cache of errors, which can be as many as somebody likes: one takes as much as hundreds of characters do. */
export const nothingKept = { get: (): undefined => undefined, set: (): void => {} };

/** Takes out what validation refuses: with each document what is wrong with it is kept, which can be the larger part. */
export function useForgottenInvalid(documents: DocumentCache): Plugin {
  return {
    onValidate:
      ({ params }) =>
      ({ valid }) => {
        const text = (params.documentAST as DocumentNode).loc?.source.body;
        if (!valid && text !== undefined) documents.delete(text);
      },
  };
}
