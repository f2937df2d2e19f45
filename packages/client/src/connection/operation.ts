/** The text of an operation that knows the types of its variables and of what it answers. */
declare const types: unique symbol;

/** A GraphQL operation as text; its types are not there when it runs. */
export type Operation<Result, Variables> = string & { readonly [types]?: { result: Result; variables: Variables } };

/** Gives a text the types of its operation: for operations of your own, too. */
export function operation<Result, Variables>(text: string): Operation<Result, Variables> {
  return text;
}
