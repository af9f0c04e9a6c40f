/**
 * The independent checker: it compares what was acknowledged with the API of the service and with
 * the sandbox's own books, and knows nothing of the service's tables.
 */
import { decimal, format } from '../../../server/src/core/decimal.ts'
import type { Ground } from '../faults/furniture.ts'
import type { VenueKey } from '../faults/world-configuration.ts'
import { balancesWrong } from './checker-of-money.ts'
import { compare } from './evidence.ts'
import type { Evidence } from './evidence.ts'
import type { Deposit, Withdrawal } from './inside.ts'
import { tradeText } from './outside.ts'

const ENDED = ['SUCCESS', 'REJECTED', 'FAILED', 'CANCELED']
const ENDED_EXECUTIONS = ['DONE', 'CANCELED', 'EXPIRED', 'FAILED', 'REJECTED']

/** Everything that is not as it must be when nothing is under way; nothing when all is. */
export function wrongIn(evidence: Evidence): string[] {
  return [
    ...evidence.journal.wrong,
    ...acknowledgedWrong(evidence),
    ...withdrawalsWrong(evidence),
    ...depositsWrong(evidence),
    ...executionsWrong(evidence),
    ...tradesWrong(evidence),
    ...creationsWrong(evidence),
    ...evidence.inside.setAside.map(({ id, reason }) => `record ${id} was set aside: ${reason}`),
    ...balancesWrong(evidence),
  ]
}

/** Each thing that was acknowledged is there once, and nothing is there that was not. */
function acknowledgedWrong({ journal, before, inside }: Evidence): string[] {
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  const old = new Set(idsOf([...before.inside.bookings, ...before.inside.jobs]))
  const newOf = (rows: readonly { id: string }[]) => idsOf(rows).filter((id) => !old.has(id))
  return [
    ...compare('manual booking', idsOf(journal.bookings), newOf(inside.bookings)),
    ...compare('transfer job', [...journal.jobs], newOf(inside.jobs)),
    ...compare('book transfer', idsOf(journal.bookTransfers), idsOf(inside.bookTransfers)),
    ...compare('execution', [...journal.executions], idsOf(inside.executions)),
    ...inside.bookTransfers.flatMap(({ id, state }) =>
      state === 'DONE' ? [] : [`book transfer ${id} is ${state}`],
    ),
  ]
}

/** What is SUCCESS has left once, and nothing else has left. */
function withdrawalsWrong(evidence: Evidence): string[] {
  const { journal, inside, outside } = evidence
  const shares = Map.groupBy(journal.payments, ({ id }) => id)
  const rows = new Map(inside.withdrawals.map((row) => [row.id, row]))
  const lost = [...shares].flatMap(([id, all]) => {
    const row = rows.get(id)
    if (row === undefined) return [`withdrawal ${id} was acknowledged and is not there`]
    const sum = all.reduce((total, { quantity }) => total + decimal(quantity), 0n)
    return sum === decimal(row.quantity)
      ? []
      : [`withdrawal ${id} has ${row.quantity}, asked for were ${format(sum)}`]
  })
  const unknown = inside.withdrawals.flatMap((row) => {
    const isKnown = shares.has(row.id) || (row.job_id !== null && journal.jobs.has(row.job_id))
    return isKnown ? [] : [`withdrawal ${row.id} (${row.origin}) was asked for by nobody`]
  })
  const open = inside.withdrawals.flatMap((row) =>
    ENDED.includes(row.state) ? [] : [`withdrawal ${row.id} is ${row.state} (${row.reason})`],
  )
  const done = inside.withdrawals.filter(({ state }) => state === 'SUCCESS')
  const jobs = Map.groupBy(
    inside.withdrawals.filter(({ job_id }) => job_id !== null),
    ({ job_id }) => job_id,
  )
  return [
    ...lost,
    ...unknown,
    ...open,
    ...[...jobs].flatMap(([id, made]) =>
      made.length === 1 ? [] : [`job ${id} moved money ${made.length} times in one run`],
    ),
    ...compare(
      'left its venue, as SUCCESS says',
      done.map((row) => sentText(evidence, row)),
      outside.sent.map(({ venue, by }) => `${venue} ${by}`),
    ),
  ]
}

function sentText({ ground }: Evidence, row: Withdrawal): string {
  const venue = venueOf(ground, row.venue_id)
  if (venue === 'bank') return `bank ${row.id.replaceAll('-', '')}`
  const isReferred = venue === 'fireblocks' || venue === 'managed'
  return `${venue} ${isReferred ? row.external_id : format(decimal(row.quantity))}`
}

const venueOf = ({ venues }: Ground, id: string): VenueKey | undefined =>
  (Object.keys(venues) as VenueKey[]).find((venue) => venues[venue] === id)

/** What was sent in is there once; an own transfer arrives once; what came back is there once. */
function depositsWrong({ journal, ground, inside, outside }: Evidence): string[] {
  const text = (venue: string | undefined, asset: string, quantity: string) =>
    `${venue} ${format(decimal(quantity))} ${asset}`
  const alone = inside.deposits.filter((row) => row.related_withdrawal_id === null)
  const related = Map.groupBy(
    inside.deposits.filter((row) => row.related_withdrawal_id !== null),
    (row) => row.related_withdrawal_id,
  )
  const own = new Set(
    journal.payments.filter((share) => share.account_id === null).map(({ id }) => id),
  )
  const arriving = inside.withdrawals.filter(
    (row) => row.state === 'SUCCESS' && (own.has(row.id) || row.job_id !== null),
  )
  const back = outside.returned
  const compact = (id: string) => id.replaceAll('-', '')
  return [
    ...inside.deposits.flatMap((row) => unended(row)),
    ...compare(
      'sent in',
      journal.arrivals.map((row) => text(row.venue, row.asset, row.quantity)),
      alone.map((row) => text(venueOf(ground, row.venue_id), row.asset, row.quantity)),
    ),
    ...compare(
      'own transfer or return',
      [...arriving.map(({ id }) => compact(id)), ...back],
      [...related].flatMap(([id, rows]) => rows.map(() => compact(id ?? ''))),
    ),
  ]
}

const unended = (row: Deposit): string[] =>
  row.state === 'SUCCESSFUL' ? [] : [`deposit ${row.id} is ${row.state} (${row.reason})`]

/** An execution has ended, and has what its fills have. */
function executionsWrong({ inside }: Evidence): string[] {
  const fills = Map.groupBy(inside.fills, ({ execution_id }) => execution_id)
  return inside.executions.flatMap((row) => {
    if (!ENDED_EXECUTIONS.includes(row.state))
      return [`execution ${row.id} is ${row.state} (${row.reason_code})`]
    const traded = (fills.get(row.id) ?? [])
      .filter((fill) => !fill.busted && fill.base_asset === row.base_asset)
      .reduce((sum, fill) => sum + decimal(fill.quantity), 0n)
    const theirs = row.customers.reduce((sum, share) => sum + decimal(share.filled_amount), 0n)
    const amount = decimal(row.filled_amount)
    return traded === amount && theirs === amount
      ? []
      : [
          `execution ${row.id} has ${row.filled_amount}, its fills ${format(traded)}, its ` +
            `customers ${format(theirs)}`,
        ]
  })
}

/** Each order is at its exchange once at most and does not rest; each trade is booked once. */
function tradesWrong({ ground, inside, outside }: Evidence): string[] {
  return [
    ...outside.orders.flatMap(({ venue, reference, count, open }) => [
      ...(count > 1 ? [`order ${reference} is ${count} times at ${venue}`] : []),
      ...(open > 0 ? [`order ${reference} still rests at ${venue}`] : []),
    ]),
    ...inside.fills.flatMap(({ execution_id, venue_id }) =>
      execution_id === null ? [`a trade at ${venueOf(ground, venue_id)} is of no execution`] : [],
    ),
    ...compare(
      'traded',
      outside.traded.map(({ venue, text }) => `${venue} ${text}`),
      inside.fills.map(
        ({ venue_id, quantity, volume, busted }) =>
          `${venueOf(ground, venue_id)} ${tradeText(quantity, volume, busted)}`,
      ),
    ),
  ]
}

function creationsWrong({ journal, inside, outside }: Evidence): string[] {
  return journal.creations.flatMap(({ id, label, venue }) => {
    const state = inside.wallets.find((wallet) => wallet.id === id)?.state
    if (state !== 'ACTIVE' && state !== 'FAILED') return [`wallet ${id} is ${state}`]
    const made = outside.made.get(venue === 'managed' ? label : id) ?? 0
    const right = state === 'ACTIVE' ? 1 : 0
    return made === right ? [] : [`wallet ${id} is ${state} and was made ${made} times`]
  })
}
