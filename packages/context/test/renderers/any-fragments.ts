import fc from 'fast-check';
import type { ContextFragment, FragmentData } from '../../src/fragments/fragment.js';

/** Characters and words with a meaning in one of the formats. */
const MARKUP = [
  ...['<', '>', '</', '/>', '<a>', '</a>', '<!--', '-->', '<![CDATA[', ']]>', '<?', '?>', '&', '&lt;', '&#10;', '&amp'],
  ...[';', '#', '##', '*', '**', '_', '__', '`', '```', '~', '~~~', '-', '---', '- ', '+', '+ ', '=', '===', '1.'],
  ...['1. ', '2)', '> ', '[', ']', '(', ')', '![', '[x]', '[a]: b', '|', '|-|', ':-', '\\', '\\n', '$', '!', '@'],
  ...['<http://x>', 'http://x.y', '"', "'", '"""', "'''", '{', '}', '[[', ']]', ',', '.', ':', ': ', 'a: b', '[2]:'],
  ...['[1]{a}:', '- a: b', '# ', '%', '//'],
  ...['true', 'null', 'inf', 'nan', '0', '-0', '05', '1e5', '1e999', '0x1F', '1_000', '12:30', '2024-01-02', '-1.5'],
];
const BLANKS = [
  ...[' ', '  ', '    ', '\t', '\n', '\n\n', '\r', '\r\n', '\f', '\v', '\u00a0', '\u0085', '\u2028', '\u3000'],
  ...['\ufeff'],
];
const ODD = [
  ...['\0', '\u0001', '\u001b', '\u007f', '\u009f', '\u200b', '\u200d', '\ufffe', '\uffff', '\ufffd', 'é', 'e\u0301'],
  ...['漢', '😀'],
];
const WORDS = ['a', 'b', 'snake_case', 'Be concise.', 'R&D', '1 < 2', 'the', 'Z', '9'];

const pieces = fc.array(fc.constantFrom(...MARKUP, ...BLANKS, ...ODD, ...WORDS, ...WORDS), { maxLength: 8 });
const texts = fc.oneof(
  { weight: 4, arbitrary: pieces.map((each) => each.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(...MARKUP, ...BLANKS, ...ODD, '') },
);

const NAMES = [
  ...['a', 'b', 'c', 'hint', 'item', 'entry', 'name', 'max tokens', '1', '10', 'x:y', 'xml', 'XMLish', '_', '-', 'a.b'],
  ...['a-b', '__proto__', 'constructor', 'toString', 'toJSON', 'length', 'é', 'ünïcode', '😀', '"', "'", '\n', ' '],
  ...[' a ', '#', 'C#', ''],
];

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(
    0,
    -0,
    1e21,
    1e-7,
    2 ** 53,
    -(2 ** 53),
    2 ** 63,
    2 ** 64,
    -(2 ** 63),
    5e-324,
    Number.MAX_VALUE,
    0.1,
    1e20,
  ),
);

/**
 * Lists of fragments of every shape.
 * @param left characters that stay out of names and texts
 */
export function anyFragments(leftOut?: RegExp): fc.Arbitrary<ContextFragment[]> {
  const without = (text: string) => (leftOut === undefined ? text : text.replaceAll(new RegExp(leftOut, 'g'), ''));
  const text = texts.map(without);
  const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...NAMES) }, text);
  const { fragment } = fc.letrec<{ data: FragmentData; fragment: ContextFragment }>((tie) => ({
    data: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.oneof({ weight: 3, arbitrary: text }, numbers, fc.boolean(), fc.constantFrom(null, undefined)),
      fc.array(tie('data'), { maxLength: 4 }),
      fc.array(tie('fragment'), { maxLength: 4 }),
      fc.array(text, { maxLength: 3 }),
      // fc.dictionary would set the prototype. A member `data` would make the object a fragment.
      fc
        .array(fc.tuple(name, tie('data')), { maxLength: 3 })
        .map((members) => Object.fromEntries(members.filter(([key]) => key !== 'data'))),
      sameFields(name, tie('data')),
      tie('fragment'),
    ),
    fragment: fc.record({ name: name.map((each) => each || 'unnamed'), data: tie('data') }),
  }));
  return fc.array(fragment, { maxLength: 5 });
}

/** Records with the same fields, as in a table. */
function sameFields(name: fc.Arbitrary<string>, data: fc.Arbitrary<FragmentData>): fc.Arbitrary<FragmentData> {
  return fc
    .uniqueArray(
      name.filter((each) => each !== 'data'),
      { minLength: 1, maxLength: 3 },
    )
    .chain((fields) => {
      const record = fc
        .tuple(...fields.map(() => data))
        .map((values) => Object.fromEntries(fields.map((field, index) => [field, values[index]])));
      return fc.array(record, { minLength: 1, maxLength: 3 });
    });
}
