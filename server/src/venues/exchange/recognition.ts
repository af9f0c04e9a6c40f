/**
 * Withdrawals at an exchange that keeps no reference of ours: what may have been sent is recognised
 * by its content and time among the withdrawals that no other of ours claims. When in doubt nobody
 * knows, and nothing is sent again.
 */
import type { Lookup, TransferLookup, TransferReport } from '../contract.ts'
import { isUnreachable } from '../time-limit.ts'

/** The exchange's clock may be behind ours by at most this. */
export const SKEW_MILLISECONDS = 120_000
/**
 * Unclaimed withdrawals with the same content within this time before ours make the answer
 * `unknown` instead of `absent`.
 */
export const AMBIGUOUS_MILLISECONDS = 86_400_000

/**
 * One withdrawal that the exchange lists; `alike` when destination and quantity are those that are
 * looked for.
 */
type Candidate = { foreign_id: string; at: number; alike: boolean; report(): TransferReport }

/** `unread`: how many of the list cannot be read; any of them may be the one that is looked for. */
type Listed = { candidates: readonly Candidate[]; unread: number }

/**
 * `read` answers undefined for what is none; what it cannot read, it throws as unreachable. A list
 * that grows between two pages shows a withdrawal twice: it is one.
 */
export function readCandidates<Row>(
  listed: readonly Row[],
  read: (row: Row) => Candidate | undefined,
): Listed {
  const candidates = new Map<string, Candidate>()
  let unread = 0
  for (const row of listed) {
    try {
      const candidate = read(row)
      if (candidate !== undefined) candidates.set(candidate.foreign_id, candidate)
    } catch (error) {
      if (!isUnreachable(error)) throw error
      unread += 1
    }
  }
  return { candidates: [...candidates.values()], unread }
}

type Exchange = {
  name: string
  /** From when on ours can be. */
  since: number
  /** When the list was asked for. */
  asked_at: number
  /** How long after the sending the exchange must have listed it, in milliseconds. */
  absentAfter: number
}

/** When it can have been sent last. */
export const lastSending = ({ submitted_at, sent_until = 0 }: TransferLookup): number =>
  Math.max(submitted_at, sent_until)

export function recognise(
  lookup: TransferLookup,
  { candidates, unread }: Listed,
  { name, since, asked_at, absentAfter }: Exchange,
): Lookup<TransferReport> {
  if (lookup.foreign_id !== null) {
    const known = candidates.find((candidate) => candidate.foreign_id === lookup.foreign_id)
    if (known === undefined)
      return { lookup: 'unknown', reason: `${name} does not list ${lookup.foreign_id}` }
    return { lookup: 'found', report: known.report() }
  }
  if (unread > 0)
    return { lookup: 'unknown', reason: `${name} lists a withdrawal that cannot be read` }
  const alike = candidates.filter(
    (candidate) => candidate.alike && !lookup.claimed.includes(candidate.foreign_id),
  )
  const ours = alike.filter((candidate) => candidate.at >= since)
  const [only] = ours
  if (ours.length > 1)
    return {
      lookup: 'unknown',
      reason: `${name} lists ${ours.length} withdrawals that look like this one`,
    }
  if (only !== undefined) return { lookup: 'found', report: only.report() }
  if (alike.length > 0)
    return {
      lookup: 'unknown',
      reason: `${name} lists an earlier withdrawal that looks like this one and belongs to nobody`,
    }
  if (asked_at - lastSending(lookup) < absentAfter)
    return { lookup: 'unknown', reason: 'too early to say' }
  return { lookup: 'absent' }
}
