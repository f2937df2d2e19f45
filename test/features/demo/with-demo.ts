/** The option of a server whose new database has the demo: tests with it need the feature. */
export const WITH_DEMO = { demo: true } as const;
