import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailableError, DeletedError } from '../../src/conversation/errors.js';
import { createErrorMask } from '../../src/http/answers/masked-errors.js';

describe('an error in a response', () => {
  const logged: { id: string; error: unknown }[] = [];
  const mask = createErrorMask((id, error) => logged.push({ id, error }));
  const thrown = (originalError: Error) => new GraphQLError(originalError.message, { originalError, path: ['chat'] });
  const seen = (error: unknown) => JSON.parse(JSON.stringify(mask(error, 'Unexpected error.'))) as unknown;

  it('has the same id at each field that one error failed, and one line in the log', () => {
    for (const [code, failure] of [
      ['INTERNAL_SERVER_ERROR', new Error('the batch has failed')],
      ['DATABASE_UNAVAILABLE', new DatabaseUnavailableError('The database cannot be reached', {})],
    ] as const) {
      logged.length = 0;
      const answers = [thrown(failure), thrown(failure), thrown(failure)].map(seen);
      expect(logged).toHaveLength(1);
      const extensions = { code, id: logged[0]?.id };
      expect(answers).toMatchObject([{ extensions }, { extensions }, { extensions }]);
      expect(seen(thrown(new Error('another')))).not.toMatchObject({ extensions });
      expect(logged).toHaveLength(2);
    }
  });

  it('names the object that was deleted during the read', () => {
    expect(seen(thrown(new DeletedError('Chat "c"')))).toEqual({
      message: 'Chat "c" was deleted while it was being read',
      path: ['chat'],
      extensions: { code: 'GONE' },
    });
  });

  it('states that the response is too large', () => {
    expect(seen(thrown(new RangeError('Invalid string length')))).toMatchObject({ extensions: { code: 'TOO_LARGE' } });
  });

  it('has the code of bad input if the executor refused a variable', () => {
    const refused = new GraphQLError('Variable "$n" got invalid value');
    expect(seen(refused)).toMatchObject({ message: refused.message, extensions: { code: 'BAD_USER_INPUT' } });
    const long = new GraphQLError(`Variable "$n" got ${'🌍'.repeat(100_000)}; it is not a number`);
    const { message } = seen(long) as { message: string };
    expect(message).toMatch(/^Variable "\$n" got 🌍+.? … .?🌍+; it is not a number$/u);
    expect(message.length).toBe(2_003);
    const coded = new GraphQLError('no', { extensions: { code: 'GRAPHQL_PARSE_FAILED' } });
    expect(seen(coded)).toMatchObject({ message: 'no', extensions: { code: 'GRAPHQL_PARSE_FAILED' } });
  });
});
