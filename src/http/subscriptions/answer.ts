import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';

/** An answer as clients get it, serialized once for all clients. */
export class Answer {
  #json: string | undefined;
  #bytes: number | undefined;
  #forHttp: ReturnType<Answer['forHttp']> | undefined;

  constructor(private readonly result: ExecutionResult) {}

  get json(): string {
    return (this.#json ??= JSON.stringify(publicResult(this.result)));
  }

  /** Bytes of its JSON in UTF-8. */
  get bytes(): number {
    return (this.#bytes ??= Buffer.byteLength(this.json));
  }

  /** For HTTP: the functions that Yoga calls when it writes a result. */
  forHttp(): ExecutionResult & { stringify: () => string } {
    return (this.#forHttp ??= { ...this.result, stringify: () => this.json });
  }
}

/** The result without Yoga's own notes. */
function publicResult({ errors, ...rest }: ExecutionResult): object {
  return errors === undefined ? rest : { ...rest, errors: errors.map(publicError) };
}

export function publicError(error: GraphQLError): GraphQLFormattedError {
  const { extensions, ...rest } = error.toJSON();
  const { http: _http, unexpected: _unexpected, ...shown } = extensions ?? {};
  return Object.keys(shown).length === 0 ? rest : { ...rest, extensions: shown };
}
