/** Highlights code. Each language is loaded when a text first uses it. */
import type { HLJSApi, LanguageFn } from 'highlight.js';

type Loader = () => Promise<{ default: LanguageFn }>;

const LANGUAGES: Readonly<Record<string, Loader>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const ALIASES: Readonly<Record<string, string>> = {
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  docker: 'dockerfile',
  html: 'xml',
  js: 'javascript',
  jsx: 'javascript',
  kt: 'kotlin',
  md: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

let highlighter: HLJSApi | undefined;

function languageOf(name: string): string {
  const known = name.toLowerCase();
  return ALIASES[known] ?? known;
}

/** Loads the languages of the code blocks in a text; a language that cannot be loaded stays without colours. */
export async function loadLanguages(text: string): Promise<void> {
  const named = Array.from(text.matchAll(/^ *(?:`{3,}|~{3,}) *([\w+#.-]+)/gm), ([, name = '']) => languageOf(name));
  const unknown = [...new Set(named)].filter(
    (name) => Object.hasOwn(LANGUAGES, name) && highlighter?.getLanguage(name) === undefined,
  );
  if (unknown.length === 0) return;
  try {
    highlighter ??= (await import('highlight.js/lib/core')).default;
    for (const name of unknown) highlighter.registerLanguage(name, (await LANGUAGES[name]?.())?.default ?? plain);
  } catch {
    // The text is shown without colours.
  }
}

const plain: LanguageFn = () => ({ contains: [] });

/** Escaped HTML of a code; null for a language that is not loaded. */
export function highlighted(code: string, name: string): string | null {
  const language = languageOf(name);
  if (highlighter?.getLanguage(language) === undefined) return null;
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}
