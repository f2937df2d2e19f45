import { invalid } from '../errors.js';
import { isRecord } from '../record.js';

/**
 * What is given, when a store does all that it asks for. Plain JavaScript may give more, such as an option of another library,
 * and to leave it out would do something else without a word.
 * @param names the fields that are known
 * @param path where it stands, for errors; empty for an argument of its own
 * @throws ContextError that names the first field that is not known, unless it is undefined
 */
export function checkKnown<T extends object>(given: T, names: readonly (keyof T & string)[], path = ''): T {
  if (!isRecord(given)) throw invalid(`${path || 'the options'} must be an object`, path || null);
  const known: readonly string[] = names;
  const strange = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
  if (strange === undefined) return given;
  const place = path === '' ? strange : `${path}.${strange}`;
  throw invalid(`${place} cannot be given: what can is ${names.join(', ')}`, place);
}
