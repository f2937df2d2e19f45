/** The package's entry `parley/prisma`: Prisma's client for the database, read-only, for reports and other queries. */
export { prismaClient } from '../features/prisma/prisma-client.js';
export type { PrismaReader, PrismaReads, TransactionOptions } from '../features/prisma/prisma-reader.js';
