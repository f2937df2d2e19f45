import { getOperationAST, GraphQLError, OperationTypeNode, type ExecutionArgs, type GraphQLField } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { hasScope, highestScope } from '../../conversation/access/access-scopes.js';
import type { AccessScope, Viewer } from '../../conversation/model.js';
import type { Context } from '../../graphql/context.js';
import { collectFields, fragmentsOf } from '../../graphql/limits/collected-fields.js';

/** @throws GraphQLError for an access token without the scope */
export function requireScope(viewer: Viewer, required: AccessScope): void {
  const refusal = refusalOf(viewer, required);
  if (refusal !== null) throw refusal;
}

/** Refuses mutations beyond the scope of an access token before anything is resolved. */
export function useTokenScopes(): Plugin<Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { viewer } = args.contextValue;
      const refusal = viewer.accessToken === undefined ? null : refusalOf(viewer, scopeOf(args));
      if (refusal !== null) setResultAndStopExecution({ errors: [refusal] });
    },
  };
}

/** The scope for all root fields, also for those that a directive skips. */
function scopeOf({ schema, document, operationName }: ExecutionArgs): AccessScope {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.MUTATION) return 'READ';
  const type = schema.getMutationType() ?? undefined;
  const root = { selectionSet: operation.selectionSet, type };
  const fields = [...collectFields({ schema, fragments: fragmentsOf(document) }, [root]).values()].flat();
  return highestScope(fields.map(({ node }) => scopeOfField(type?.getFields()[node.name.value])));
}

/** @param field undefined for `__typename` */
function scopeOfField(field: GraphQLField<unknown, Context> | undefined): AccessScope {
  return field === undefined ? 'WRITE' : (field.extensions['pothosOptions'] as { scope: AccessScope }).scope;
}

function refusalOf(viewer: Viewer, required: AccessScope): GraphQLError | null {
  if (hasScope(viewer, required)) return null;
  const [code, message] = hasScope(viewer, 'WRITE')
    ? [
        'INSUFFICIENT_SCOPE',
        `The access token has no ${required} scope: it cannot share, transfer, delete or restore chats, or change members`,
      ]
    : ['READ_ONLY_TOKEN', 'The access token has no WRITE scope: it can only read'];
  return new GraphQLError(message, { extensions: { code, http: { status: 403 } } });
}
