import { getOperationAST, GraphQLError, OperationTypeNode, type ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../graphql/context.js';

/** The refusal of a change with an access token that has no WRITE scope. */
export function readOnlyRefusal(): GraphQLError {
  return new GraphQLError('The access token has no WRITE scope: it can only read', {
    extensions: { code: 'READ_ONLY_TOKEN', http: { status: 403 } },
  });
}

/** Refuses mutations with a read-only access token before anything is resolved. */
export function useReadOnlyTokens(): Plugin<Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      if (args.contextValue.viewer.accessToken?.canWrite !== false) return;
      if (isMutation(args)) setResultAndStopExecution({ errors: [readOnlyRefusal()] });
    },
  };
}

function isMutation({ document, operationName }: ExecutionArgs): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION;
}
