import {
  getOperationAST,
  getVariableValues,
  GraphQLError,
  type ASTVisitor,
  type ExecutionArgs,
  type ExecutionResult,
  type validate,
  type ValidationContext,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Session } from '../../auth/session.js';
import type { Context } from '../../graphql/context.js';

/** The executor's own limit of errors. */
const MAX_ERRORS = 50;

/** The type in graphql: Envelop's types name the arguments in another order. */
type Validate = typeof validate;

/**
 * Hides the schema from all viewers except admins: refuses introspection and removes suggestions of similar names from
 * errors. `__typename` stays allowed.
 */
export function useIntrospectionForAdmins(): Plugin<Context> {
  return {
    onValidate({ context, addValidationRule, validateFn, setValidationFn }) {
      const { session } = context as { session?: Session };
      if (session?.viewer.isAdmin) return;
      // Validation results are cached by the names of the rules; an additional rule separates the results of admins.
      addValidationRule(noIntrospectionForUsers);
      const validateWithSuggestions = validateFn as Validate;
      const validateWithoutSuggestions: Validate = (schema, document, rules, options, typeInfo) =>
        validateWithSuggestions(schema, document, rules, { ...options, hideSuggestions: true }, typeInfo).map(
          withoutSuggestion,
        );
      setValidationFn(validateWithoutSuggestions as typeof validateFn);
    },
    // Values of variables are checked when an operation runs.
    onExecute: ({ args }) => ({ onExecuteDone: hideSuggestions(args) }),
    onSubscribe: ({ args }) => ({ onSubscribeResult: hideSuggestions(args) }),
  };
}

interface Done {
  result: object;
  setResult: (result: ExecutionResult) => void;
}

function hideSuggestions(args: ExecutionArgs & { contextValue: Context }): (done: Done) => void {
  return ({ result, setResult }) => {
    const errors = args.contextValue.viewer.isAdmin ? null : variableErrors(args, result);
    if (errors !== null) setResult({ errors });
  };
}

/**
 * The errors in the variables of an operation that could not begin, in GraphQL's own words but without suggestions,
 * which the executor always adds. Null when the variables are valid or execution began.
 */
function variableErrors(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  result: object,
): readonly GraphQLError[] | null {
  if (!('errors' in result) || 'data' in result) return null;
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const { errors } = getVariableValues(schema, definitions, variableValues ?? {}, {
    maxErrors: MAX_ERRORS,
    hideSuggestions: true,
  });
  for (const error of errors ?? []) error.extensions['http'] = { spec: true, status: 400 };
  return errors ?? null;
}

/** For a field without its required selection, graphql suggests one even when suggestions are hidden. */
function withoutSuggestion(error: GraphQLError): GraphQLError {
  const message = error.message.replace(/( must have a selection of subfields\.) Did you mean [^]*$/, '$1');
  if (message === error.message) return error;
  return new GraphQLError(message, { nodes: error.nodes ?? null, extensions: error.extensions });
}

function noIntrospectionForUsers(context: ValidationContext): ASTVisitor {
  let isReported = false;
  return {
    Field(node) {
      const name = node.name.value;
      if (isReported || (name !== '__schema' && name !== '__type')) return;
      isReported = true;
      const message = `Only admins can read the schema: ${name} is not allowed`;
      context.reportError(new GraphQLError(message, { nodes: node, extensions: { code: 'INTROSPECTION_DISABLED' } }));
    },
  };
}
