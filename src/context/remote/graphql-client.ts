/** Asking a server, with nothing but fetch. */
import { ContextError, type ContextErrorCode } from '../errors.js';

export interface GraphQLClientOptions {
  /** Where GraphQL is served, such as http://127.0.0.1:4000/graphql. */
  url: string | URL;
  /** Sent with every request: an Authorization, say. A function is asked each time, for what expires. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** How long to wait for an answer, in milliseconds. @default 30000 */
  timeoutMs?: number;
  /** @default the global one */
  fetch?: typeof fetch;
}

export type Ask = <Result>(document: string, variables: Record<string, unknown>) => Promise<Result>;

interface Answer {
  data?: unknown;
  errors?: { message: string; extensions?: { code?: unknown } }[];
}

/** What runs an operation; it rejects with a ContextError when there is no answer, or one with errors. */
export function createGraphQLClient(options: GraphQLClientOptions): Ask {
  const { url, headers = {}, timeoutMs = 30_000 } = options;
  const send = options.fetch ?? fetch;
  return async <Result>(query: string, variables: Record<string, unknown>) => {
    const own = typeof headers === 'function' ? await headers() : headers;
    const { status, text } = await reached(url, async () => {
      const response = await send(url, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', ...own },
        body: JSON.stringify({ query, variables }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, text: await response.text() };
    });
    const { data, errors = [] } = readAnswer(url, status, text);
    const [error] = errors;
    if (error !== undefined) throw new ContextError(codeOf(error.extensions?.code), error.message);
    return data as Result;
  };
}

/** What a request answers; an answer that does not come is told apart from one that says no. */
async function reached<T>(url: string | URL, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw new ContextError('UNAVAILABLE', `${String(url)} does not answer: ${reasonOf(error)}`, null, { cause: error });
  }
}

function readAnswer(url: string | URL, status: number, text: string): Answer {
  try {
    const answer = JSON.parse(text) as Answer | null;
    if (answer?.data != null || answer?.errors != null) return answer;
  } catch {
    // Not a GraphQL server, or something before it that is.
  }
  const code = status >= 500 || status === 429 ? 'UNAVAILABLE' : 'INTERNAL';
  throw new ContextError(code, `${String(url)} answered with status ${status}, and not as GraphQL does`);
}

function codeOf(code: unknown): ContextErrorCode {
  if (code === 'BAD_USER_INPUT') return 'INVALID_INPUT';
  return code === 'DATABASE_UNAVAILABLE' ? 'UNAVAILABLE' : 'INTERNAL';
}

/** fetch says what happened in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error)) return message;
  return `${message} (${cause.message || String((cause as { code?: unknown }).code)})`;
}
