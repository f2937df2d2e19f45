import type { Plugin } from 'graphql-yoga';

/**
 * Takes POST requests with a JSON body only: every other type of body can be sent by a page of another origin without
 * the browser asking this server first.
 */
export function useJsonOnly(): Plugin {
  return {
    onRequest({ request, fetchAPI, endResponse }) {
      if (request.method !== 'POST') return;
      const type = request.headers.get('content-type') ?? '';
      if (/^application\/json\s*(;|$)/i.test(type)) return;
      const errors = [{ message: 'The body of a POST request must have the content type application/json' }];
      endResponse(fetchAPI.Response.json({ errors }, { status: 415 }));
    },
  };
}
