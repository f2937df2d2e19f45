import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { WrittenResult } from '../../graphql/limits/answer-json.js';

/** An answer as clients get it, serialized once for all clients. */
export class Answer {
  /** Its JSON: that of a long answer is not converted to a string, which takes as long as writing it. */
  readonly pieces: readonly JsonPiece[];
  /** Bytes of its JSON in UTF-8. */
  readonly bytes: number;
  #forHttp: StreamedResult | undefined;

  constructor(private readonly result: WrittenResult) {
    this.pieces = piecesOf(result);
    this.bytes = bytesOf(this.pieces);
  }

  get json(): string {
    return this.pieces.map(String).join('');
  }

  /** For HTTP: the functions that Yoga calls when it writes a result. */
  forHttp(): StreamedResult {
    return (this.#forHttp ??= { ...this.result, stringify: () => this.json, pieces: this.pieces });
  }
}

export type StreamedResult = WrittenResult & { pieces?: readonly JsonPiece[] };

/** Consecutive pieces of JSON, the bytes in UTF-8. */
export type JsonPiece = string | Buffer;

export function bytesOf(pieces: readonly JsonPiece[]): number {
  let bytes = 0;
  for (const piece of pieces) bytes += Buffer.byteLength(piece);
  return bytes;
}

/** The result without Yoga's own notes. */
function piecesOf({ errors, stringify = JSON.stringify, ...rest }: WrittenResult): JsonPiece[] {
  const body = stringify(errors === undefined ? rest : { ...rest, errors: errors.map(publicError) as GraphQLError[] });
  if (typeof body === 'string') return [body];
  // Without a copy.
  return [body]
    .flat()
    .map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length)));
}

export function publicError(error: GraphQLError): GraphQLFormattedError {
  const { extensions, ...rest } = error.toJSON();
  const { http: _http, unexpected: _unexpected, ...shown } = extensions ?? {};
  return Object.keys(shown).length === 0 ? rest : { ...rest, extensions: shown };
}
