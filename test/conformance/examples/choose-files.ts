/** Files in the chat examples. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PNG } from '../../features/files/file-server.js';

/** Chooses files: images, except names that end with .txt. */
export async function chooseFiles(page: Page, names: readonly string[]): Promise<void> {
  await page.getByLabel('Files', { exact: true }).setInputFiles(
    names.map((name) => {
      const isText = name.endsWith('.txt');
      return { name, mimeType: isText ? 'text/plain' : 'image/png', buffer: isText ? Buffer.from(name) : PNG };
    }),
  );
}

/** Waits for the images of a line to load. @returns the names of its images, then of its links */
export async function shownFiles(line: Locator): Promise<(string | null)[]> {
  const image = line.locator('img');
  await image.first().waitFor();
  await expect
    .poll(() => image.first().evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth))
    .toBeGreaterThan(0);
  return [await image.first().getAttribute('alt'), ...(await line.getByRole('link').allInnerTexts())];
}
