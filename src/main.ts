/** `node dist/main.js` is `parley start`. */
process.argv.splice(2, 0, 'start');
await import('./cli/parley.js');
