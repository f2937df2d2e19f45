import { GraphQLError, Lexer, Source, TokenKind, type DocumentNode, type ParseOptions } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Tokens of a document: far above what people and programs write. */
const MAX_TOKENS = 5000;

/**
 * Brackets within brackets: room for JSON at its deepest, 200 levels, in a literal. Parser, validation and execution
 * recurse along them, and some thousands would overflow their stack.
 */
const MAX_NESTING = 300;

type Parse = (source: string | Source, options?: ParseOptions) => DocumentNode;

/** Refuses documents beyond these bounds as syntax errors, before they are parsed. */
export function useDocumentLimits(): Plugin {
  return {
    onParse({ parseFn, setParseFn }) {
      const parse = parseFn as Parse;
      const parseWithinLimits: Parse = (source, options) => {
        checkNesting(typeof source === 'string' ? new Source(source) : source);
        return parse(source, { ...options, maxTokens: MAX_TOKENS });
      };
      setParseFn(parseWithinLimits);
    },
  };
}

/** Reads the tokens alone, one after the other. */
function checkNesting(source: Source): void {
  const lexer = new Lexer(source);
  let depth = 0;
  for (let count = 0; count <= MAX_TOKENS; count++) {
    const { kind, start } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) depth++;
    if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R) depth--;
    if (depth > MAX_NESTING) {
      throw new GraphQLError(`Syntax Error: Document nests deeper than ${MAX_NESTING} levels.`, {
        source,
        positions: [start],
        extensions: { code: 'GRAPHQL_PARSE_FAILED' },
      });
    }
  }
}
