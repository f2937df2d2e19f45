/** Queries of a share, which need no sign-in and no trust: their only root field is `shared`. */
import { GraphQLError, Kind, OperationTypeNode, parse } from 'graphql';

/** Characters and tokens of such a document. */
const MAX_CHARACTERS = 4_000;
const MAX_TOKENS = 500;

/** Whether a document has one operation, a query with `shared` as its only field. */
export function isSharedDocument(text: string): boolean {
  if (text.length > MAX_CHARACTERS || !text.includes('shared')) return false;
  try {
    const { definitions } = parse(text, { maxTokens: MAX_TOKENS, noLocation: true });
    const [operation, ...others] = definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
    if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return false;
    const [field, ...fields] = operation.selectionSet.selections;
    const isOnly = field?.kind === Kind.FIELD && field.name.value === 'shared' && fields.length === 0;
    return isOnly && operation.operation === OperationTypeNode.QUERY;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}
