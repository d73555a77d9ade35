/** Where the commands of `talaria verify` leave their marks, in the workspace of each of its conversations. */
const file = "verify-marks";
const inTicks = /`([^`\n]{1,200})`/g;
const marked = /^echo m(\d{1,4}) began /;

/** Marks in the file that it has begun and that it ends, and says the latter. */
export function markingCommand(number: number): string {
  return `echo m${number} began >> ${file} && sleep 0.5 && echo m${number} ended | tee -a ${file}`;
}

export const showingCommand = `cat ${file}`;

/** Commands of the self-test in a text, to the letter, and no others. */
export function selfTestCommands(text: string): readonly string[] {
  return [...text.matchAll(inTicks)].map(([, command = ""]) => command).filter(isOurs);
}

function isOurs(command: string): boolean {
  return command === showingCommand || command === markingCommand(Number(marked.exec(command)?.[1]));
}
