/** An operation as a tree, which can be varied, and as a document, which can be sent. */
import type { GraphQLScalarType } from 'graphql';
import {
  astFromValue,
  getNamedType,
  isLeafType,
  print,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
} from 'graphql';

/** A selected field. */
export interface Field {
  /** The field of the schema; null for `__typename`. */
  definition: GraphQLField<unknown, unknown> | null;
  /** The object type of the field: for an interface or a union, one of its object types. */
  parent: GraphQLNamedType;
  arguments: Readonly<Record<string, unknown>>;
  /** Whether its arguments are variables; values without a literal form always are. */
  isVariable: boolean;
  /** Whether its selection is a named fragment; equal fields share it. */
  isFragment: boolean;
  /** The interface of a fragment around the field: one of `parent`. */
  via: GraphQLInterfaceType | null;
  selections: readonly Field[];
}

export type Kind = 'query' | 'mutation' | 'subscription';

export interface Operation {
  kind: Kind;
  /** Over a WebSocket instead of HTTP; always for subscriptions. */
  isOverSocket: boolean;
  /** Without a token: only queries of shares can be. */
  isAnonymous: boolean;
  /** The number of concurrent copies. */
  times: number;
  /** Whether copies of a subscription are equal: the server computes their results once. */
  areEqual: boolean;
  /** The messages of a save after the start of subscriptions, in the same chat: a single one is large. */
  saves: number;
  selections: readonly Field[];
}

export interface Request {
  query: string;
  variables: Record<string, unknown>;
}

export function requestOf({ kind, selections }: Operation): Request {
  const writer = new Writer();
  const body = writer.selections(selections, null);
  const declared = writer.declarations.length === 0 ? '' : `(${writer.declarations.join(', ')})`;
  return { query: [`${kind} Q${declared} ${body}`, ...writer.fragments].join('\n'), variables: writer.variables };
}

/** All fields of an operation, outer fields first. */
export function fieldsOf(selections: readonly Field[]): Field[] {
  return selections.flatMap((field) => [field, ...fieldsOf(field.selections)]);
}

class Writer {
  readonly declarations: string[] = [];
  readonly variables: Record<string, unknown> = {};
  readonly fragments: string[] = [];
  readonly #fragmentNames = new Map<readonly Field[], string>();
  #names = 0;

  /** @param around the type that the outer field returns; null for the operation itself */
  selections(fields: readonly Field[], around: GraphQLNamedType | null): string {
    const taken = new Set<string>();
    const written = fields.map((field) => {
      const name = field.definition?.name ?? '__typename';
      // Repeated names get aliases, because GraphQL would merge the fields.
      const alias = taken.has(name) ? `a${this.#names++}: ` : '';
      taken.add(name);
      const text = this.#within(field, `${alias}${name}${this.#arguments(field)}${this.#inner(field)}`);
      return around === null || around === field.parent ? text : `... on ${field.parent.name} { ${text} }`;
    });
    return `{ ${written.join(' ')} }`;
  }

  /** A field in a fragment on its interface. */
  #within({ via, parent, isFragment }: Field, text: string): string {
    if (via === null) return text;
    const inner = `{ ... on ${parent.name} { ${text} } }`;
    return isFragment ? `...${this.#fragment(via, inner)}` : `... on ${via.name} ${inner}`;
  }

  #fragment(type: GraphQLNamedType, body: string): string {
    const name = `F${this.#names++}`;
    this.fragments.push(`fragment ${name} on ${type.name} ${body}`);
    return name;
  }

  #inner({ definition, selections, isFragment }: Field): string {
    if (definition === null || selections.length === 0) return '';
    const type = getNamedType(definition.type);
    if (!isFragment) return ` ${this.selections(selections, type)}`;
    const name = this.#fragmentNames.get(selections) ?? this.#fragment(type, this.selections(selections, type));
    this.#fragmentNames.set(selections, name);
    return `{...${name}}`;
  }

  #arguments({ definition, arguments: given, isVariable }: Field): string {
    const written = Object.entries(given).map(([name, value]) => {
      const type = definition!.args.find((argument) => argument.name === name)!.type;
      const named = getNamedType(type);
      if (!isVariable && isLeafType(named) && (named as GraphQLScalarType).name !== 'JSON') {
        return `${name}: ${print(astFromValue(value, type)!)}`;
      }
      const variable = `v${this.#names++}`;
      this.declarations.push(`$${variable}: ${String(type)}`);
      this.variables[variable] = value;
      return `${name}: $${variable}`;
    });
    return written.length === 0 ? '' : `(${written.join(', ')})`;
  }
}
