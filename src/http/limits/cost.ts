/**
 * Estimates the maximum number of objects that an operation can return. Each object counts one; connections, edges and
 * pageInfo count nothing.
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
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  applies,
  collectFields,
  fragmentsOf,
  MAX_VISITS,
  type Fragments,
  type MergedFields,
} from '../../graphql/limits/collected-fields.js';
import type { IntArguments, ListSize } from '../../graphql/limits/list-size.js';
import { pageSize } from '../../graphql/pages/page-arguments.js';

/** Assumed size of a list without a size argument. */
const LIST_SIZE = 10;

export interface Operation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operationName?: string | null | undefined;
  variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface Cost {
  /** Maximum number of objects, capped at the largest safe integer. */
  nodes: number;
  /** Whether the estimate is complete. */
  isWhole: boolean;
}

/** Null for an operation that cannot run: execution reports why. */
export function estimateCost({ schema, document, operationName, variableValues }: Operation): Cost | null {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (operation == null || root == null) return null;
  const known = costs.get(operation);
  if (known?.schema === schema) return known.cost;
  // Only variables of sizes and conditions: coercing the others can take long.
  const definitions = (operation.variableDefinitions ?? []).filter(({ type }) => {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    return named.kind === Kind.NAMED_TYPE && /^(Int|Boolean)$/.test(named.name.value);
  });
  const variables = getVariableValues(schema, definitions, variableValues ?? {});
  if (variables.coerced === undefined) return null;
  const cost = new Estimate(schema, document, variables.coerced).of(root, operation.selectionSet);
  if (definitions.length === 0) costs.set(operation, { schema, cost });
  return cost;
}

/** The costs of operations that do not depend on variables: the document cache keeps operations. */
const costs = new WeakMap<OperationDefinitionNode, { schema: GraphQLSchema; cost: Cost }>();

type Variables = Record<string, unknown>;

class Estimate {
  readonly #fragments: Fragments;
  #visits = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Variables,
  ) {
    this.#fragments = fragmentsOf(document);
  }

  of(root: GraphQLObjectType, selectionSet: SelectionSetNode): Cost {
    const nodes = this.#objectCost(root, [selectionSet], 1);
    return { nodes, isWhole: this.#visits <= MAX_VISITS };
  }

  /** @param edgeCount number of edges where the type is a connection */
  #objectCost(type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[], edgeCount: number): number {
    const parts = selectionSets.map((selectionSet) => ({ selectionSet, type }));
    const fields = collectFields({ schema: this.schema, fragments: this.#fragments }, parts, (selection, within) => {
      if (this.#isLeftOut(selection) || ++this.#visits > MAX_VISITS) return false;
      return applies(this.schema, within, type);
    });
    let cost = 0;
    for (const merged of fields.values()) {
      const field = type.getFields()[merged[0].node.name.value];
      // Introspection fields are missing here.
      if (field !== undefined) cost = saturated(cost + this.#fieldCost(field, merged, edgeCount));
    }
    return cost;
  }

  #fieldCost(field: GraphQLField<unknown, unknown>, merged: MergedFields, edgeCount: number): number {
    if (++this.#visits > MAX_VISITS) return 0;
    const type = getNamedType(field.type);
    const args = this.#intArguments(field, merged[0].node);
    const size = sizeOf(field, args, edgeCount);
    if (isLeafType(type)) return field.extensions['listSize'] === undefined ? 0 : size;
    const selectionSets = merged.flatMap(({ node }) => node.selectionSet ?? []);
    const possible = isAbstractType(type) ? this.schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
    const costs = possible.map((each) => this.#objectCost(each, selectionSets, pageSize(args)));
    return saturated(size * ((isForPaging(type) ? 0 : 1) + Math.max(0, ...costs)));
  }

  #isLeftOut(selection: SelectionNode): boolean {
    if (selection.directives === undefined || selection.directives.length === 0) return false;
    try {
      return (
        getDirectiveValues(GraphQLSkipDirective, selection, this.variables)?.['if'] === true ||
        getDirectiveValues(GraphQLIncludeDirective, selection, this.variables)?.['if'] === false
      );
    } catch (error) {
      // Execution reports a null condition as an error of the field.
      if (error instanceof GraphQLError) return false;
      throw error;
    }
  }

  #intArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): IntArguments {
    const args: Record<string, number | null> = {};
    for (const { name, type } of field.args) {
      if (getNullableType(type) !== GraphQLInt) continue;
      const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
      const value: unknown = given && valueFromAST(given, type, this.variables);
      if (typeof value === 'number') args[name] = value;
    }
    return args;
  }
}

function sizeOf(field: GraphQLField<unknown, unknown>, args: IntArguments, edgeCount: number): number {
  if (!isListType(getNullableType(field.type))) return 1;
  // A connection has one list: its edge types are used nowhere else.
  if (getNamedType(field.type).name.endsWith('Edge')) return edgeCount;
  const size = field.extensions['listSize'] as ListSize | undefined;
  return typeof size === 'function' ? size(args) : (size ?? LIST_SIZE);
}

/** By the names that Relay's cursor connections specification reserves. */
function isConnection({ name }: GraphQLNamedType): boolean {
  return name.endsWith('Connection');
}

function isForPaging(type: GraphQLNamedType): boolean {
  return isConnection(type) || type.name.endsWith('Edge') || type.name === 'PageInfo';
}

function saturated(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}
