// The page's own server forwards requests to Parley, so that Parley need not allow another origin.
const target = process.env.PARLEY_URL ?? 'http://127.0.0.1:4000';

export default {
  server: { proxy: { '/graphql': { target, ws: true }, '/files': target } },
};
