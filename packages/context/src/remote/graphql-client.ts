/** A GraphQL client on fetch. */
import { answerIn, type Answer } from '@parley/transport/answer';
import { JSON_HEADERS, post } from '@parley/transport/ask';
import { routeUrl, type OpenRoute } from '@parley/transport/chat-files';
import { readEvents } from '@parley/transport/server-sent-events';
import { ContextError, invalid } from '../errors.js';
import { isRecord } from '../record.js';
import { checkCount, MAX_INT } from '../counts.js';
import { checkKnown } from '../store/known-fields.js';
import { answerError, isAnsweredError, statusError } from './answer-error.js';

export interface GraphQLClientOptions {
  /** The GraphQL endpoint, such as http://127.0.0.1:4000/graphql. */
  url: string | URL;
  /** Sent with every request, such as Authorization. A function is called for each request, for values that expire. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /**
   * Milliseconds to wait for a response.
   * @default 30000
   */
  timeoutMs?: number;
  /** @default the global one */
  fetch?: typeof fetch;
}

/** Runs an operation and returns all its fields. */
export type AskAll = <Fields>(document: string, variables: Record<string, unknown>) => Promise<Fields>;

/** Runs an operation and returns its only field. */
export type Ask = <Field>(field: string, document: string, variables: Record<string, unknown>) => Promise<Field>;

/** Follows a subscription and yields its only field. A broken connection is UNAVAILABLE. */
export type Follow = <Field>(
  field: string,
  document: string,
  variables: Record<string, unknown>,
  signal: AbortSignal,
) => AsyncGenerator<Field, void>;

export interface GraphQLClient {
  ask: Ask;
  askAll: AskAll;
  follow: Follow;
  /** Its requests have no time limit. */
  open: OpenRoute;
}

/** The longest silence of a stream; the server sends a sign of life every 12 seconds. */
const LONGEST_SILENCE_MS = 30_000;

/**
 * Creates the functions that run operations; they reject with a ContextError without a response, or for one with
 * errors.
 * @throws ContextError for a wrong option
 */
export function createGraphQLClient(options: GraphQLClientOptions): GraphQLClient {
  const { headers = {}, timeoutMs = 30_000 } = checkKnown(options, ['url', 'headers', 'timeoutMs', 'fetch']);
  const url = readUrl(options.url);
  checkCount(timeoutMs, 'timeoutMs', 1, MAX_INT);
  // Without parameters, which can be secret.
  const place = `${url.origin}${url.pathname}`;
  const send = options.fetch ?? fetch;
  const requestOf = async (query: string, variables: unknown, accept = JSON_HEADERS.accept) => {
    const sent = readHeaders(await askedHeaders(headers), { ...JSON_HEADERS, accept });
    return { url, fetch: send, headers: sent, query, variables };
  };
  const dataOf = (answer: Answer | null, status: number) => {
    const error: unknown = answer?.errors?.[0];
    if (isAnsweredError(error)) throw answerError(error, status);
    return isRecord(answer?.data) ? answer.data : {};
  };
  const fieldOf = <Field>(field: string, answer: Answer | null, status: number) => {
    const data = dataOf(answer, status);
    if (field in data) return data[field] as Field;
    throw statusError(place, status);
  };
  const answerTo = async (query: string, variables: Record<string, unknown>) => {
    const request = await requestOf(query, variables);
    return reached(place, async () => {
      const response = await post(request, AbortSignal.timeout(timeoutMs));
      return [answerIn(await response.text()), response.status] as const;
    });
  };
  const textAnswer = async (response: Response) => answerIn(await reached(place, () => response.text()));
  return {
    ask: async <Field>(field: string, query: string, variables: Record<string, unknown>) =>
      fieldOf<Field>(field, ...(await answerTo(query, variables))),
    askAll: async <Fields>(query: string, variables: Record<string, unknown>) =>
      dataOf(...(await answerTo(query, variables))) as Fields,
    async open(route, query, request) {
      const target = routeUrl(url, route, query);
      const sent = readHeaders(await askedHeaders(headers), request.headers as Record<string, string> | undefined);
      const response = await reached(place, () => send(target, { ...request, headers: sent }));
      if (!response.ok) fieldOf('', await textAnswer(response), response.status);
      return response;
    },
    async *follow<Field>(field: string, query: string, variables: Record<string, unknown>, signal: AbortSignal) {
      const cut = new AbortController();
      const cutOff = () => cut.abort(new Error('no answer in time'));
      let timer = setTimeout(cutOff, timeoutMs);
      const restartTimer = () => {
        clearTimeout(timer);
        timer = setTimeout(cutOff, Math.max(timeoutMs, LONGEST_SILENCE_MS));
      };
      try {
        const request = await requestOf(query, variables, 'text/event-stream');
        const response = await reached(place, () => post(request, AbortSignal.any([cut.signal, signal])));
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
        if (!isStream || response.body === null) {
          fieldOf(field, await textAnswer(response), response.status);
          throw new ContextError('INTERNAL', `${place} answered a subscription with no stream`);
        }
        const events = readEvents(response.body, restartTimer);
        for (;;) {
          const { done, value } = await reached(place, () => events.next());
          if (done === true) throw new ContextError('UNAVAILABLE', `${place} has broken off its answer`);
          if (value.event === 'complete') return;
          yield fieldOf<Field>(field, answerIn(value.data), response.status);
        }
      } finally {
        clearTimeout(timer);
        // Also when the caller leaves the iteration.
        cut.abort();
      }
    },
  };
}

function readUrl(given: unknown): URL {
  const text = String(given);
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) {
    throw invalid(`url must be where GraphQL is served, such as http://127.0.0.1:4000/graphql, not "${text}"`, 'url');
  }
  // fetch refuses them, and its error contains them.
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
    // The error of fetch contains the value, which may be secret.
    throw invalid('headers has a name or a value that no header can have', 'headers');
  }
}

/** The result of a request; a missing response is UNAVAILABLE. */
async function reached<T>(place: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw new ContextError('UNAVAILABLE', `${place} does not answer: ${reasonOf(error)}`, null, { cause: error });
  }
}

/** fetch gives the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error)) return message;
  return `${message} (${cause.message || String((cause as { code?: unknown }).code)})`;
}
