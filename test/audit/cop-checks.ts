/** The documents of graphql-cop, which probe a GraphQL server for weaknesses. */
import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';

export interface Check {
  name: string;
  document: string;
  variables?: Record<string, unknown>;
  /** The weakness that a response reveals; null if there is none. */
  weakness(answer: FormattedExecutionResult): string | null;
}

const times = (count: number, text: (index: number) => string) => Array.from({ length: count }, (_, at) => text(at));

const FIELDS_OF_FIELDS = 'fields { type { '.repeat(4);

/** Misspelled names, at each place of a document or its variables that contains names. */
const SUGGESTIONS: [string, string, Record<string, unknown>?][] = [
  ['of a selection', 'mutation cop { createChat(input: {}) }'],
  ['of introspection', 'query cop { __schema { directive } }'],
  ['of a field', 'query cop { viewr { userId } }'],
  ['of an argument', 'query cop { chats(frist: 1) { __typename } }'],
  ['of a type', 'query cop { node(nodeId: "x") { ... on Brnch { id } } }'],
  ['of the type of a variable', 'query cop($input: CreateChatInpt!) { __typename }'],
  ['of an input field', 'mutation cop { createChat(input: { titel: "x" }) { __typename } }'],
  [
    'of an input field in a variable',
    'mutation cop($input: CreateChatInput!) { createChat(input: $input) { __typename } }',
    { input: { titel: 'x' } },
  ],
];

/** Checks for cheap requests that cause expensive work. */
export const overloads: Check[] = [
  {
    name: 'alias overloading',
    document: `query cop { ${times(101, (at) => `alias${at}: __typename`).join(' ')} }`,
    weakness: hasRun,
  },
  {
    name: 'field duplication',
    document: `query cop { ${'__typename '.repeat(500)} }`,
    weakness: hasRun,
  },
  {
    name: 'directive overloading',
    document: `query cop { __typename ${times(10, () => '@aa').join('')} }`,
    weakness: ({ data, errors = [] }) => {
      if (data != null) return 'it ran';
      return errors.length > 1 ? `${errors.length} errors of one field` : null;
    },
  },
  {
    name: 'circular introspection',
    document: `query cop { __schema { types { ${FIELDS_OF_FIELDS} name ${'} } '.repeat(4)} } } }`,
    weakness: hasRun,
  },
];

/** Checks for leaks of the schema. */
export const disclosures: Check[] = [
  {
    name: 'introspection',
    document: 'query cop { __schema { types { name fields { name } } } }',
    weakness: hasRun,
  },
  {
    name: 'introspection of a type',
    document: 'query cop { __type(name: "Chat") { name fields { name } } }',
    weakness: hasRun,
  },
  ...SUGGESTIONS.map(([what, document, variables = {}]): Check => ({
    name: `suggestions ${what}`,
    document,
    variables,
    weakness: suggestion,
  })),
];

/** Checks for details of the implementation. */
export const traces: Check[] = [
  {
    name: 'trace mode',
    document: 'query cop { __typename }',
    weakness: ({ extensions }) => (extensions === undefined ? null : JSON.stringify(extensions)),
  },
  ...[
    'qwerty cop { abc }',
    'query cop { abc }',
    'query cop { chats(first: -1) { __typename } }',
    'query cop($id: ID!) { chat(id: $id) { id } }',
    'query cop { __typename } query { __typename }',
    '{',
    '',
  ].map((document): Check => ({
    name: `unhandled errors of ${JSON.stringify(document)}`,
    document,
    weakness: ({ errors }) => {
      if (errors === undefined) return 'it is no error';
      return errors.map(internalDetail).find((found) => found !== null) ?? null;
    },
  })),
];

/** The message of an error that suggests a name; null if there is none. */
export function suggestion({ errors = [] }: FormattedExecutionResult): string | null {
  return errors.find(({ message }) => /did you mean/i.test(message))?.message ?? null;
}

function hasRun({ data }: FormattedExecutionResult): string | null {
  return data == null ? null : 'it ran';
}

/**
 * Details of an error that reveal the implementation: other extensions than the code and path, or file names in the
 * message.
 */
function internalDetail({ message, extensions = {} }: GraphQLFormattedError): string | null {
  const more = Object.keys(extensions).filter((key) => key !== 'code' && key !== 'path');
  if (more.length > 0) return `extensions ${more.join(', ')}`;
  return /\bat .+:\d+|node_modules|\.[jt]s\b/.test(message) ? message : null;
}
