import { GraphQLError } from 'graphql';

/** The error of a query whose argument is out of bounds: mutations answer InvalidInputError instead. */
export function badUserInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}
