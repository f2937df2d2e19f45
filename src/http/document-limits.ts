import { GraphQLError, Lexer, Source, TokenKind, type DocumentNode, type ParseOptions } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Characters of a document: it is kept with its parsed form, to be run again. Values belong into variables. */
const MAX_LENGTH = 64 * 1024;

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
        checkBounds(typeof source === 'string' ? new Source(source) : source);
        return parse(source, { ...options, maxTokens: MAX_TOKENS });
      };
      setParseFn(parseWithinLimits);
    },
  };
}

function checkBounds(source: Source): void {
  if (source.body.length > MAX_LENGTH) {
    throw tooLarge(`is longer than ${MAX_LENGTH} characters: put values into variables`, source, 0);
  }
  // Reads the tokens alone, one after the other.
  const lexer = new Lexer(source);
  let depth = 0;
  for (let count = 0; count <= MAX_TOKENS; count++) {
    const { kind, start } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) depth++;
    if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R) depth--;
    if (depth > MAX_NESTING) throw tooLarge(`nests deeper than ${MAX_NESTING} levels`, source, start);
  }
}

function tooLarge(how: string, source: Source, position: number): GraphQLError {
  return new GraphQLError(`Syntax Error: Document ${how}.`, {
    source,
    positions: [position],
    extensions: { code: 'GRAPHQL_PARSE_FAILED' },
  });
}
