import type { Plugin } from 'graphql-yoga';

/** Tokens of a document. Far below what overflows the parser's stack, far above what people and programs write. */
const MAX_TOKENS = 5000;

/** Refuses documents of more tokens than the bound, as a syntax error. */
export function useDocumentLimits(): Plugin {
  return {
    onParse({ params }) {
      params.options = { ...(params.options as object | undefined), maxTokens: MAX_TOKENS };
    },
  };
}
