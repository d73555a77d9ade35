/** What a file system says that has no room left, or none for this account. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

/** In place of an error that says nothing of where it was. Any other error stays what it is. */
export function explainFullDisk(error: unknown, folder: string): unknown {
  if (!isFullDisk(error)) return error;
  return new Error(`the disk that holds ${folder} is full, and nothing was written: free space there, then try again`, {
    cause: error,
  });
}
