import { SaxesParser } from 'saxes';
import { ExpectedSection, type Expected } from './expected-content.js';

/** An element's text, or its elements. XML has no types, and an empty element is an empty text as well as an empty list. */
export type XmlContent = string | [name: string, XmlContent][];

interface OpenElement {
  name: string;
  text: string;
  elements: [name: string, XmlContent][];
}

/** Reads elements with a strict parser; any other node except text is an error. */
export function readXml(xml: string, xmlns: boolean): XmlContent {
  const parser = new SaxesParser({ xmlns });
  const open: OpenElement[] = [{ name: '', text: '', elements: [] }];
  parser.on('opentag', ({ name, attributes }) => {
    const given: unknown = attributes['name'];
    const ownName = typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
    open.push({ name: typeof ownName === 'string' ? ownName : name, text: '', elements: [] });
  });
  parser.on('text', (text) => {
    open.at(-1)!.text += text;
  });
  parser.on('closetag', () => {
    const { name, text, elements } = open.pop()!;
    if (elements.length > 0 && text.trim() !== '') throw new Error(`Text beside elements: ${JSON.stringify(text)}`);
    open.at(-1)!.elements.push([name, elements.length > 0 ? elements : text]);
  });
  for (const event of ['comment', 'cdata', 'processinginstruction', 'doctype'] as const) {
    parser.on(event, () => {
      throw new Error(`There is a ${event}`);
    });
  }
  parser.write(`<prompt>\n${xml}\n</prompt>`).close();
  const content = open[0]!.elements[0]![1];
  // A prompt without elements contains only line breaks.
  return typeof content === 'string' && content.trim() === '' ? [] : content;
}

/** Converts the expected content for comparison. */
export function asXml(expected: Expected): XmlContent {
  if (expected instanceof ExpectedSection) {
    return noneIsText(
      expected.entries.flatMap(([name, values]) => values.map((value) => [name, asXml(value)] as const)),
    );
  }
  return Array.isArray(expected)
    ? noneIsText(expected.map((item) => ['item', asXml(item)] as const))
    : String(expected);
}

function noneIsText(elements: (readonly [string, XmlContent])[]): XmlContent {
  return elements.length === 0 ? '' : elements.map(([name, content]) => [name, content]);
}
