/**
 * The one gate that everything an adapter reports of money passes. A movement or trade that cannot
 * be stored is set aside, and the others pass. A report on something that we sent is never left
 * out: what cannot be stored of it makes the outcome unknown.
 */
import { refuse } from '../../core/errors.ts'
import type {
  Allowlist,
  Lookup,
  OrderReport,
  Outcome,
  RereadRecord,
  SetAsideRecord,
  Trading,
  TransferReport,
  Transfers,
  Venue,
} from '../contract.ts'
import {
  objectionToFill,
  objectionToIncoming,
  objectionToOutgoing,
  objectionToReport,
  objectionToTrade,
} from './checks.ts'
import { movementIn, setAsideMovement, setAsideTrade } from './records.ts'
import { LONGEST_REFERENCE, objectionToText, shortText } from './texts.ts'

/** The same adapter behind the gate. */
export function withGate(adapter: Venue): Venue {
  const { transfers, allowlist, trading } = adapter
  return {
    ...adapter,
    ...(transfers === undefined ? {} : { transfers: gatedTransfers(transfers) }),
    ...(allowlist === undefined ? {} : { allowlist: gatedAllowlist(allowlist) }),
    ...(trading === undefined ? {} : { trading: gatedTrading(trading) }),
  }
}

function gatedTransfers(transfers: Transfers): Transfers {
  const { outgoing } = transfers
  return {
    ...transfers,
    send: async (order) => knownOutcome(await transfers.send(order), objectionToReport),
    find: async (lookup) => knownLookup(await transfers.find(lookup), objectionToReport),
    incoming: async (...asked) =>
      sort(await transfers.incoming(...asked), objectionToIncoming, (movement, objection) =>
        setAsideMovement('IN', movement, objection),
      ),
    ...(outgoing === undefined
      ? {}
      : {
          outgoing: async (...asked) =>
            sort(await outgoing(...asked), objectionToOutgoing, (movement, objection) =>
              setAsideMovement('OUT', movement, objection),
            ),
        }),
    reread: (record) => rereadRecord(transfers, record),
  }
}

function gatedAllowlist(allowlist: Allowlist): Allowlist {
  return {
    collect: async (order) =>
      knownAnswer(await allowlist.collect(order), ({ collection }) =>
        ofField('collection', objectionToText(collection)),
      ),
    allow: async (order) =>
      knownAnswer(await allowlist.allow(order), ({ transfer: { from, to } }) =>
        [...Object.entries(from), ...Object.entries(to)]
          .map(([field, text]) => ofField(field, objectionToText(text)))
          .find((objection) => objection !== undefined),
      ),
    state: (order) => allowlist.state(order),
  }
}

const ofField = (field: string, objection: string | undefined): string | undefined =>
  objection === undefined ? undefined : `${field} ${objection}`

function gatedTrading(trading: Trading): Trading {
  const { trades: read } = trading
  return {
    ...trading,
    send: async (order) => knownOutcome(await trading.send(order), objectionToOrder),
    find: async (lookup) => knownLookup(await trading.find(lookup), objectionToOrder),
    cancel: async (lookup) => knownOutcome(await trading.cancel(lookup), objectionToOrder),
    ...(read === undefined
      ? {}
      : {
          trades: async (...asked) => {
            const { trades, ...reading } = await read(...asked)
            const sorted = { ...reading, movements: trades }
            const { movements, ...rest } = sort(sorted, objectionToTrade, setAsideTrade)
            return { ...rest, trades: movements }
          },
        }),
  }
}

type Reading<Movement> = {
  movements: Movement[]
  set_aside?: SetAsideRecord[]
  cursor: string | null
}

/** Takes out what cannot be stored, and adds it to what the adapter has set aside itself. */
function sort<Movement>(
  reading: Reading<Movement>,
  objectionTo: (movement: Movement) => string | undefined,
  setAside: (movement: Movement, objection: string) => SetAsideRecord,
): Required<Reading<Movement>> {
  const movements: Movement[] = []
  const set_aside = [...(reading.set_aside ?? [])]
  for (const movement of reading.movements) {
    const objection = objectionTo(movement)
    if (objection === undefined) movements.push(movement)
    else set_aside.push(setAside(movement, objection))
  }
  return { ...reading, movements, set_aside }
}

/** Without a reader of its own for one record, an adapter can only report the record again. */
async function rereadRecord(
  { reread }: Transfers,
  record: Pick<SetAsideRecord, 'foreign_id' | 'raw'>,
): Promise<RereadRecord> {
  const answer = movementIn(record.raw) ?? (await reread?.(record))
  if (answer === undefined)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'set_aside_item_id',
      "the venue's adapter cannot read one record alone; the item is resolved when the venue " +
        'reports the record again in a form that is understood',
    )
  if ('still' in answer) return answer
  const objection = [
    ...answer.incoming.map(objectionToIncoming),
    ...answer.outgoing.map(objectionToOutgoing),
  ].find((found) => found !== undefined)
  return objection === undefined ? answer : { still: objection }
}

const objectionToOrder = ({ foreign_id, fills }: OrderReport): string | undefined => {
  const objection = objectionToText(foreign_id)
  if (objection !== undefined) return `foreign id ${objection}`
  return fills.map(objectionToFill).find((found) => found !== undefined)
}

function knownOutcome<Report extends TransferReport | OrderReport>(
  outcome: Outcome<Report>,
  objectionTo: (report: Report) => string | undefined,
): Outcome<Report> {
  const known = knownAnswer(outcome, objectionTo)
  return known.outcome === 'accepted' ? { ...known, report: withShortWords(known.report) } : known
}

/** Free words are made storable; what else cannot be stored means that the outcome is unknown. */
function knownAnswer<Report>(
  outcome: Outcome<Report>,
  objectionTo: (report: Report) => string | undefined,
): Outcome<Report> {
  if (outcome.outcome === 'unknown') return { ...outcome, ...shortReason(outcome) }
  if (outcome.outcome === 'refused') {
    const native = outcome.native === null ? null : shortText(outcome.native, LONGEST_REFERENCE)
    return { ...outcome, ...shortReason(outcome), native }
  }
  const objection = objectionTo(outcome.report)
  return objection === undefined ? outcome : { outcome: 'unknown', reason: unstorable(objection) }
}

function knownLookup<Report extends TransferReport | OrderReport>(
  lookup: Lookup<Report>,
  objectionTo: (report: Report) => string | undefined,
): Lookup<Report> {
  if (lookup.lookup === 'absent') return lookup
  if (lookup.lookup === 'unknown') return { ...lookup, ...shortReason(lookup) }
  const objection = objectionTo(lookup.report)
  return objection === undefined
    ? { ...lookup, report: withShortWords(lookup.report) }
    : { lookup: 'unknown', reason: unstorable(objection) }
}

const unstorable = (objection: string): string =>
  `the venue's report cannot be stored: its ${objection}`

const shortReason = <Reason extends string | null>({ reason }: { reason: Reason }) => ({
  reason: (reason === null ? null : shortText(reason, LONGEST_REFERENCE)) as Reason,
})

function withShortWords<Report extends TransferReport | OrderReport>(report: Report): Report {
  const words = 'sub_state' in report ? { sub_state: shortText(report.sub_state) } : {}
  return { ...report, ...shortReason(report), ...words }
}
