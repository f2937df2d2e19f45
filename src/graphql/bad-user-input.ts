import { GraphQLError } from 'graphql';

/**
 * The error of a query with an invalid argument; mutations return InvalidInputError.
 * @param reason machine-readable, where programs can react to it
 */
export function badUserInput(message: string, reason?: 'CURSOR_ELSEWHERE'): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', ...(reason && { reason }) } });
}
