/** The documents of a Relay client that fetches any node of a schema, and pages through each of its connections. */
import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

export interface Connection {
  parent: GraphQLObjectType;
  field: GraphQLField<unknown, unknown>;
  /** The name of its module; Relay requires it as the prefix of names in the module. */
  name: string;
}

/** Every field that is a connection by Relay's specification, recognised by the name of its type. */
export function connectionsOf(schema: GraphQLSchema): Connection[] {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type));
  return types.flatMap((parent) =>
    Object.values(parent.getFields())
      .filter((field) => getNamedType(field.type).name.endsWith('Connection'))
      .map((field) => ({ parent, field, name: `${parent.name}_${field.name}` })),
  );
}

/** The connections whose next page Relay can request: those of nodes and of the root. */
export function refetchableConnectionsOf(schema: GraphQLSchema): Connection[] {
  const parents = [...nodeTypesOf(schema), schema.getQueryType()];
  return connectionsOf(schema).filter(({ parent }) => parents.includes(parent));
}

/** Every type that node(nodeId:) can return. */
export function nodeTypesOf(schema: GraphQLSchema): readonly GraphQLObjectType[] {
  const node = schema.getType('Node');
  if (!isInterfaceType(node)) throw new Error('The schema has no interface Node');
  return schema.getPossibleTypes(node);
}

/** A query for any node with all its connections, and for all connections of the root. */
export function everythingQuery(schema: GraphQLSchema, name: string): string {
  const connections = refetchableConnectionsOf(schema);
  const variables = new Map([['nodeId', 'ID!']]);
  for (const { field } of connections) {
    for (const { name, type } of field.args.filter(isRequiredArgument)) variables.set(name, String(type));
  }
  const pagesOf = (type: GraphQLObjectType) =>
    connections.filter(({ parent }) => parent === type).map((connection) => spread(connection));
  const nodes = nodeTypesOf(schema).map((type) => `... on ${type.name} { nodeId ${pagesOf(type).join(' ')} }`);
  return `query ${name}(${Array.from(variables, ([name, type]) => `$${name}: ${type}`).join(', ')}) {
    node(nodeId: $nodeId) { __typename nodeId ${nodes.join(' ')} }
    ${pagesOf(schema.getQueryType()!).join(' ')}
  }`;
}

/** The fragment that pages through a connection, with all of its arguments. */
export function pagingFragment({ parent, field, name }: Connection, nodeTypes: readonly GraphQLObjectType[]): string {
  const definitions = field.args.map(({ name, type }) => {
    const byDefault = name === 'first' ? ', defaultValue: 10' : '';
    return `${name}: { type: "${String(type)}"${byDefault} }`;
  });
  const args = field.args.map(({ name }) => `${name}: $${name}`);
  const key = `${name}_${field.name}`;
  return `fragment ${name} on ${parent.name}
    @argumentDefinitions(${definitions.join(', ')})
    @refetchable(queryName: "${pageQuery(name)}") {
      ${field.name}(${args.join(', ')}) @connection(key: "${key}") {
        edges { node { __typename ${nodeTypes.includes(nodeTypeOf(field)) ? 'nodeId' : ''} } }
      }
    }`;
}

/** The query that Relay generates for a fragment: it fetches the next page. */
export const pageQuery = (fragment: string): string => `${fragment}PageQuery`;

function spread({ name, field }: Connection): string {
  const args = field.args.filter(isRequiredArgument).map(({ name }) => `${name}: $${name}`);
  return `...${name} @alias${args.length === 0 ? '' : ` @arguments(${args.join(', ')})`}`;
}

/** The type of the nodes of a connection. */
function nodeTypeOf(field: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const step = (type: GraphQLObjectType, name: string) =>
    getNamedType(type.getFields()[name]!.type) as GraphQLObjectType;
  return step(step(getNamedType(field.type) as GraphQLObjectType, 'edges'), 'node');
}
