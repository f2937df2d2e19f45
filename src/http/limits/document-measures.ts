/**
 * Measures the selections of a document, in one pass along its fragments and with fields of one response name merged, as in
 * execution. It runs before GraphQL's own rules, so any document that can be parsed is valid input.
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
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import {
  collectFields,
  fragmentsOf,
  MAX_VISITS,
  type Fragments,
  type MergedFields,
  type Part,
} from '../../graphql/limits/collected-fields.js';

/** The largest value of a measure, and the first node that reaches it. */
export interface Peak {
  value: number;
  node: ASTNode;
}

/** Each is absent while it is 0. */
export interface DocumentMeasures {
  /** Levels of fields, introspection excluded: graphql has its own rule for it. */
  depth?: Peak;
  /** Levels of lists of objects: each multiplies the size of the result. Introspection fields are of no type here. */
  listDepth?: Peak;
  /** Fields of one operation with an alias, which repeat the same work under other names. */
  aliases?: Peak;
  /** Fields of one operation's root: each is a separate query or mutation. */
  rootFields?: Peak;
  /** Selections of one object, repeated ones included: validation compares each with each. */
  selections?: Peak;
  /** Selections of the whole document, present only when the pass stopped at its bound of MAX_VISITS. */
  visits?: Peak;
}

interface Levels {
  depth: number;
  listDepth: number;
  isIntrospection: boolean;
}

/**
 * Measures every operation, and every fragment that no operation uses.
 * @param document without fragments that contain themselves
 */
export function measureDocument(schema: GraphQLSchema, document: DocumentNode): DocumentMeasures {
  const pass = new Pass(schema, document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const type = schema.getRootType(definition.operation) ?? undefined;
    pass.enter({ selectionSet: definition.selectionSet, type });
  }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION || pass.used.has(definition)) continue;
    const type = schema.getType(definition.typeCondition.name.value);
    pass.enter({ selectionSet: definition.selectionSet, type });
  }
  return pass.measures;
}

class Pass {
  readonly measures: DocumentMeasures = {};
  readonly used = new Set<FragmentDefinitionNode>();
  readonly #fragments: Fragments;
  #visits = 0;
  #aliases = 0;
  #rootFields = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
  ) {
    this.#fragments = fragmentsOf(document);
  }

  enter(root: Part): void {
    this.#aliases = 0;
    this.#rootFields = 0;
    this.#selections([root], { depth: 0, listDepth: 0, isIntrospection: false }, true);
  }

  #raise(measure: keyof DocumentMeasures, value: number, node: ASTNode): void {
    if (value > (this.measures[measure]?.value ?? 0)) this.measures[measure] = { value, node };
  }

  #selections(parts: readonly Part[], around: Levels, isRoot: boolean): void {
    let count = 0;
    const fields = collectFields({ schema: this.schema, fragments: this.#fragments }, parts, (selection) => {
      if (this.measures.visits !== undefined) return false;
      count++;
      if (++this.#visits > MAX_VISITS) this.#raise('visits', this.#visits, selection);
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments[selection.name.value] : undefined;
      if (fragment !== undefined) this.used.add(fragment);
      return true;
    });
    const [first] = parts;
    if (first !== undefined) this.#raise('selections', count, first.selectionSet);
    for (const merged of fields.values()) {
      if (this.measures.visits !== undefined) return;
      this.#field(merged, around, isRoot);
    }
  }

  #field(merged: MergedFields, around: Levels, isRoot: boolean): void {
    const [{ node }] = merged;
    const types = merged.map((each) => typeOf(each.type, each.node.name.value));
    const isIntrospection = around.isIntrospection || /^__(schema|type)$/.test(node.name.value);
    const isList = types.some((type) => type?.isList);
    const depth = around.isIntrospection ? 0 : around.depth + 1;
    const listDepth = around.listDepth + (isList ? 1 : 0);
    this.#raise('depth', depth, node);
    this.#raise('listDepth', listDepth, node);
    if (merged.some((each) => each.node.alias !== undefined)) this.#raise('aliases', ++this.#aliases, node);
    if (isRoot) this.#raise('rootFields', ++this.#rootFields, node);

    const parts = merged.flatMap(({ node: { selectionSet } }, n) =>
      selectionSet === undefined ? [] : [{ selectionSet, type: types[n]?.named }],
    );
    if (parts.length > 0) this.#selections(parts, { depth, listDepth, isIntrospection }, false);
  }
}

/** The named type of a field's values, and whether they are lists of objects. */
function typeOf(
  parent: GraphQLNamedType | undefined,
  name: string,
): { named: GraphQLNamedType; isList: boolean } | undefined {
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
  if (field === undefined) return undefined;
  const named = getNamedType(field.type);
  return { named, isList: isListType(getNullableType(field.type)) && isCompositeType(named) };
}
