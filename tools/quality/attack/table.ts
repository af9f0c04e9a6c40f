/** An attack as a row: what is done, what must be seen, and what was. */
import type { Target } from './target.ts'

/** The limits of what one caller may take up, and the OWASP API Security Top 10 of 2023. */
export const PARTS = {
  BODIES: 'Bodies and connections without a login',
  READS: 'Heavy reads with any login',
  LOGINS: 'Logging in, shut from outside',
  READERS: 'Streams, and readers who stop reading',
  API1: 'API1:2023 Broken Object Level Authorization',
  API2: 'API2:2023 Broken Authentication',
  API3: 'API3:2023 Broken Object Property Level Authorization',
  API4: 'API4:2023 Unrestricted Resource Consumption',
  API5: 'API5:2023 Broken Function Level Authorization',
  API6: 'API6:2023 Unrestricted Access to Sensitive Business Flows',
  API7: 'API7:2023 Server Side Request Forgery',
  API8: 'API8:2023 Security Misconfiguration',
  API9: 'API9:2023 Improper Inventory Management',
  API10: 'API10:2023 Unsafe Consumption of APIs',
} as const

/** `seen` is the figure; `wrong` says what should not have been. */
export type Seen = { seen: string; wrong: readonly string[] }

export type Attack = {
  of: keyof typeof PARTS
  name: string
  /** What is done. */
  does: string
  /** The figure that is wanted. */
  wanted: string
  run(target: Target): Promise<Seen>
}

export type Result = { attack: Attack; ms: number } & Seen

const MAXIMUM_SHOWN = 8

export function lineOf({ attack: { of, name, wanted }, seen, wrong, ms }: Result): string {
  const verdict = wrong.length === 0 ? 'held ' : 'BROKE'
  const lines = wrong.slice(0, MAXIMUM_SHOWN).map((reason) => `        ${reason}`)
  if (wrong.length > MAXIMUM_SHOWN) lines.push(`        and ${wrong.length - MAXIMUM_SHOWN} more`)
  const head = `${verdict} ${of.padEnd(7)} ${name} | wanted ${wanted} | seen ${seen}`
  return [`${head} | ${Math.round(ms / 100) / 10} s`, ...lines].join('\n')
}

/** How many rows of each part held. */
export function summaryOf(results: readonly Result[]): string {
  const byPart = Map.groupBy(results, ({ attack }) => attack.of)
  return [...byPart]
    .map(([of, rows]) => {
      const held = rows.filter(({ wrong }) => wrong.length === 0).length
      return `${PARTS[of]}: ${held} of ${rows.length} held`
    })
    .join('\n')
}
