/** Where a command reads and writes; tests bring their own. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  /** Text as it is. Waits while the reader is slow. */
  write(text: string): Promise<void>
  /** Lines; the last is ended. */
  print(line: string): Promise<void>
  /** For people, beside the answer. */
  note(text: string): void
  /** All that comes in. */
  input(): Promise<string>
  /** What comes in, line by line, until it ends. */
  lines(): AsyncIterable<string>
  /** Asks a person, without showing what is typed when it is secret. */
  ask(question: string, secret?: boolean): Promise<string>
  columns: number
  /** Aborted when the person ends the command. */
  leaving: AbortSignal
}
