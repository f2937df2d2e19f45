/** Whether the server gave the name, as to the branches of edits, rewinds and restored checkpoints. */
export const hasAutomaticName = ({ name }: { name: string }): boolean => /-v\d+$/.test(name);
