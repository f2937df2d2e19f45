import { GraphQLError, Lexer, Source, TokenKind, type DocumentNode, type ParseOptions } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Limits } from '../../limits/limits.js';

/**
 * Nested brackets: enough for a literal of JSON's maximum depth of 200. Parser, validation and execution recurse; some
 * thousands of levels overflow their stack.
 */
const MAX_NESTING = 300;

type Parse = (source: string | Source, options?: ParseOptions) => DocumentNode;

/** Refuses documents with too many characters, tokens or levels as syntax errors, before parsing. */
export function useDocumentSize({ maxDocumentLength, maxTokens }: Limits): Plugin {
  return {
    onParse({ params, parseFn, setParseFn }) {
      const { source: given } = params as { source: string | Source };
      const text = typeof given === 'string' ? given : given.body;
      if (text.length > maxDocumentLength) {
        const how = `is ${text.length} characters long, and no more than ${maxDocumentLength} are allowed`;
        throw tooLarge(`${how}: put values into variables`);
      }
      const parse = parseFn as Parse;
      const parseWithinLimits: Parse = (source, options) => {
        checkTokens(typeof source === 'string' ? new Source(source) : source, maxTokens);
        return parse(source, { ...options, maxTokens });
      };
      setParseFn(parseWithinLimits);
    },
  };
}

/** Reads only the tokens. */
function checkTokens(source: Source, maxTokens: number): void {
  const lexer = new Lexer(source);
  let depth = 0;
  for (let count = 0; count <= maxTokens; count++) {
    const { kind, start } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) depth++;
    if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R) depth--;
    if (depth > MAX_NESTING) throw tooLarge(`nests deeper than ${MAX_NESTING} levels`, { source, position: start });
  }
}

/** @param place absent when the document is too long to show */
function tooLarge(how: string, place?: { source: Source; position: number }): GraphQLError {
  return new GraphQLError(`Syntax Error: Document ${how}.`, {
    ...(place && { source: place.source, positions: [place.position] }),
    extensions: { code: 'GRAPHQL_PARSE_FAILED', http: { spec: true, status: 400 } },
  });
}
