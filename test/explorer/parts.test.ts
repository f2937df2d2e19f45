/** The explorer shows stored parts of messages, with any JSON in any field. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownHtml } from '../../packages/explorer/src/thread/markdown/markdown-html.js';
import { answeredCalls, partsOf, shownPart, unansweredCall } from '../../packages/explorer/src/thread/part.js';
import { runs } from '../support/effort.js';

const TYPES = ['text', 'reasoning', 'step-start', 'source-url', 'file', 'dynamic-tool', 'tool-search', 'data-any', 'x'];
/** A valid part of any type. */
const FITTING = {
  text: 'Hello',
  url: 'https://elsewhere.example/a.png',
  title: 'A title',
  filename: 'a.png',
  mediaType: 'image/png',
  toolName: 'search',
};
const FIELDS = ['type', ...Object.keys(FITTING)];

describe('a part', () => {
  it.each(TYPES.map((type) => [type]))('%s with any value in any field is shown as text only', (type) => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        {},
        { toString: 1 },
        [],
        ['a'],
        'x'.repeat(1_000),
        'javascript:alert(1)',
        'data:image/png;base64,',
      ),
    );
    const field = fc.constantFrom(...FIELDS);
    fc.assert(
      fc.property(field, value, (name, wrong) => {
        const shown = shownPart({ type, ...FITTING, [name]: wrong });
        for (const [key, text] of Object.entries(shown) as [string, unknown][]) {
          if (text === null) continue;
          expect(text).toBeTypeOf(key === 'durationMs' ? 'number' : 'string');
          if (key !== 'text' && key !== 'url') expect((text as string).length).toBeLessThanOrEqual(200);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('that is valid is shown as its type', () => {
    expect(TYPES.map((type) => shownPart({ type, ...FITTING }))).toEqual([
      { kind: 'text', text: 'Hello' },
      { kind: 'reasoning', text: 'Hello' },
      { kind: 'none' },
      { kind: 'source', url: FITTING.url, name: 'A title' },
      { kind: 'file', url: FITTING.url, name: 'a.png' },
      { kind: 'tool', name: 'search', state: null, excerpt: null, result: null, durationMs: null },
      { kind: 'tool', name: 'search', state: null, excerpt: null, result: null, durationMs: null },
      { kind: 'data', type: 'data-any' },
      { kind: 'data', type: 'x' },
    ]);
  });

  it('that refers to a file of this server is an image or a link', () => {
    const fileId = 'a'.repeat(64);
    const stored = (mediaType?: string) =>
      shownPart({ type: 'file', url: `parley:file:${fileId}`, filename: 'a.png', mediaType });
    expect(stored('image/webp')).toEqual({ kind: 'stored-image', fileId, name: 'a.png' });
    for (const type of ['image/svg+xml', 'application/pdf', undefined]) {
      expect(stored(type)).toEqual({ kind: 'stored-file', fileId, name: 'a.png' });
    }
    expect(shownPart({ type: 'file', url: 'parley:file:..', filename: 'a.png' })).toEqual({
      kind: 'named-file',
      name: 'a.png',
    });
  });

  it.each([
    ['file', 'filename'],
    ['file', 'mediaType'],
    ['file', 'url'],
    ['source-url', 'title'],
    ['source-url', 'url'],
    ['dynamic-tool', 'toolName'],
    ['text', 'text'],
    ['reasoning', 'text'],
  ])('%s with an object as its %s is shown as data', (type, field) => {
    expect(shownPart({ type, ...FITTING, [field]: {} })).toEqual({ kind: 'data', type });
  });

  it('that is not an object is shown as data, and data without parts has none', () => {
    expect(partsOf({ parts: [null, 1, { type: 'text', text: 'a' }] })?.map(shownPart)).toEqual([
      { kind: 'data', type: null },
      { kind: 'data', type: null },
      { kind: 'text', text: 'a' },
    ]);
    for (const data of [null, 'a', [], {}, { parts: {} }, { parts: [] }, { parts: [1, { type: 1 }] }]) {
      expect(partsOf(data)).toBeNull();
    }
  });
});

describe('a tool call', () => {
  it('shows its state, the beginnings of its input and output, and its duration', () => {
    const input = { city: 'Porto', days: 2, nested: {} };
    const call = { type: 'tool-weather', state: 'output-available', input, output: { rain: 0.7 }, durationMs: 412 };
    const shown = {
      kind: 'tool',
      name: 'weather',
      state: 'done',
      excerpt: 'Porto, 2',
      result: '0.7',
      durationMs: 412,
    };
    expect(shownPart(call)).toEqual(shown);
    expect(shownPart({ ...call, state: 'toString', durationMs: '1' })).toEqual({
      ...shown,
      state: null,
      durationMs: null,
    });
    expect(shownPart({ ...call, state: 'output-error', errorText: 'No city' })).toEqual({
      ...shown,
      state: 'failed',
      result: 'No city',
    });
  });

  it('without its result is a call, too, until a message has the result', () => {
    const data = { toolCallId: 'c', toolName: 'weather', input: { city: 'Porto' } };
    const part = { type: 'data-tool-call', data };
    expect(shownPart(part)).toMatchObject({ kind: 'tool', name: 'weather', state: null, excerpt: 'Porto' });
    expect(unansweredCall(part)).toBe('c');
    expect(answeredCalls({ parts: [part, { type: 'dynamic-tool', toolCallId: 'd' }, null] })).toEqual(['d']);
    for (const wrong of [null, 1, {}, { ...part, data: 'c' }, { ...part, data: { toolCallId: 1 } }]) {
      expect(unansweredCall(wrong)).toBe(null);
    }
  });
});

describe('Markdown', () => {
  it('contains no HTML of the text, no scripts and no styles', async () => {
    const html = await markdownHtml(
      '<script>alert(1)</script> <img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](https://elsewhere.example/b)\n\n' +
        '| a |\n| -: |\n| $$\\href{javascript:alert(1)}{x} \\color{red}{y}$$ |',
    );
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain('<td class="right">');
    expect(html).toContain('<math');
    expect(html).not.toMatch(/<(script|img)|href="javascript|style=/);
  });

  it('colours code in a known language, and shows any other code as text', async () => {
    const html = await markdownHtml('```js\nconst a = "<b>";\n```\n\n```nolang\n<i>\n```');
    expect(html).toContain('<span class="hljs-keyword">const</span>');
    expect(html).toContain('&quot;&lt;b&gt;&quot;');
    expect(html).toContain('&lt;i&gt;');
  });

  it.each([
    ['quotes in quotes', '>'.repeat(120)],
    ['lists in lists', Array.from({ length: 60 }, (_, n) => `${' '.repeat(2 * n)}- a`).join('\n')],
    ['fractions in fractions', `$$${'\\frac{'.repeat(200)}1${'}{2}'.repeat(200)}$$`],
    ['a formula of many cells', `$$\\begin{matrix}${'a&'.repeat(8_000)}\\end{matrix}$$`],
  ])('is not rendered beyond its limits: %s', async (_, text) => {
    expect(await markdownHtml('*a*')).toBe('<p><em>a</em></p>');
    expect(await markdownHtml(text)).toBeNull();
  });
});
