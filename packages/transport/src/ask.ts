import { answerIn, type Answer } from './answer.js';

/** The headers of an operation whose response is JSON. */
export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

export interface Request {
  url: string | URL;
  fetch: typeof globalThis.fetch;
  headers: Record<string, string> | Headers;
  query: string;
  variables: unknown;
}

export interface Answered {
  status: number;
  /** Null when the body is not a GraphQL response, such as one of a proxy. */
  answer: Answer | null;
}

/** Sends an operation. @throws the errors of `fetch` */
export function post({ url, fetch, headers, query, variables }: Request, signal: AbortSignal): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }), signal });
}

/**
 * Runs an operation.
 * @param signals each of them ends the request, such as a time limit
 * @throws the errors of `fetch`, or the reason of a signal
 */
export async function ask(request: Request, ...signals: (AbortSignal | undefined)[]): Promise<Answered> {
  const controller = new AbortController();
  const { signal } = controller;
  for (const each of signals) {
    const abort = () => controller.abort(each?.reason);
    if (each?.aborted === true) abort();
    each?.addEventListener('abort', abort, { signal });
  }
  try {
    const response = await post(request, signal);
    return { status: response.status, answer: answerIn(await response.text()) };
  } catch (cause) {
    signal.throwIfAborted();
    throw cause;
  } finally {
    // Removes the listeners.
    controller.abort();
  }
}
