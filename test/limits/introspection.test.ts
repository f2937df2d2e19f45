/** The users that may introspect the schema, whether or not the answer is cached. */
import { getIntrospectionQuery } from 'graphql';
import { expect, it } from 'vitest';
import { signToken } from '../../src/features/signed-tokens/sign-token.js';
import { startListening } from '../support/server/listening-server.js';
import { connectWebSocket, type Answered } from '../support/server/raw-websocket.js';

const auth = { secret: 'a secret of these tests, of more than 32 bytes' };
const WRONG_FIELD = '{ viewer { userIds } }';
const WRONG_VALUE = 'mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }';

/** A server with authentication, and one of its users over both transports. */
async function startWithUsers() {
  const { ask: askHttp, webSocketUrl } = await startListening({ auth });
  const asking = async (userId: string, isAdmin: boolean) => {
    const authorization = `Bearer ${await signToken(auth, { userId, isAdmin, lifetime: 600 })}`;
    const { ask } = await connectWebSocket(webSocketUrl, { headers: { authorization } });
    let count = 0;
    return async (query: string, variables?: object): Promise<Answered> => {
      const overHttp = (await askHttp(query, variables, { authorization })) as Answered;
      const { refused, ...answer } = await ask(String(count++), query, variables);
      expect(refused === undefined ? answer : { errors: refused }).toEqual(overHttp);
      return overHttp;
    };
  };
  return { user: await asking('alice', false), admin: await asking('root', true) };
}

const messages = ({ errors = [] }: Answered) => errors.map(({ message }) => message);

it.each(['admin', 'user'] as const)('only admins can read the schema: the %s reads first', async (first) => {
  const asking = await startWithUsers();
  for (const who of [first, first === 'admin' ? 'user' : 'admin', first] as const) {
    const answer = await asking[who](getIntrospectionQuery());
    if (who === 'admin') expect(answer).toHaveProperty('data.__schema.queryType');
    else {
      expect(answer).toEqual({
        errors: [
          {
            message: 'Only admins can read the schema: __schema is not allowed',
            locations: [{ line: 3, column: 7 }],
            extensions: { code: 'INTROSPECTION_DISABLED' },
          },
        ],
      });
    }
    const suggestion = who === 'admin' ? ' Did you mean "userId"?' : '';
    const wrong = `Cannot query field "userIds" on type "Viewer".${suggestion}`;
    expect(messages(await asking[who](WRONG_FIELD))).toEqual([wrong]);
    const [value] = messages(await asking[who](WRONG_VALUE, { input: { titel: 'x' } }));
    expect(value?.includes('Did you mean "title"?')).toBe(who === 'admin');
    expect(value).toContain('Field "titel" is not defined by type "CreateChatInput".');
  }
});

it('every user can read the names of types', async () => {
  const { user } = await startWithUsers();
  expect(await user('{ __typename viewer { __typename } }')).toEqual({
    data: { __typename: 'Query', viewer: { __typename: 'Viewer' } },
  });
  expect((await user('{ __type(name: "Chat") { name } }')).errors).toMatchObject([
    { extensions: { code: 'INTROSPECTION_DISABLED' } },
  ]);
});
