/** Well-formed HTTP requests that attack authentication, parsing and limits. */
import type { FormattedExecutionResult } from 'graphql';
import { userAt, type Headers } from '../users.js';
import type { Attack, Target } from './attack.js';

/** Tokens tried in a row, and how many at once: two rounds in a minute exceed the rate limit. */
const GUESSES = 1_200;
const AT_ONCE = 4;

/** A client that guesses tokens. */
const GUESSER = { 'x-forwarded-for': '192.0.2.66' };

const NONE = Buffer.from('{"alg":"none"}').toString('base64url');
const ANYBODY = Buffer.from('{"sub":"admin","admin":true}').toString('base64url');

const LISTS = 'chats(first: 1000) { edges { node { branches(first: 1000) { edges { node { name } } } } } }';

/** @returns the code of the error or, without one, the status; 'cut' without a response */
export async function post(
  { url }: Target,
  headers: Headers,
  body: RequestInit['body'],
  signal?: AbortSignal,
): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: body ?? null,
      signal: signal ?? null,
    });
    // Without an Accept header, errors have the status 200 and a code.
    const { errors } = (await response.json()) as FormattedExecutionResult;
    const code = errors?.[0]?.extensions?.['code'];
    return typeof code === 'string' ? code : String(response.status);
  } catch {
    return 'cut';
  }
}

/** A document that is refused, from a permitted user. */
function document(name: string, code: string, query: string): Attack {
  return { name, make: (target) => post(target, target.user, JSON.stringify({ query })), expected: [code] };
}

function token(name: string, value: (target: Target) => Promise<string> | string): Attack {
  const body = '{"query":"{ viewer { userId } }"}';
  return {
    name,
    make: async (target) => post(target, { ...target.address, authorization: await value(target) }, body),
    expected: ['UNAUTHENTICATED'],
  };
}

function body(name: string, make: () => RequestInit['body'], expected: Attack['expected']): Attack {
  return { name, make: (target) => post(target, target.user, make()), expected };
}

export const REQUESTS: readonly Attack[] = [
  token('a wrong token', () => `Bearer ${'x'.repeat(200)}`),
  token('no token at all', () => ''),
  token('a token that has expired', async () => (await userAt(0, 'late', { lifetime: -3600 })).authorization),
  token('a token without a signature', () => `Bearer ${NONE}.${ANYBODY}.`),
  document(
    'a document that is too deep',
    'DOCUMENT_LIMIT_EXCEEDED',
    `{ chat(id: "c") ${'{ latestLeaf { chat '.repeat(15)}{ id }${' } }'.repeat(15)} }`,
  ),
  document('an operation that is too costly', 'COST_LIMIT_EXCEEDED', `{ ${LISTS} }`),
  document(
    'too many aliases',
    'DOCUMENT_LIMIT_EXCEEDED',
    `{ ${Array.from({ length: 200 }, (_, n) => `a${n}: __typename`).join(' ')} }`,
  ),
  document('too many tokens', 'GRAPHQL_PARSE_FAILED', `{ ${'__typename '.repeat(5_500)} }`),
  document('a document that is too long', 'GRAPHQL_PARSE_FAILED', `{ viewer { userId } } # ${'x'.repeat(100_000)}`),
  document('braces that never end', 'GRAPHQL_PARSE_FAILED', '{'.repeat(3_000)),
  document(
    'introspection over and over',
    'GRAPHQL_VALIDATION_FAILED',
    `{ __schema { types ${'{ fields { type '.repeat(10)}{ name }${' } }'.repeat(10)} } }`,
  ),
  body('a body of 5 MB', () => JSON.stringify({ query: '{ __typename }', variables: { x: 'x'.repeat(5e6) } }), [
    'PAYLOAD_TOO_LARGE',
    'cut',
  ]),
  body('invalid UTF-8', () => Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x80, 0x7d]), ['BAD_REQUEST']),
  body('invalid JSON', () => '{"query": {{{{', ['BAD_REQUEST']),
  body(
    'lists within lists',
    () => `{"query":"{ __typename }","variables":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`,
    ['200', 'BAD_REQUEST'],
  ),
  {
    name: 'requests that are aborted',
    async make(target) {
      const query =
        '{ chat(id: "mallory") { graph { nodes { id content } } branches(first: 10) { edges { node { chain { text } } } } } }';
      const asks = Array.from({ length: 20 }, async (_, n) => {
        const headers = { 'content-type': 'application/json', ...target.user };
        const signal = AbortSignal.timeout(n);
        const response = await fetch(target.url, { method: 'POST', headers, body: JSON.stringify({ query }), signal });
        await response.arrayBuffer();
      });
      await Promise.allSettled(asks);
      return 'aborted';
    },
    expected: ['aborted'],
  },
  {
    name: 'a flood of wrong tokens',
    async make(target) {
      const seen = new Set<string>();
      let left = GUESSES;
      const guess = async () => {
        while (left-- > 0) {
          const headers = { ...GUESSER, authorization: `Bearer ${Math.random()}` };
          seen.add(await post(target, headers, '{"query":"{ __typename }"}'));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, guess));
      return [...seen].sort().join(' ');
    },
    expected: ['UNAUTHENTICATED', 'RATE_LIMITED UNAUTHENTICATED', 'RATE_LIMITED'],
  },
];
