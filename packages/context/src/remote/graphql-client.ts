/** Asking a server, with nothing but fetch. */
import { ContextError, invalid, type ContextErrorCode } from '../errors.js';
import { isRecord } from '../record.js';
import { checkCount } from '../store/counts.js';
import { readEvents } from './server-sent-events.js';

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

/** Runs an operation and returns all its fields. */
export type AskAll = <Fields>(document: string, variables: Record<string, unknown>) => Promise<Fields>;

/** Runs an operation and answers its only field. */
export type Ask = <Field>(field: string, document: string, variables: Record<string, unknown>) => Promise<Field>;

/** Follows a subscription and answers its only field, again and again. A connection that breaks off is UNAVAILABLE. */
export type Follow = <Field>(
  field: string,
  document: string,
  variables: Record<string, unknown>,
  signal: AbortSignal,
) => AsyncGenerator<Field, void>;

/** Answers of a door beside GraphQL, such as `export`; one that says no is a ContextError. It may take as long as it takes. */
export type OpenDoor = (
  door: string,
  query: Record<string, string | undefined>,
  request: RequestInit,
) => Promise<Response>;

export interface GraphQLClient {
  ask: Ask;
  askAll: AskAll;
  follow: Follow;
  open: OpenDoor;
}

interface AnswerError {
  message: string;
  extensions?: { code?: unknown; path?: unknown };
}

/** Of a stream whose server says every 12 seconds that it is there. */
const LONGEST_SILENCE_MS = 30_000;

/**
 * What runs operations; it rejects with a ContextError when there is no answer, or one with errors.
 * @throws ContextError when an option is wrong
 */
export function createGraphQLClient(options: GraphQLClientOptions): GraphQLClient {
  const { headers = {}, timeoutMs = 30_000 } = options;
  const url = readUrl(options.url);
  checkCount(timeoutMs, 'timeoutMs', 1, LONGEST_TIMEOUT);
  // Without what may be secret in it.
  const place = `${url.origin}${url.pathname}`;
  const send = options.fetch ?? fetch;
  const post = async (accept: string, request: object, signal: AbortSignal) => {
    const body = JSON.stringify(request);
    const sent = readHeaders(await askedHeaders(headers), { accept, 'content-type': 'application/json' });
    return reached(place, () => send(url, { method: 'POST', headers: sent, body, signal }));
  };
  const dataOf = (text: string, status: number) => {
    const answer = readJson(text);
    const error = firstError(answer);
    if (error !== null) throw new ContextError(codeOf(error, status), error.message, pathOf(error));
    return isRecord(answer) && isRecord(answer['data']) ? answer['data'] : {};
  };
  const fieldOf = <Field>(field: string, text: string, status: number) => {
    const data = dataOf(text, status);
    if (field in data) return data[field] as Field;
    const code = codeOfStatus(status);
    throw new ContextError(code, `${place} answered with status ${status}, and not as GraphQL does`);
  };
  const answerTo = async (query: string, variables: Record<string, unknown>) => {
    const response = await post('application/json', { query, variables }, AbortSignal.timeout(timeoutMs));
    return [await reached(place, () => response.text()), response.status] as const;
  };
  return {
    ask: async <Field>(field: string, query: string, variables: Record<string, unknown>) =>
      fieldOf<Field>(field, ...(await answerTo(query, variables))),
    askAll: async <Fields>(query: string, variables: Record<string, unknown>) =>
      dataOf(...(await answerTo(query, variables))) as Fields,
    async open(door, query, request) {
      const target = new URL(door, url);
      for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, value);
      const sent = readHeaders(await askedHeaders(headers), request.headers as Record<string, string> | undefined);
      const response = await reached(place, () => send(target, { ...request, headers: sent }));
      if (!response.ok) fieldOf('', await reached(place, () => response.text()), response.status);
      return response;
    },
    async *follow<Field>(field: string, query: string, variables: Record<string, unknown>, signal: AbortSignal) {
      const cut = new AbortController();
      const cutOff = () => cut.abort(new Error('no answer in time'));
      let timer = setTimeout(cutOff, timeoutMs);
      const heard = () => {
        clearTimeout(timer);
        timer = setTimeout(cutOff, Math.max(timeoutMs, LONGEST_SILENCE_MS));
      };
      try {
        const request = AbortSignal.any([cut.signal, signal]);
        const response = await post('text/event-stream', { query, variables }, request);
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
        if (!isStream || response.body === null) {
          const text = await reached(place, () => response.text());
          fieldOf(field, text, response.status);
          throw new ContextError('INTERNAL', `${place} answered a subscription with no stream`);
        }
        const events = readEvents(response.body, heard);
        for (;;) {
          const { done, value } = await reached(place, () => events.next());
          if (done === true) throw new ContextError('UNAVAILABLE', `${place} has broken off its answer`);
          if (value.event === 'complete') return;
          yield fieldOf<Field>(field, value.data, response.status);
        }
      } finally {
        clearTimeout(timer);
        // Also for whoever has heard enough.
        cut.abort();
      }
    },
  };
}

/** In milliseconds: what timers can count. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

function readUrl(given: unknown): URL {
  const text = String(given);
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) {
    throw invalid(`url must be where GraphQL is served, such as http://127.0.0.1:4000/graphql, not "${text}"`, 'url');
  }
  // fetch refuses it, and says them.
  if (url.username + url.password !== '') throw invalid('url must not have a user or a password in it', 'url');
  return url;
}

async function askedHeaders(headers: NonNullable<GraphQLClientOptions['headers']>): Promise<Record<string, string>> {
  if (typeof headers !== 'function') return headers;
  try {
    return await headers();
  } catch (error) {
    throw new ContextError('UNAVAILABLE', `headers cannot be had: ${reasonOf(error)}`, null, { cause: error });
  }
}

function readHeaders(own: Record<string, string>, ours: Record<string, string> = {}): Headers {
  try {
    const headers = new Headers(own);
    for (const [name, value] of Object.entries(ours)) headers.set(name, value);
    return headers;
  } catch {
    // What fetch says of it has the value in it, which may be secret.
    throw invalid('headers has a name or a value that no header can have', 'headers');
  }
}

/** What a request answers; an answer that does not come is told apart from one that says no. */
async function reached<T>(place: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw new ContextError('UNAVAILABLE', `${place} does not answer: ${reasonOf(error)}`, null, { cause: error });
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

function codeOf({ extensions }: AnswerError, status: number): ContextErrorCode {
  switch (extensions?.code) {
    case 'BAD_USER_INPUT':
    case 'BAD_REQUEST':
    case 'INVALID_INPUT':
    case 'PAYLOAD_TOO_LARGE':
    case 'TOO_LARGE':
    case 'COST_LIMIT_EXCEEDED':
    case 'DOCUMENT_LIMIT_EXCEEDED':
      return 'INVALID_INPUT';
    case 'UNAUTHENTICATED':
    case 'FORBIDDEN':
      return 'UNAUTHENTICATED';
    // Deleted while it was being read.
    case 'GONE':
    case 'NOT_FOUND':
      return 'NOT_FOUND';
    case 'DATABASE_UNAVAILABLE':
    case 'UPGRADE_REQUIRED':
    case 'AUTHENTICATION_UNAVAILABLE':
    case 'RATE_LIMITED':
    case 'OVERLOADED':
    case 'TOO_MANY_SOCKETS':
    case 'TOO_MANY_OPERATIONS':
    case 'TIMEOUT':
      return 'UNAVAILABLE';
    case undefined:
      return codeOfStatus(status);
    default:
      return 'INTERNAL';
  }
}

/** Of an answer that says no more. */
function codeOfStatus(status: number): ContextErrorCode {
  // A proxy takes no request that is as large.
  if (status === 413) return 'INVALID_INPUT';
  if (status === 401) return 'UNAUTHENTICATED';
  return status >= 500 || status === 429 || status === 408 ? 'UNAVAILABLE' : 'INTERNAL';
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
