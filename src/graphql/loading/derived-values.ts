/**
 * Values that an operation derives from its rows, each once, for any number of aliases and fragments. They live as long
 * as the loaders.
 */
import {
  Kind,
  visit,
  type FieldNode,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';

export class DerivedValues {
  /** By key, then by owner: there are few keys and many rows. */
  readonly #of = new Map<string, Map<unknown, unknown>>();
  readonly #numbers = new Map<unknown, number>();
  /** By field nodes: the executor uses one array for all objects of a list. */
  readonly #keys = new WeakMap<readonly FieldNode[], string>();

  /**
   * Derives a value at its first use.
   * @param owner a row, or undefined for the root
   */
  get<T>(owner: unknown, key: string, derive: () => T): T {
    let values = this.#of.get(key);
    if (values === undefined) this.#of.set(key, (values = new Map<unknown, unknown>()));
    if (!values.has(owner)) values.set(owner, derive());
    return values.get(owner) as T;
  }

  /** A field with its arguments. Types can share an object. */
  keyOf({ parentType, fieldName, fieldNodes, variableValues }: GraphQLResolveInfo): string {
    let key = this.#keys.get(fieldNodes);
    if (key === undefined) {
      key = `${parentType.name}.${fieldName}`;
      for (const { name, value } of fieldNodes[0]?.arguments ?? []) {
        key += ` ${name.value}:${this.#textOf(value, variableValues)}`;
      }
      this.#keys.set(fieldNodes, key);
    }
    return key;
  }

  /** Variables may have megabytes: equal ones have a number instead. */
  #textOf(node: ValueNode, variables: GraphQLResolveInfo['variableValues']): string {
    if (node.kind === Kind.VARIABLE) return `$${this.#numberOf(variables[node.name.value])}`;
    if (node.kind === Kind.LIST) return `[${node.values.map((value) => this.#textOf(value, variables)).join(' ')}]`;
    if (node.kind === Kind.OBJECT) {
      return `{${node.fields.map(({ name, value }) => `${name.value}:${this.#textOf(value, variables)}`).join(' ')}}`;
    }
    if (node.kind === Kind.NULL) return 'null';
    // JSON distinguishes 1 from "1".
    return node.kind === Kind.STRING ? JSON.stringify(node.value) : String(node.value);
  }

  #numberOf(value: unknown): number {
    const number = this.#numbers.get(value) ?? this.#numbers.size;
    this.#numbers.set(value, number);
    return number;
  }
}

const aliased = new WeakMap<OperationDefinitionNode, boolean>();

/** Whether an operation can select a field of an object several times. */
export function hasAliases({ operation, fragments }: Pick<GraphQLResolveInfo, 'operation' | 'fragments'>): boolean {
  let has = aliased.get(operation);
  if (has === undefined) {
    has = false;
    const Field = { enter: ({ alias }: { alias?: unknown }) => void (has ||= alias !== undefined) };
    for (const node of [operation, ...Object.values(fragments)]) visit(node, { Field });
    aliased.set(operation, has);
  }
  return has;
}
