import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { maskError } from 'graphql-yoga';

/**
 * What clients see of an error that nobody expected: its kind, and an id under which the log has the rest.
 * @param log takes the id and the error
 */
export function createErrorMask(log: (id: string, error: unknown) => void): typeof maskError {
  return (error, message) => {
    const masked = maskError(error, message, false);
    if (!(masked instanceof GraphQLError) || masked === error) return masked;
    const id = randomUUID();
    log(id, error);
    const { nodes = null, source = null, positions = null, path = null, extensions } = masked;
    return new GraphQLError(masked.message, {
      nodes,
      source,
      positions,
      path,
      extensions: { ...extensions, code: 'INTERNAL_SERVER_ERROR', id },
    });
  };
}
