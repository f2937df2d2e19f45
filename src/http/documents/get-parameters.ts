import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { refuseRequest } from '../answers/refused-request.js';

/** Refuses a GET request whose variables or extensions are not JSON, which Yoga would report as an internal error. */
export function useCheckedGetParameters(): Plugin {
  return {
    onRequest({ request, url, serverContext, fetchAPI, endResponse }) {
      if (request.method !== 'GET') return;
      for (const name of ['variables', 'extensions']) {
        const text = url.searchParams.get(name);
        if (text === null || text === '' || isJson(text)) continue;
        const extensions = { code: 'BAD_REQUEST', http: { status: 400 } };
        const error = new GraphQLError(`The parameter ${name} must be JSON`, { extensions });
        endResponse(refuseRequest(error, serverContext, fetchAPI));
        return;
      }
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
