/** Statements whose text does not depend on their values. */
import { Sql } from 'sql-template-tag';

/** Keys of a list up to which its statements are kept: most lists have one. */
const MAX_KEYS = 4;

/** Stands for an argument, or for an element of one that is a list. */
class Placeholder {
  constructor(
    readonly argument: number,
    readonly element?: number,
  ) {}

  /** In a parameter that is JSON. */
  toJSON(): string {
    return `@place ${this.argument} ${this.element ?? ''}`;
  }
}

const JSON_PLACE = /"@place (\d+) (\d*)"/g;

/**
 * A statement whose text is made at its first use, for each length of lists: later ones replace only the values.
 * @param make puts texts, numbers and lists of texts into the statement and does not read them; null can change the text
 */
export function statementTemplate<Values extends readonly unknown[]>(
  make: (...places: Values) => Sql,
): (...values: Values) => Sql {
  const templates = new Map<string, Sql>();
  return (...values) => {
    let shape = '';
    for (const value of values) {
      if (Array.isArray(value) && value.length > MAX_KEYS) return make(...values);
      shape += Array.isArray(value) ? value.length : value === null ? '-' : '+';
    }
    let template = templates.get(shape);
    if (template === undefined) {
      const places = values.map((value, n): unknown => {
        if (Array.isArray(value)) return value.map((_, element) => new Placeholder(n, element));
        return value === null ? null : new Placeholder(n);
      });
      templates.set(shape, (template = make(...(places as unknown as Values))));
    }
    const filled = new Sql(template.strings, template.values);
    for (const [n, value] of filled.values.entries()) filled.values[n] = valueIn(value, values);
    return filled;
  };
}

/** A parameter with the values in its places. */
function valueIn(parameter: unknown, values: readonly unknown[]): unknown {
  if (parameter instanceof Placeholder) {
    const value = values[parameter.argument];
    return parameter.element === undefined ? value : (value as readonly unknown[])[parameter.element];
  }
  if (Array.isArray(parameter)) return parameter.map((each) => valueIn(each, values));
  if (typeof parameter !== 'string') return parameter;
  return parameter.replace(JSON_PLACE, (_, argument: string, element: string) => {
    const value = values[Number(argument)];
    return JSON.stringify(element === '' ? value : (value as readonly unknown[])[Number(element)]);
  });
}
