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
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import {
  collectFields,
  fragmentsOf,
  MAX_VISITS,
  type CollectedField,
  type Fragments,
  type Part,
} from '../../graphql/collected-fields.js';
import { documentLimitExceeded, type DocumentLimit, type VisitedField } from './document-limit.js';

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
  readonly #fragments: Fragments;
  readonly #seen = new Set<FragmentDefinitionNode>();
  #visits = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly limits: readonly DocumentLimit[],
  ) {
    this.#fragments = fragmentsOf(document);
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
    let count = 0;
    const fields = collectFields({ schema: this.schema, fragments: this.#fragments }, parts, (selection) => {
      count++;
      if (++this.#visits > MAX_VISITS) throw tooMuch(selection);
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments[selection.name.value] : undefined;
      if (fragment !== undefined) this.#seen.add(fragment);
      return true;
    });
    const [first] = parts;
    if (first !== undefined) for (const limit of this.limits) limit.enterSelections?.(count, first.selectionSet);
    for (const merged of fields.values()) this.#field(merged, around, isRoot);
  }

  #field(merged: readonly CollectedField[], around: Around, isRoot: boolean): void {
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
