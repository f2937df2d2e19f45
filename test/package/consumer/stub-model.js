/**
 * @typedef {object} Call
 * @property {string} system
 * @property {unknown[]} messages
 * @property {number} [temperature]
 */

/**
 * A model that returns prepared answers in order, and records its calls.
 * @param {string[]} answers
 */
export function stubModel(answers) {
  /** @type {Call[]} */
  const calls = [];
  return {
    calls,
    /** @param {Call} call */
    async generate(call) {
      const text = answers[calls.length];
      if (text === undefined) throw new Error('The model has no more answers');
      calls.push(call);
      return { text };
    },
  };
}
