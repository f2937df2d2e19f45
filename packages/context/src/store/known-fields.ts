import { invalid } from '../errors.js';
import { isRecord } from '../record.js';

/** The names of all fields of a type: TypeScript refuses a list that lacks one. */
export type AllNames<T, Names extends readonly unknown[]> = Names & (keyof T extends Names[number] ? unknown : never);

/**
 * Returns the given fields if all are known. Plain JavaScript can pass others, which must not be ignored silently.
 * @param names all fields of the type
 * @param path the position of the object, for errors; empty for an argument
 * @throws ContextError that names the first unknown field whose value is not undefined
 */
export function checkKnown<T extends object, const Names extends readonly (keyof T & string)[]>(
  given: T,
  names: AllNames<T, Names>,
  path = '',
): T {
  if (!isRecord(given)) throw invalid(`${path || 'the options'} must be an object`, path || null);
  const known: readonly string[] = names;
  const strange = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
  if (strange === undefined) return given;
  const place = path === '' ? strange : `${path}.${strange}`;
  throw invalid(`${place} is unknown; valid are ${names.join(', ')}`, place);
}
