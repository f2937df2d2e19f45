import { invalid } from '../errors.js';
import { isRecord } from '../record.js';

/**
 * Returns the given fields if all are known. Plain JavaScript can pass others, which must not be ignored silently.
 * @param names the known fields
 * @param path the position of the object, for errors; empty for an argument
 * @throws ContextError that names the first unknown field whose value is not undefined
 */
export function checkKnown<T extends object>(given: T, names: readonly (keyof T & string)[], path = ''): T {
  if (!isRecord(given)) throw invalid(`${path || 'the options'} must be an object`, path || null);
  const known: readonly string[] = names;
  const strange = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
  if (strange === undefined) return given;
  const place = path === '' ? strange : `${path}.${strange}`;
  throw invalid(`${place} is unknown; valid are ${names.join(', ')}`, place);
}
