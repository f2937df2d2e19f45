/** Checks the schema with the rules of graphql-eslint for schemas and Relay, with exceptions. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configs, parser, rules } from '@graphql-eslint/eslint-plugin';
import { ESLint, type Linter } from 'eslint';
import { buildSchema, isInterfaceType } from 'graphql';
import { expect, test } from 'vitest';

const SCHEMA = fileURLToPath(new URL('../../../schema.graphql', import.meta.url));
const text = readFileSync(SCHEMA, 'utf8');
const schema = buildSchema(text);

const allRules = {
  ...configs['flat/schema-recommended'].rules,
  ...configs['flat/schema-relay'].rules,
} as Linter.RulesRecord;

const kindsOf = (name: string) => {
  const type = schema.getType(name);
  if (!isInterfaceType(type)) throw new Error(`The schema has no interface ${name}`);
  return schema.getPossibleTypes(type).map((type) => type.name);
};

const exceptions: Linter.RulesRecord = {
  // Stored objects that can be fetched again have an id. Payloads of operations have none:
  '@graphql-eslint/strict-id-in-types': [
    'error',
    {
      exceptions: {
        suffixes: ['Connection', 'Edge', 'Payload'],
        types: [
          // page information,
          'PageInfo',
          // errors,
          ...kindsOf('Error'),
          // events, which are identified by their chat and number,
          ...kindsOf('ChatEvent'),
          'BranchHeadUpdate',
          'ChatChange',
          // and values that are computed from stored data.
          'ModelUsage',
          'LegalHold',
          'MonthlyUsage',
          'Retention',
          'Storage',
          'SharedBranch',
          'SharedMessage',
          'SharedPath',
          // A member is identified by its chat and user.
          'ChatMember',
          ...['DraftAbandoned', 'DraftChunks', 'DraftFinished', 'DraftNotice', 'DraftStopping'],
          ...[
            'ChatGraph',
            'ChatOutline',
            'Comparison',
            'ForkOrigin',
            'GraphSegment',
            'InputProblem',
            'ResolvedContext',
            'SearchExcerpt',
            'SearchHit',
            'SignedUrl',
            'TextRange',
            'Viewer',
          ],
        ],
      },
    },
  ],
  // Node.nodeId: `id` is the client's id, as in all types.
  '@graphql-eslint/no-typename-prefix': 'off',
  // A search has no backward pages: the best hits come first.
  '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
  '@graphql-eslint/relay-edge-types': [
    'error',
    {
      withEdgeSuffix: true,
      // A hit is not a node: it is a message with the reason for the match.
      shouldImplementNode: false,
      // Chains, roots, siblings and similar lists are bounded, and returned complete.
      listTypeCanWrapOnlyEdgeType: false,
    },
  ],
};

/** The linter's findings in a schema. */
async function findings(schema: string, exceptions: Linter.RulesRecord = {}): Promise<string[]> {
  const eslint = new ESLint({
    overrideConfigFile: true,
    overrideConfig: {
      files: ['**/*.graphql'],
      languageOptions: { parser, parserOptions: { graphQLConfig: { schema } } },
      plugins: { '@graphql-eslint': { rules } },
      rules: { ...allRules, ...exceptions },
    } as unknown as Linter.Config,
  });
  const results = await eslint.lintText(schema, { filePath: SCHEMA });
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, line, message }) => `${ruleId} ${line}: ${message}`),
  );
}

test('the schema follows the rules, with these exceptions', async () => {
  expect(await findings(text, exceptions)).toEqual([]);
});

test('every exception is needed', async () => {
  const broken = (await findings(text)).map((finding) => finding.split(' ', 1)[0]);
  expect([...new Set(broken)].sort()).toEqual(Object.keys(exceptions).sort());
});

test('a new type without an id or a description is reported, and an invalid connection', async () => {
  const changed = text.replace('type Query {', 'type Query { note: Note notes: NoteConnection');
  const added = 'type Note { text: String! } type NoteConnection { edges: [Note!]! }';
  const found = (await findings(`${changed}\n${added}\n`, exceptions)).join('\n');
  expect(found).toMatch(/require-description \d+: Description is required for type "Note"/);
  expect(found).toMatch(/strict-id-in-types \d+: type "Note" must have/);
  expect(found).toMatch(/relay-connection-types \d+: Connection type must contain a field `pageInfo`/);
});
