import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { WrittenResult } from '../../graphql/limits/answer-json.js';

/** An answer as clients get it, serialized once for all clients. */
export class Answer {
  #pieces: readonly JsonPiece[] | undefined;
  #forHttp: ReturnType<Answer['forHttp']> | undefined;

  constructor(private readonly result: WrittenResult) {}

  /** Its JSON: that of a long answer is not converted to a string, which takes as long as writing it. */
  get pieces(): readonly JsonPiece[] {
    return (this.#pieces ??= piecesOf(this.result));
  }

  get json(): string {
    return this.pieces.map(String).join('');
  }

  /** Bytes of its JSON in UTF-8. */
  get bytes(): number {
    return bytesOf(this.pieces);
  }

  /** For HTTP: the functions that Yoga calls when it writes a result. */
  forHttp(): StreamedResult {
    return (this.#forHttp ??= { ...this.result, stringify: () => this.json, pieces: this.pieces });
  }
}

/** A result with its JSON. */
export type StreamedResult = WrittenResult & { pieces?: readonly JsonPiece[] };

/** Consecutive pieces of JSON, the bytes in UTF-8. */
export type JsonPiece = string | Buffer;

export function bytesOf(pieces: readonly JsonPiece[]): number {
  return pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

/** The result without Yoga's own notes. */
function piecesOf({ errors, stringify = JSON.stringify, ...rest }: WrittenResult): JsonPiece[] {
  const body = stringify(errors === undefined ? rest : { ...rest, errors: errors.map(publicError) as GraphQLError[] });
  const pieces = Array.isArray(body) ? body : [body];
  // Without a copy.
  return pieces.map((piece) =>
    typeof piece === 'string' ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length),
  );
}

export function publicError(error: GraphQLError): GraphQLFormattedError {
  const { extensions, ...rest } = error.toJSON();
  const { http: _http, unexpected: _unexpected, ...shown } = extensions ?? {};
  return Object.keys(shown).length === 0 ? rest : { ...rest, extensions: shown };
}
