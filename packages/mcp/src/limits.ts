/** Of one message of a server, whichever way it comes. */
export const mostMessageBytes = 8 * 1024 * 1024;

export const tooLargeText = `it sent a message of more than ${mostMessageBytes / 1024 / 1024} MiB`;
