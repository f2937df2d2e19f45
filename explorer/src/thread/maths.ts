/** Formulas between dollars, as MathML, which browsers draw by themselves: it needs no styles and no fonts. */
import rehypeKatex from 'rehype-katex';
import remarkMath from 'remark-math';
import type { Options } from 'react-markdown';

export interface Maths {
  remarkPlugins: NonNullable<Options['remarkPlugins']>;
  rehypePlugins: NonNullable<Options['rehypePlugins']>;
}

// "$5 and $6" is no formula.
export const remarkPlugins: Maths['remarkPlugins'] = [[remarkMath, { singleDollarTextMath: false }]];
export const rehypePlugins: Maths['rehypePlugins'] = [
  [rehypeKatex, { output: 'mathml', strict: 'ignore', errorColor: 'currentColor' }],
];
