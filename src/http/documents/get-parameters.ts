import { GraphQLError } from 'graphql';

/** The refusal of a GET request whose variables or extensions are not JSON, which Yoga would report as an internal error. */
export function faultOfParameters({ searchParams }: URL): GraphQLError | null {
  for (const name of ['variables', 'extensions']) {
    const text = searchParams.get(name);
    if (text === null || text === '' || isJson(text)) continue;
    const extensions = { code: 'BAD_REQUEST', http: { status: 400 } };
    return new GraphQLError(`The parameter ${name} must be JSON`, { extensions });
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
