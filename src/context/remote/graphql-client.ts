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

/** Runs an operation and answers its only field. */
export type Ask = <Field>(field: string, document: string, variables: Record<string, unknown>) => Promise<Field>;

interface AnswerError {
  message: string;
  extensions?: { code?: unknown; path?: unknown };
}

/** What runs an operation; it rejects with a ContextError when there is no answer, or one with errors. */
export function createGraphQLClient(options: GraphQLClientOptions): Ask {
  const { url, headers = {}, timeoutMs = 30_000 } = options;
  const send = options.fetch ?? fetch;
  return async <Field>(field: string, query: string, variables: Record<string, unknown>) => {
    const own = typeof headers === 'function' ? await headers() : headers;
    const body = JSON.stringify({ query, variables });
    const { status, text } = await reached(url, async () => {
      const response = await send(url, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', ...own },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, text: await response.text() };
    });
    const answer = readJson(text);
    const error = firstError(answer);
    if (error !== null) throw new ContextError(codeOf(error), error.message, pathOf(error));
    if (isRecord(answer) && isRecord(answer['data']) && field in answer['data']) return answer['data'][field] as Field;
    const code = status >= 500 || status === 429 ? 'UNAVAILABLE' : 'INTERNAL';
    throw new ContextError(code, `${String(url)} answered with status ${status}, and not as GraphQL does`);
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

/** undefined for what is no JSON: it comes from no GraphQL server, or from something before it. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function firstError(answer: unknown): AnswerError | null {
  if (!isRecord(answer) || !Array.isArray(answer['errors'])) return null;
  const error: unknown = answer['errors'][0];
  return isRecord(error) && typeof error['message'] === 'string' ? (error as unknown as AnswerError) : null;
}

function codeOf({ extensions }: AnswerError): ContextErrorCode {
  switch (extensions?.code) {
    case 'BAD_USER_INPUT':
    case 'INVALID_INPUT':
      return 'INVALID_INPUT';
    // Deleted while it was being read.
    case 'GONE':
      return 'NOT_FOUND';
    case 'DATABASE_UNAVAILABLE':
      return 'UNAVAILABLE';
    default:
      return 'INTERNAL';
  }
}

function pathOf({ extensions }: AnswerError): string | null {
  return typeof extensions?.path === 'string' ? extensions.path : null;
}

/** fetch says what happened in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error)) return message;
  return `${message} (${cause.message || String((cause as { code?: unknown }).code)})`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
