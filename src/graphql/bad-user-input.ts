import { GraphQLError } from 'graphql';

/**
 * The error of a query whose argument is out of bounds: mutations answer InvalidInputError instead.
 * @param reason for programs, where they can do something about it
 */
export function badUserInput(message: string, reason?: 'CURSOR_ELSEWHERE'): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', ...(reason && { reason }) } });
}
