/** A GraphQL client over HTTP. */
import type { FormattedExecutionResult } from 'graphql';
import type { TypedDocumentString } from '../../generated/graphql/graphql.js';

export interface HttpClient {
  /** The data of a successful operation. @throws Error for errors, or without a response */
  run<Result, Variables>(document: TypedDocumentString<Result, Variables>, variables: Variables): Promise<Result>;
  /** The result of a document, with or without errors. */
  post(query: string, variables?: unknown, headers?: Record<string, string>): Promise<FormattedExecutionResult>;
}

/** The response to a POST request with this body, as JSON. */
export function postJson(url: string | URL, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** @param url the GraphQL endpoint */
export function httpClient(url: string): HttpClient {
  const post: HttpClient['post'] = async (query, variables, headers) =>
    (await (await postJson(url, { query, variables }, headers)).json()) as FormattedExecutionResult;
  return {
    post,
    async run(document, variables) {
      const { data, errors } = await post(document.toString(), variables);
      if (errors !== undefined) throw new Error(errors.map((error) => error.message).join('\n'));
      return data as never;
    },
  };
}
