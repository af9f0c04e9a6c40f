/** Commands beside the operations: short names, and those that are more than one request. */

export const SHORTCUTS: Readonly<
  Record<string, { group: string; verb: string; usage: string; summary: string }>
> = {
  whoami: { group: 'authentication', verb: 'get-caller', usage: '', summary: 'Who calls' },
  search: {
    group: 'overview',
    verb: 'search',
    usage: 'WORDS',
    summary: 'Find records by any of their identifiers',
  },
  timeline: {
    group: 'overview',
    verb: 'get-timeline',
    usage: 'KIND ID',
    summary: 'What happened to a record, and why',
  },
}

export const SPECIAL: Readonly<Record<string, string>> = {
  login: 'Log in, or store an API key (--key-file, KONTOR_API_KEY)',
  logout: 'End the session and forget it',
  'events --follow': 'What happens, as it happens',
  mcp: 'Let an assistant look things up (Model Context Protocol)',
  'help, version': 'This, and the version',
  'payouts import': 'Pay what a CSV file lists, each line once',
  'check-proof': 'Check that a balance is counted in a proof, without Kontor',
}

/** Where the rows are within the one record of an answer, and which of their columns count. */
export const TABLES: Readonly<Record<string, { rows: string; shown: readonly string[] }>> = {
  getTimeline: { rows: 'steps', shown: ['at', 'title', 'by_name', 'reason'] },
}
