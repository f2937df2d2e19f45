import type { Plugin } from 'graphql-yoga';

/** Refuses a GET request whose variables or extensions are no JSON, which would count as an error of the server's. */
export function useCheckedGetParameters(): Plugin {
  return {
    onRequest({ request, url, fetchAPI, endResponse }) {
      if (request.method !== 'GET') return;
      for (const name of ['variables', 'extensions']) {
        const text = url.searchParams.get(name);
        if (text === null || text === '' || isJson(text)) continue;
        const errors = [{ message: `The parameter ${name} must be JSON`, extensions: { code: 'BAD_REQUEST' } }];
        endResponse(fetchAPI.Response.json({ errors }, { status: 400 }));
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
