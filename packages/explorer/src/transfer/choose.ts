/** The file inputs of `Import`. */
export const FILES_ID = 'import-files';
export const FOLDER_ID = 'import-folder';

/** Opens the dialog of the browser for files to import. */
export function chooseImport(): void {
  document.getElementById(FILES_ID)?.click();
}

/** Opens the dialog of the browser for a folder to import. */
export function chooseFolder(): void {
  document.getElementById(FOLDER_ID)?.click();
}

/** The files of one choice or drop. */
export type Batch = readonly (File | FileSystemEntry)[];
