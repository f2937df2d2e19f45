import { tool } from 'ai';
import { z } from 'zod';

export const tools = {
  weather: tool({
    description: 'Returns the weather in a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `It is clear in ${city}, at 21 °C.`,
  }),
  book: tool({
    description: 'Books a table for two',
    inputSchema: z.object({ city: z.string() }),
    // The answer waits until the user approves or declines in a page.
    needsApproval: true,
    execute: async ({ city }) => `A table for two is booked in ${city}.`,
  }),
};
