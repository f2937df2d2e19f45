import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { WrittenResult } from '../../graphql/answers/answer-json.js';

/** An answer as clients get it, serialized once for all clients. */
export class Answer {
  #json: string | undefined;
  #bytes: number | undefined;
  #forHttp: ReturnType<Answer['forHttp']> | undefined;

  constructor(private readonly result: WrittenResult) {}

  get json(): string {
    return (this.#json ??= textOf(this.result));
  }

  /** Bytes of its JSON in UTF-8. */
  get bytes(): number {
    return (this.#bytes ??= Buffer.byteLength(this.json));
  }

  /** For HTTP: the functions that Yoga calls when it writes a result. */
  forHttp(): WrittenResult {
    return (this.#forHttp ??= { ...this.result, stringify: () => this.json });
  }
}

/** The result without Yoga's own notes. */
function textOf({ errors, stringify = JSON.stringify, ...rest }: WrittenResult): string {
  const body = stringify(errors === undefined ? rest : { ...rest, errors: errors.map(publicError) as GraphQLError[] });
  if (typeof body === 'string') return body;
  return Array.isArray(body) ? body.map(String).join('') : Buffer.from(body).toString();
}

export function publicError(error: GraphQLError): GraphQLFormattedError {
  const { extensions, ...rest } = error.toJSON();
  const { http: _http, unexpected: _unexpected, ...shown } = extensions ?? {};
  return Object.keys(shown).length === 0 ? rest : { ...rest, extensions: shown };
}
