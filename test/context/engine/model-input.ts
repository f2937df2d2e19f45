/** The input of a model. */
import { XmlRenderer, type ContextFragment } from '@parley/context';

export const renderer = new XmlRenderer();

/** What a model is given of a text. */
export const uiMessage = (id: string, text: string, name = 'user') => ({
  id,
  role: name,
  parts: [{ type: 'text', text }],
});

export const names = (fragments: readonly ContextFragment[]) => fragments.map(({ name }) => name);
