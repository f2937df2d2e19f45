/** The input of a model. */
import { XmlRenderer, type ContextFragment } from '@parley/context';

export const renderer = new XmlRenderer();

/** The text of each message for a model. */
export const uiMessage = (id: string, text: string, name = 'user') => ({
  id,
  role: name,
  parts: [{ type: 'text', text }],
});

export const names = (fragments: readonly ContextFragment[]) => fragments.map(({ name }) => name);
