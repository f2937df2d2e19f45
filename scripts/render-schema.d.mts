export const PROVIDERS: readonly ['sqlite', 'postgresql', 'sqlserver'];
export function renderSchema(source: string, provider: (typeof PROVIDERS)[number]): string;
