/** The texts of a printed thread. */
export const printWords = {
  missing: (count: number, most: number): string =>
    `${count.toLocaleString('en')} earlier ${count === 1 ? 'message is' : 'messages are'} missing here. ` +
    `“Print” in the menu of the page prints up to ${most.toLocaleString('en')} messages.`,
  newer: 'Later messages of the thread are missing here.',
} as const;
