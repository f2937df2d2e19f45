/**
 * What an operation could return at most, in objects. Each counts one, whatever it is; connections, edges and pageInfo
 * count nothing: they are there for the sake of the objects in them.
 */
import {
  getDirectiveValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLInt,
  GraphQLSkipDirective,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  valueFromAST,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { IntArguments, ListSize } from '../../graphql/list-size.js';
import { pageSize } from '../../graphql/page-arguments.js';

/** Where counting stops: documents can name, through fragments, more fields than there is time to look at. */
const MAX_VISITS = 10_000;

/** A list that says nothing of its size. */
const LIST_SIZE = 10;

export interface Operation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operationName?: string | null | undefined;
  variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface Cost {
  /** How many objects it could return; as many as a number can count exactly, when it is more. */
  nodes: number;
  /** Whether they were counted to the end. */
  isWhole: boolean;
}

/** Null for an operation that cannot run: whoever runs it says why. */
export function estimateCost({ schema, document, operationName, variableValues }: Operation): Cost | null {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (operation == null || root == null) return null;
  // Those that sizes and conditions are given in: others may be long to check.
  const definitions = (operation.variableDefinitions ?? []).filter(({ type }) => {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    return named.kind === Kind.NAMED_TYPE && /^(Int|Boolean)$/.test(named.name.value);
  });
  const variables = getVariableValues(schema, definitions, variableValues ?? {});
  if (variables.coerced === undefined) return null;
  return new Estimate(schema, document, variables.coerced).of(root, operation.selectionSet);
}

type Variables = Record<string, unknown>;

class Estimate {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  #visits = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Variables,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  of(root: GraphQLObjectType, selectionSet: SelectionSetNode): Cost {
    const nodes = this.#objectCost(root, [selectionSet], 1);
    return { nodes, isWhole: this.#visits <= MAX_VISITS };
  }

  /** @param edgeCount how many edges it has, where it is a connection */
  #objectCost(type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[], edgeCount: number): number {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const selectionSet of selectionSets) this.#collect(type, selectionSet, fields, spread);
    let cost = 0;
    for (const nodes of fields.values()) {
      const [node] = nodes;
      const field = node && type.getFields()[node.name.value];
      // Fields of introspection have none.
      if (field !== undefined) cost = saturated(cost + this.#fieldCost(field, nodes, edgeCount));
    }
    return cost;
  }

  #fieldCost(field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[], edgeCount: number): number {
    if (++this.#visits > MAX_VISITS) return 0;
    const type = getNamedType(field.type);
    const args = this.#intArguments(field, nodes[0]);
    const size = sizeOf(field, args, edgeCount);
    if (isLeafType(type)) return field.extensions['listSize'] === undefined ? 0 : size;
    const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const edges = isConnection(type) ? pageSize(args) : 1;
    const possible = isAbstractType(type) ? this.schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
    const costs = possible.map((each) => this.#objectCost(each, selectionSets, edges));
    return saturated(size * ((isForPaging(type) ? 0 : 1) + Math.max(0, ...costs)));
  }

  /** The fields of a selection by response name, as execution collects them. */
  #collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    fields: Map<string, FieldNode[]>,
    spread: Set<string>,
  ): void {
    for (const selection of selections) {
      if (this.#isLeftOut(selection)) continue;
      if (++this.#visits > MAX_VISITS) return;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const merged = fields.get(key);
        if (merged === undefined) fields.set(key, [selection]);
        else merged.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const condition = selection.typeCondition?.name.value;
        if (this.#applies(condition, type)) this.#collect(type, selection.selectionSet, fields, spread);
      } else {
        const name = selection.name.value;
        const fragment = this.#fragments.get(name);
        if (fragment === undefined || spread.has(name)) continue;
        spread.add(name);
        if (this.#applies(fragment.typeCondition.name.value, type)) {
          this.#collect(type, fragment.selectionSet, fields, spread);
        }
      }
    }
  }

  #isLeftOut(selection: SelectionNode): boolean {
    if (selection.directives === undefined || selection.directives.length === 0) return false;
    try {
      return (
        getDirectiveValues(GraphQLSkipDirective, selection, this.variables)?.['if'] === true ||
        getDirectiveValues(GraphQLIncludeDirective, selection, this.variables)?.['if'] === false
      );
    } catch (error) {
      // A condition that is null is an error of the field, if execution ever gets there.
      if (error instanceof GraphQLError) return false;
      throw error;
    }
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const other = this.schema.getType(condition);
    return isAbstractType(other) && this.schema.isSubType(other, type);
  }

  #intArguments(field: GraphQLField<unknown, unknown>, node: FieldNode | undefined): IntArguments {
    const args: Record<string, number | null> = {};
    for (const { name, type, defaultValue } of field.args) {
      if (getNullableType(type) !== GraphQLInt) continue;
      const given = node?.arguments?.find((argument) => argument.name.value === name)?.value;
      const value = given === undefined ? undefined : valueFromAST(given, type, this.variables);
      const chosen: unknown = value === undefined ? defaultValue : value;
      if (typeof chosen === 'number') args[name] = chosen;
    }
    return args;
  }
}

function sizeOf(field: GraphQLField<unknown, unknown>, args: IntArguments, edgeCount: number): number {
  if (!isListType(getNullableType(field.type))) return 1;
  // The one list of a connection: the types of its edges are used nowhere else.
  if (getNamedType(field.type).name.endsWith('Edge')) return edgeCount;
  const size = field.extensions['listSize'] as ListSize | undefined;
  return typeof size === 'function' ? size(args) : (size ?? LIST_SIZE);
}

/** By the names that Relay's specification of cursor connections reserves. */
function isConnection({ name }: GraphQLNamedType): boolean {
  return name.endsWith('Connection');
}

function isForPaging(type: GraphQLNamedType): boolean {
  return isConnection(type) || type.name.endsWith('Edge') || type.name === 'PageInfo';
}

function saturated(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}
