/** Documents generated from the schema, with hostile values. */
import fc from 'fast-check';
import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

export interface HostileRequest {
  query: string;
  variables: Record<string, unknown>;
}

const strings = fc.oneof(
  // Existing ids and names, so that some requests pass validation.
  fc.constantFrom('c', 'm1', 'm2', 'm3', 'main', 'main-v2', 'side', 'n', 'user', 'assistant'),
  fc.constantFrom('', ' ', 'a ', '\0', '\ud800', '__proto__', 'constructor', "'", '"', '%', 'NULL', '\u202e', '\u2028'),
  fc.constantFrom("'; DROP TABLE messages; --", '${x}', '{"a":1}', '../../etc', 'x'.repeat(256), 'é'.repeat(5000)),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(...['path:1', 'child:0', 'chat:1:c', 'Chat:c', 'Message:m1', 'Branch:', ':'].map(base64)),
);
const numbers = fc.constantFrom(0, 1, -1, 20, 1000, 1001, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 1e308, 0.5);
const anything = fc.oneof(
  strings,
  numbers,
  fc.constantFrom(null, true, false, [], {}, [[[]]], { ['__proto__']: { polluted: true } }, { toString: 'x' }),
  fc.jsonValue(),
);

/** A request with a mostly valid document and mostly invalid values. */
export function hostileRequest(schema: GraphQLSchema): fc.Arbitrary<HostileRequest> {
  return fc.infiniteStream(fc.nat(0x7fff_ffff)).map((stream) => new Writer(schema, stream).write());
}

/** Writes one request; all random choices come from the stream, so that fast-check can repeat it. */
class Writer {
  readonly #variables: Record<string, unknown> = {};
  readonly #declarations: string[] = [];

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly stream: fc.Stream<number>,
  ) {}

  write(): HostileRequest {
    const isMutation = this.#chance(0.5);
    const root = isMutation ? this.schema.getMutationType() : this.schema.getQueryType();
    if (root == null) throw new Error('the schema has no such root');
    const selection = this.#selection(root, 0);
    const declarations = this.#declarations.length === 0 ? '' : `(${this.#declarations.join(', ')})`;
    return { query: `${isMutation ? 'mutation' : 'query'} Q${declarations} ${selection}`, variables: this.#variables };
  }

  #selection(type: GraphQLNamedType, depth: number): string {
    if (isObjectType(type)) {
      const fields = Object.values(type.getFields());
      const count = 1 + this.#below(depth === 0 ? 2 : 4);
      return `{ __typename ${Array.from({ length: count }, () => this.#field(this.#pick(fields), depth)).join(' ')} }`;
    }
    if (isAbstractType(type)) {
      const possible: readonly GraphQLObjectType[] = this.schema.getPossibleTypes(type);
      return `{ __typename ... on ${this.#pick(possible).name} ${this.#selection(this.#pick(possible), depth)} }`;
    }
    return '';
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const type = getNamedType(field.type);
    if (depth > 4 && !isLeafType(type)) return '__typename';
    // A unique alias, so that two uses of a field do not conflict.
    const alias = `${field.name}_${Object.keys(this.#variables).length}_${this.#below(1e6)}`;
    const args = field.args
      .filter((arg) => isNonNullType(arg.type) || this.#chance(0.5))
      .map((arg) => `${arg.name}: ${this.#variable(arg.type)}`);
    const written = args.length === 0 ? '' : `(${args.join(', ')})`;
    return `${alias}: ${field.name}${written} ${isLeafType(type) ? '' : this.#selection(type, depth + 1)}`;
  }

  #variable(type: GraphQLInputType): string {
    const name = `v${this.#declarations.length}`;
    this.#declarations.push(`$${name}: ${String(type)}`);
    this.#variables[name] = this.#value(type, 0);
    return `$${name}`;
  }

  #value(type: GraphQLInputType, depth: number): unknown {
    if (this.#chance(0.03)) return this.#sample(anything);
    if (isNonNullType(type)) return this.#value(type.ofType, depth);
    if (depth > 0 && this.#chance(0.1)) return null;
    if (isListType(type)) {
      // Lists in the elements of long lists would exceed the limit of a body.
      const lengths = depth < 3 ? [0, 1, 1, 2, 3, 501] : [0, 1, 1, 2, 3, 17];
      return Array.from({ length: this.#pick(lengths) }, () => this.#value(type.ofType, depth + 1));
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const given = type.isOneOf
        ? [this.#pick(fields)]
        : fields.filter((field) => isNonNullType(field.type) || this.#chance(0.5));
      return Object.fromEntries(given.map((field) => [field.name, this.#value(field.type, depth + 1)]));
    }
    if (isEnumType(type)) return this.#pick(type.getValues()).name;
    switch (type.name) {
      case 'Int':
        return this.#sample(numbers);
      case 'JSON':
        return this.#sample(anything);
      case 'Boolean':
        return this.#chance(0.5);
      default:
        return this.#sample(strings);
    }
  }

  #sample<T>(arbitrary: fc.Arbitrary<T>): T {
    return fc.sample(arbitrary, { numRuns: 1, seed: this.#next() })[0] as T;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }

  #chance(probability: number): boolean {
    return this.#below(1000) < probability * 1000;
  }

  #below(limit: number): number {
    return this.#next() % limit;
  }

  #next(): number {
    return this.stream.next().value as number;
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
