/** Limits on what a document selects: what each of them looks at, and what it says when it is exceeded. */
import { GraphQLError, type ASTNode, type FieldNode } from 'graphql';

export interface VisitedField {
  node: FieldNode;
  isRoot: boolean;
  isAliased: boolean;
  /** 1 for a field of the root; 0 within introspection. */
  depth: number;
  /** How many lists of objects are around its values, its own included; 0 within introspection. */
  listDepth: number;
}

/** One limit, while one document is looked at. */
export interface DocumentLimit {
  /** Takes the next operation, or a fragment that no operation uses. */
  enterDefinition?(): void;
  /** Takes a field as often as it is selected, through fragments too. */
  enterField?(field: VisitedField): void;
  /** Takes how many selections an object has, through fragments too. */
  enterSelections?(count: number, node: ASTNode): void;
  /** What is too much, when everything was looked at. */
  excess(): Excess | null;
}

export interface Excess {
  /** What there is, with its number: "has 51 aliases". */
  what: string;
  bound: number;
  /** Where it is. */
  node: ASTNode;
}

export function documentLimitExceeded({ what, bound, node }: Excess): GraphQLError {
  return new GraphQLError(`The document ${what}: no more than ${bound} are allowed`, {
    nodes: node,
    extensions: { code: 'DOCUMENT_LIMIT_EXCEEDED', limit: bound, http: { spec: true, status: 400 } },
  });
}
