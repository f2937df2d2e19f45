/** The data that shares show: an allowlist. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectedData } from '../../../src/features/shares/projection.js';
import { messageText } from '../../../src/conversation/text/message-text.js';

const NOTHING = { includeReasoning: false, includeTools: false };
const ALL = { includeReasoning: true, includeTools: true };

/** Members that a share may show, by the kind of part. */
const SHOWN = ['type', 'text', 'mediaType', 'filename', 'url', 'data', 'image'];
const TOOL_MEMBERS = ['toolName', 'state', 'input', 'args', 'output', 'result', 'errorText', 'isError'];

/** JSON in which every text and key contains SECRET. */
const secret = fc.string({ maxLength: 4 }).map((text) => `SECRET${text}`);
const { secrets } = fc.letrec<{ secrets: unknown }>((tie) => ({
  secrets: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    secret,
    fc.array(tie('secrets'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(secret, fc.constantFrom(...SHOWN, ...TOOL_MEMBERS, 'parts', 'content', 'metadata', 'id', 'original')),
      tie('secrets'),
      { maxKeys: 4 },
    ),
  ),
}));

/** Data whose parts have allowed members with plain texts, among secrets. */
const type = fc.oneof(
  fc.constantFrom('text', 'file', 'image', 'reasoning', 'tool-search', 'dynamic-tool', 'source-url', 'data-x'),
  secret,
);
const plainText = fc.constantFrom('shown', 'parley:file:0');
const otherMembers = fc.dictionary(
  fc.oneof(secret, fc.constantFrom('id', 'toolCallId', 'providerMetadata', 'callProviderMetadata', 'preliminary')),
  secrets,
  { maxKeys: 4 },
);
const part = fc.oneof(
  secrets,
  fc
    .tuple(otherMembers, type, plainText)
    .map(([others, kind, text]) => ({ ...others, type: kind, text, url: text, mediaType: text, filename: text })),
  // Allowed members with values that are not texts.
  fc
    .tuple(
      type,
      secrets.filter((value) => typeof value !== 'string'),
    )
    .map(([kind, value]) => ({
      type: kind.startsWith('tool') || kind === 'dynamic-tool' ? 'text' : kind,
      ...Object.fromEntries(SHOWN.slice(1).map((name) => [name, value])),
    })),
);
const data = fc
  .tuple(otherMembers, fc.constantFrom('parts', 'content'), fc.array(part, { maxLength: 5 }))
  .map(([others, key, parts]) => ({ metadata: { original: { SECRET: 1 } }, role: 'SECRET', ...others, [key]: parts }));

describe('projected data', () => {
  it('contains texts, files and images, and if included reasoning and tools, with their allowed members', () => {
    const parts = [
      { type: 'text', text: 't' },
      { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'parley:file:0' },
      { type: 'image', mediaType: 'image/png', image: 'data:,' },
      { type: 'reasoning', text: 'r' },
      {
        type: 'tool-search',
        toolName: 'search',
        state: 'output-error',
        input: { q: 1 },
        errorText: 'e',
        isError: true,
      },
      { type: 'dynamic-tool', args: [1], result: null, output: 'o' },
    ];
    const saved = [...parts, { type: 'data-x', text: 'x' }].map((part) => ({ ...part, id: 'i', providerMetadata: {} }));
    expect(projectedData({ role: 'user', parts: saved }, ALL)).toEqual({ parts });
    expect(projectedData({ role: 'user', content: saved }, NOTHING)).toEqual({ content: parts.slice(0, 3) });
  });

  it('contains allowed members with texts only', () => {
    fc.assert(
      fc.property(data, (value) => {
        for (const included of [NOTHING, { ...NOTHING, includeReasoning: true }]) {
          expect(JSON.stringify(projectedData(value, included))).not.toContain('SECRET');
        }
      }),
    );
  });

  it('of other values is the text that the message shows', () => {
    fc.assert(
      fc.property(fc.oneof(secrets, fc.record({ text: secrets, content: secret })), (value) => {
        const projected = projectedData(value, ALL);
        if (typeof projected === 'string') expect(projected).toBe(messageText(value));
        else expect(Object.keys(projected as object).length).toBe(1);
      }),
    );
  });

  it('is the same for its own result', () => {
    fc.assert(
      fc.property(data, fc.constantFrom(NOTHING, ALL), (value, included) => {
        const once = projectedData(value, included);
        expect(projectedData(once, included)).toEqual(once);
      }),
    );
  });
});
