/** Contexts of branches. */
import { MarkdownRenderer, TomlRenderer, ToonRenderer, XmlRenderer } from '@parley/context';

export const CONTEXT = `query ($chat: ID!, $branch: String!, $input: ContextInput!) {
  chat(id: $chat) { branch(name: $branch) { context(input: $input) { systemPrompt messages summary { id } omittedMessages estimatedTokens } } }
}`;

export const RENDERERS = {
  XML: new XmlRenderer(),
  MARKDOWN: new MarkdownRenderer(),
  TOML: new TomlRenderer(),
  TOON: new ToonRenderer(),
};

export interface Resolved {
  systemPrompt: string;
  messages: { id: string }[];
  summary: { id: string } | null;
  omittedMessages: number;
  estimatedTokens: number;
}
