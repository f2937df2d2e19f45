/**
 * Goes through what a document selects: along its fragments, with fields of the same response name merged, as execution
 * would. It runs in front of GraphQL's own rules, so it takes anything that can be parsed.
 */
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { documentLimitExceeded, type DocumentLimit } from './document-limit.js';

/** Where a walk is given up: fragments in fragments can ask for any number of fields in a few lines. */
const MAX_VISITS = 10_000;

export interface VisitedField {
  node: FieldNode;
  isRoot: boolean;
  isAliased: boolean;
  /** 1 for a field of the root; 0 within introspection. */
  depth: number;
  /** How many lists of objects are around its values, its own included; 0 within introspection. */
  listDepth: number;
}

/** Selections of an object: from one place in the document, or from several that are merged. */
interface Part {
  selectionSet: SelectionSetNode;
  /** Unknown where the document is wrong: GraphQL's own rules say how. */
  type: GraphQLNamedType | undefined;
}

type Around = Pick<VisitedField, 'depth' | 'listDepth'> & { isIntrospection: boolean };

/**
 * Shows every operation to the limits, and every fragment that no operation uses.
 * @param document without fragments that contain themselves
 * @throws GraphQLError with code DOCUMENT_LIMIT_EXCEEDED when there is no end to it
 */
export function walkSelections(schema: GraphQLSchema, document: DocumentNode, limits: readonly DocumentLimit[]): void {
  const walk = new Walk(schema, document, limits);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      walk.enter({
        selectionSet: definition.selectionSet,
        type: schema.getRootType(definition.operation) ?? undefined,
      });
    }
  }
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION && !walk.hasSeen(definition)) walk.enter(walk.partOf(definition));
  }
}

class Walk {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #seen = new Set<FragmentDefinitionNode>();
  #visits = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly limits: readonly DocumentLimit[],
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  hasSeen(fragment: FragmentDefinitionNode): boolean {
    return this.#seen.has(fragment);
  }

  partOf(fragment: FragmentDefinitionNode): Part {
    return { selectionSet: fragment.selectionSet, type: this.schema.getType(fragment.typeCondition.name.value) };
  }

  enter(root: Part): void {
    for (const limit of this.limits) limit.enterDefinition?.();
    this.#walk([root], { depth: 0, listDepth: 0, isIntrospection: false }, true);
  }

  #walk(parts: readonly Part[], around: Around, isRoot: boolean): void {
    const fields = new Map<string, { node: FieldNode; type: GraphQLNamedType | undefined }[]>();
    const spread = new Set<string>();
    let count = 0;
    const collect = ({ selectionSet, type }: Part): void => {
      for (const selection of selectionSet.selections) {
        count++;
        if (++this.#visits > MAX_VISITS) throw tooMuch(selection);
        if (selection.kind === Kind.FIELD) {
          const key = selection.alias?.value ?? selection.name.value;
          const merged = fields.get(key) ?? [];
          merged.push({ node: selection, type });
          fields.set(key, merged);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          const condition = selection.typeCondition?.name.value;
          const within = condition === undefined ? type : this.schema.getType(condition);
          collect({ selectionSet: selection.selectionSet, type: within });
        } else {
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment === undefined || spread.has(selection.name.value)) continue;
          spread.add(selection.name.value);
          this.#seen.add(fragment);
          collect(this.partOf(fragment));
        }
      }
    };
    parts.forEach(collect);
    const [first] = parts;
    if (first !== undefined) for (const limit of this.limits) limit.enterSelections?.(count, first.selectionSet);
    for (const merged of fields.values()) this.#field(merged, around, isRoot);
  }

  #field(
    merged: readonly { node: FieldNode; type: GraphQLNamedType | undefined }[],
    around: Around,
    isRoot: boolean,
  ): void {
    const [{ node } = { node: undefined }] = merged;
    if (node === undefined) return;
    const types = merged.map((each) => typeOf(each.type, each.node.name.value));
    const isIntrospection = around.isIntrospection || /^__(schema|type)$/.test(node.name.value);
    const isList = types.some((type) => type?.isList);
    const depth = around.isIntrospection ? 0 : around.depth + 1;
    const listDepth = isIntrospection ? 0 : around.listDepth + (isList ? 1 : 0);
    const isAliased = merged.some((each) => each.node.alias !== undefined);
    for (const limit of this.limits) limit.enterField?.({ node, isRoot, isAliased, depth, listDepth });

    const parts = merged.flatMap(({ node: { selectionSet } }, n) =>
      selectionSet === undefined ? [] : [{ selectionSet, type: types[n]?.named }],
    );
    if (parts.length > 0) this.#walk(parts, { depth, listDepth, isIntrospection }, false);
  }
}

/** What a field returns, and whether it is a list of objects. */
function typeOf(
  parent: GraphQLNamedType | undefined,
  name: string,
): { named: GraphQLNamedType; isList: boolean } | undefined {
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
  if (field === undefined) return undefined;
  const named = getNamedType(field.type);
  return { named, isList: isListType(getNullableType(field.type)) && isCompositeType(named) };
}

function tooMuch(node: ASTNode): GraphQLError {
  const what = `selects more than ${MAX_VISITS} fields, those of its fragments as often as they are used`;
  return documentLimitExceeded({ what, bound: MAX_VISITS, node });
}
