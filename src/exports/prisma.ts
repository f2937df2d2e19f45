/** The package's entry `parley/prisma`: Prisma's client for the database, read-only, for reports and other queries. */
export { prismaClient } from '../prisma/prisma-client.js';
export type { PrismaReader, PrismaReads, TransactionOptions } from '../prisma/prisma-reader.js';
