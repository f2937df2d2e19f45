/** Whether two objects or lists have the same values under the same keys. */
export function isSame<Value extends object>(before: Value, now: Value): boolean {
  if (before === now) return true;
  const keys = Object.keys(now) as (keyof Value)[];
  return keys.length === Object.keys(before).length && keys.every((key) => before[key] === now[key]);
}
