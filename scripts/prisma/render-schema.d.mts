export const PROVIDERS: readonly ['sqlite', 'postgresql', 'sqlserver'];
export function writeSchema(provider: (typeof PROVIDERS)[number]): string;
export function writeColumns(path: string): string;
export function renderColumns(source: string): string;
export function renderSchema(source: string, provider: (typeof PROVIDERS)[number]): string;
