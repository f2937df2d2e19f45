/** The text of an operation, with the types of its variables and its result. */
declare const types: unique symbol;

/** A GraphQL operation as text. Its types exist only at compile time. */
export type Operation<Result, Variables> = string & { readonly [types]?: { result: Result; variables: Variables } };

/** Assigns types to an operation: for your own operations, too. */
export function operation<Result, Variables>(text: string): Operation<Result, Variables> {
  return text;
}
