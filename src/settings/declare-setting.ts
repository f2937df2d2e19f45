/** Declares settings of each kind of value. */
import { z } from 'zod';
import { messageOf } from '../system/message-of.js';
import type { Setting } from './setting.js';

type Facts<Value> = Partial<Pick<Setting<Value>, 'inDevelopment' | 'optionDefault' | 'shown' | 'isSecret'>>;

/** @param meaning in Markdown: the last column of the table in docs/operations.md */
type Described<Value> = { means: (meaning: string) => Setting<Value> };

/**
 * Without `byDefault`, the value of an absent variable is undefined. `inDevelopment` is equal to it by default.
 * @param schema parses the text of the variable
 */
export function setting<Value>(
  variable: string,
  schema: z.ZodType<Value>,
  facts: Facts<NoInfer<Value>> & { byDefault: NoInfer<Value> },
): Described<Value>;
export function setting<Value>(
  variable: string,
  schema: z.ZodType<Value>,
  facts?: Facts<unknown>,
): Described<Value | undefined>;
export function setting(
  variable: string,
  schema: z.ZodType,
  facts: Partial<Setting<unknown>> = {},
): Described<unknown> {
  const { byDefault } = facts;
  return { means: (meaning) => ({ variable, schema, byDefault, inDevelopment: byDefault, ...facts, meaning }) };
}

export const numberWithin = (low: number, high: number) => {
  const message = `must be a whole number from ${low} to ${high}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= low && value <= high, message);
};

export const wholeNumber = (variable: string, low: number, high: number, byDefault: number, facts?: Facts<number>) =>
  setting(variable, numberWithin(low, high), { byDefault, ...facts });

/**
 * @param texts for true and for false
 * @param optionDefault of createServer, where it is another one
 */
export function flag(
  variable: string,
  byDefault: boolean,
  texts: [string, string] = ['true', 'false'],
  optionDefault = byDefault,
) {
  const schema = z.enum(texts, `must be ${texts.join(' or ')}`).transform((text) => text === texts[0]);
  return setting(variable, schema, { byDefault, optionDefault, shown: byDefault ? texts[0] : texts[1] });
}

/** The elements of a comma-separated list. */
export const elements = z.string().transform((list): readonly string[] =>
  list
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== ''),
);

/** @param parse throws an Error with the mistake */
export const parsed = <Value>(parse: (text: string) => Value) =>
  z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue(messageOf(error));
      return z.NEVER;
    }
  });

function isHttpUrl(url: string): boolean {
  return /^https?:\/\//.test(url) && URL.canParse(url);
}

export const collectorUrl = z.string().refine(isHttpUrl, 'must be http:// or https://, and a host');
