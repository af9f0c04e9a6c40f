/** Movements reported once per change, from lists that can only be read again by time. */
import { format } from '../../core/decimal.ts'
import type { Outgoing, SetAsideRecord, TransferReport } from '../contract.ts'

/** Movements stay in view for this long after they were seen final, for returns. */
const OVERLAP_MILLISECONDS = 86_400_000
const LIVE: ReadonlySet<string> = new Set(['PENDING', 'PENDING_REVIEW', 'UNKNOWN'])

/**
 * Where to continue: the window to read again, and what was last reported of each movement in it.
 */
type Cursor = {
  since: number | null
  newest: number
  seen: Record<string, string>
  /** Something was under way. */
  live?: true
  /** Nothing from before it is ever read. */
  from?: number
}

/** What a list holds, and the rows of it that could not be read. */
type ReadRows<Movement> = { movements: Movement[]; set_aside: SetAsideRecord[] }

/**
 * `read` lists what came at or after `since` (null: all there is), newest first; a movement is
 * reported again when its `word` is another.
 */
export async function readChangesSince<
  Movement extends { foreign_id: string; state: string; occurred_at: number },
>(
  cursor: string | null,
  read: (since: number | null) => Promise<ReadRows<Movement>>,
  word: (movement: Movement) => string,
): Promise<ReadRows<Movement> & { cursor: string | null }> {
  const known: Cursor =
    cursor === null ? { since: null, newest: 0, seen: {} } : (JSON.parse(cursor) as Cursor)
  const before: Cursor['seen'] = known.seen
  const { movements: all, set_aside } = await read(known.since)
  const seen: Cursor['seen'] = {}
  const movements: Movement[] = []
  for (const movement of all) {
    if (seen[movement.foreign_id] !== undefined) continue
    seen[movement.foreign_id] = word(movement)
    if (before[movement.foreign_id] !== word(movement)) movements.push(movement)
  }
  const newest = Math.max(known.newest, ...all.map((movement) => movement.occurred_at))
  const open = all
    .filter((movement) => LIVE.has(movement.state))
    .map((movement) => movement.occurred_at)
  const { from } = known
  const since = Math.max(Math.min(newest, ...open) - OVERLAP_MILLISECONDS, from ?? -Infinity)
  const next: Cursor = {
    since,
    newest,
    seen,
    ...(open.length > 0 ? { live: true } : {}),
    ...(from === undefined ? {} : { from }),
  }
  return {
    movements: movements.toReversed(),
    set_aside,
    cursor: newest === 0 ? cursor : JSON.stringify(next),
  }
}

/** Of a list that could not be read until now: what came before it is in the balance already. */
export const cursorFrom = (from: number): string =>
  JSON.stringify({ since: from, newest: from, seen: {}, from } satisfies Cursor)

/** Whether something was under way when the list was last read. */
export const isLive = (cursor: string | null): boolean =>
  cursor !== null && (JSON.parse(cursor) as Cursor).live === true

/**
 * What a report says of a withdrawal, ours or not: an exchange has one pot and keeps neither
 * reference nor text.
 */
export function outgoingFields({
  foreign_id,
  state,
  sub_state,
  fee,
  fee_asset,
  transaction_hash,
}: TransferReport): Omit<
  Outgoing,
  'asset' | 'protocol' | 'quantity' | 'destination_address' | 'tag' | 'occurred_at'
> {
  return {
    kind: 'TRANSFER',
    foreign_id,
    external_id: null,
    state,
    sub_state,
    left: state !== 'FAILED' && state !== 'CANCELED',
    wallet: null,
    fee,
    fee_asset,
    transaction_hash,
    reference_text: null,
    recipient_name: null,
  }
}

/**
 * A withdrawal is reported again when its state changes, or its transaction or fee is known.
 */
export function outgoingWord({ sub_state, transaction_hash, fee }: Outgoing): string {
  return `${sub_state} ${transaction_hash ?? ''} ${fee === null ? '' : format(fee)}`
}
