/** What a bank's messages leave to a person, as records that the contract sets aside. */
import { ZERO } from '../../core/decimal.ts'
import type { RereadRecord, SetAsideLikeness, SetAsideRecord } from '../contract.ts'
import type { BankAccount } from './config.ts'
import { millisecondsOf, type BankTime } from './elements.ts'
import type { Entries } from './entries.ts'
import type { AsideFile, Inbox } from './inbox.ts'
import { incomingIn, outgoingIn } from './movements.ts'
import { fromMessageId } from './reference.ts'
import type { WaitingRecord } from './waiting-records.ts'

/** What a record shows of a very long text; all of it is in the file. */
const MAXIMUM_EXCERPT = 20_000

export async function setAsideRecord(
  inbox: Inbox,
  { id, direction, reason, at, file, from, to, ...record }: WaitingRecord,
): Promise<SetAsideRecord> {
  const xml = await inbox.excerpt(file, from, Math.min(to, from + MAXIMUM_EXCERPT))
  return {
    foreign_id: id,
    direction: directionOf(direction),
    reason,
    raw: JSON.stringify({ file, from, xml }),
    occurred_at: at === null ? null : millisecondsOf(at),
    ...(at === null ? {} : { like: likenessOf(at, record) }),
  }
}

/** An amount of 0 was not understood. */
function likenessOf(
  { date: day }: BankTime,
  { quantity, references }: Pick<WaitingRecord, 'quantity' | 'references'>,
): SetAsideLikeness {
  const names = references.flatMap((name) => [name, fromMessageId(name) ?? name])
  return { day, quantity: quantity === ZERO ? null : quantity, names: [...new Set(names)] }
}

function directionOf(direction: WaitingRecord['direction']): SetAsideRecord['direction'] {
  if (direction === null) return null
  return direction === 'CRDT' ? 'IN' : 'OUT'
}

const idOfFile = (name: string) => `file-${name}`

export async function asideRecord(inbox: Inbox, file: AsideFile): Promise<SetAsideRecord> {
  const xml = await inbox.excerpt(file.name, 0, MAXIMUM_EXCERPT).catch(() => null)
  return {
    foreign_id: idOfFile(file.name),
    direction: null,
    reason: `the file cannot be read: ${file.reason}`,
    raw: JSON.stringify({ file: file.name, xml }),
    occurred_at: null,
  }
}

type Bank = {
  account: BankAccount
  inbox: Inbox
  entriesOf(files: Awaited<ReturnType<Inbox['files']>>): Promise<Entries>
}

/**
 * Looks for the record where it stood. It may be understood by now: the program is another one,
 * other messages explain it, or the profile was changed. Without its file it cannot be judged. Of a
 * file that was taken back, the cursor has the name: what waits in it is told here or never.
 */
export async function rereadRecord(
  bank: Bank,
  { foreign_id, raw }: Pick<SetAsideRecord, 'foreign_id' | 'raw'>,
): Promise<RereadRecord> {
  const { account, inbox, entriesOf } = bank
  const place = placeIn(raw)
  if (place === undefined) return { still: 'this is no record of a message of the bank' }
  const isFile = foreign_id === idOfFile(place.file)
  if (isFile) {
    const aside = (await inbox.aside()).some(({ name }) => name === place.file)
    const taken = aside ? await inbox.takeBack(place.file) : 'taken'
    if (taken !== 'taken') return { still: `the file cannot be read: ${taken.reason}` }
  }
  const files = await inbox.files()
  const entries = await entriesOf(files)
  const waiting = entries.records.find(({ id }) => id === foreign_id)
  if (waiting !== undefined) return { still: waiting.reason }
  if (!files.some(({ name }) => name === place.file))
    return { still: `the file ${place.file} is not in the inbox any more` }
  const fresh = entries.standingAt(place.file, place.from ?? null)
  const found = { entries, fresh }
  const movements = {
    incoming: incomingIn(account, found),
    outgoing: outgoingIn(account, found),
  }
  if (!isFile) return movements
  const inside = entries.records.filter((record) => record.since.includes(place.file))
  const set_aside = await Promise.all(inside.map((record) => setAsideRecord(inbox, record)))
  return { ...movements, set_aside }
}

/** Undefined when the record is none of ours. */
function placeIn(raw: string): { file: string; from?: number } | undefined {
  try {
    const place: unknown = JSON.parse(raw)
    if (typeof place !== 'object' || place === null) return undefined
    if (!('file' in place) || typeof place.file !== 'string') return undefined
    return 'from' in place && typeof place.from === 'number'
      ? { file: place.file, from: place.from }
      : { file: place.file }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
