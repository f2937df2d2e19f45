/** Statements whose text does not depend on their values. */
import { Sql } from 'sql-template-tag';

class Place {
  constructor(readonly index: number) {}
}

/**
 * A statement whose text is made at its first use: later ones replace only the values.
 * @param make puts its arguments into the statement and does not read them
 */
export function statementTemplate<Values extends readonly unknown[]>(
  make: (...places: Values) => Sql,
): (...values: Values) => Sql {
  let template: Sql | undefined;
  return (...values) => {
    template ??= make(...(Array.from(values, (_, index) => new Place(index)) as unknown as Values));
    const filled = new Sql(template.strings, template.values);
    for (const [n, value] of filled.values.entries())
      if (value instanceof Place) filled.values[n] = values[value.index];
    return filled;
  };
}
