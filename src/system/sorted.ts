/**
 * Searches a sorted list by halves.
 * @param accepts whether the item at an index is accepted; then all after it must be, too
 * @returns the index of the first accepted item; the length when there is none
 */
export function firstIndex(length: number, accepts: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (accepts(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
