import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readGraphiqlTabs } from '../../src/features/pages/graphiql.js';
import { openStream } from '../support/server/event-stream.js';
import { openParley, type Parley } from '../support/server/parley.js';
import { WITH_DEMO } from '../features/demo/with-demo.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const operations = [...readme.matchAll(/```graphql\n(.*?)```/gs)].map(([, text]) => text ?? '');

/** The types of the answers, in the order of the README. */
const ANSWERS = [[], ['SaveMessagesPayload'], ['SaveMessagesPayload'], ['BranchPayload', 'BranchPayload'], []];

/** The result of an operation; the first result of a subscription. */
async function firstAnswer(parley: Parley, query: string, variables: Record<string, unknown> = {}) {
  if (!/^(#.*\n)*subscription/.test(query)) return parley.ask(query, variables);
  const stream = await openStream(parley, query, variables);
  const [answer] = await stream.take(1);
  return answer!;
}

test('the operations of the README work on the demo, one after the other', async () => {
  const parley = await openParley(WITH_DEMO);
  const typenames = [];
  for (const query of operations) {
    const { data, errors } = await firstAnswer(parley, query);
    expect(errors).toBeUndefined();
    typenames.push([...JSON.stringify(data).matchAll(/"__typename":"(\w+)"/g)].map(([, name]) => name));
  }
  expect(typenames).toEqual(ANSWERS);
});

test('the tabs of GraphiQL work on the demo', async () => {
  const parley = await openParley(WITH_DEMO);
  for (const { query, variables } of readGraphiqlTabs()) {
    const { data, errors } = await firstAnswer(parley, query, JSON.parse(variables ?? '{}') as Record<string, unknown>);
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).not.toContain('Error"');
  }
});
