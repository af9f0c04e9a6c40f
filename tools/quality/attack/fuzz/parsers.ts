/**
 * What reads texts of others, beside HTTP: with texts that are nearly right. A parser may answer or
 * throw its own error. It may throw no other, and may not take long.
 */
import fc from 'fast-check'
import { drawsOf } from '../../../../server/quality/fuzz/draws.ts'
import type { Draws } from '../../../../server/quality/fuzz/draws.ts'
import { HOSTILE } from '../../../../server/quality/fuzz/hostile.ts'
import { decimal, format, tryDecimal } from '../../../../server/src/core/decimal.ts'
import { ApiError } from '../../../../server/src/core/errors.ts'
import { isId } from '../../../../server/src/core/ids.ts'
import { addressBlockOf, addressesIn } from '../../../../server/src/core/networks.ts'
import { timeOf } from '../../../../server/src/http/times.ts'
import {
  BARE,
  entryXml,
  IBAN,
  notificationXml,
  statementXml,
  statusXml,
} from '../../../../server/src/venues/bank/bank-files.testing.ts'
import { readBankMessage } from '../../../../server/src/venues/bank/messages.ts'
import { decodeXml, UnreadableMessage } from '../../../../server/src/venues/bank/xml.ts'
import { webhookVerifier } from '../../../../server/src/venues/vault/webhook.ts'
import { ODD_FILES } from '../owasp/bank-files.ts'

type Parser = {
  name: string
  /** Nearly right. */
  texts: readonly string[]
  read(text: string): unknown
  /** Its own error. */
  isOwn(error: unknown): boolean
}

/** Of the processor's time. */
const LONGEST_MILLISECONDS = 2_000
const MAXIMUM_EDITS = 4
const MAXIMUM_FAULTS = 10
const SHOWN = 300

const ENTRY = entryXml({ ref: 'R1', sign: 'CRDT', amount: '12.50', at: '2026-11-21', end: BARE })
const MESSAGES = [
  notificationXml(ENTRY),
  notificationXml(`${ENTRY}${ENTRY}`),
  statementXml('12.50', '2026-11-21T23:59:59Z', ENTRY),
  statusXml('ACCP', 'ACCP'),
  statusXml('RJCT', 'RJCT', 'AM04'),
  ...Object.values(ODD_FILES).map(String),
]
const verify = webhookVerifier(undefined)

const never = () => false
const isUnreadable = (error: unknown) => error instanceof UnreadableMessage

const PARSERS: readonly Parser[] = [
  {
    name: 'messages of a bank',
    texts: MESSAGES,
    read: (text) => readBankMessage(text, { number: IBAN, currency: 'EUR' }),
    isOwn: isUnreadable,
  },
  {
    name: 'bytes of a bank',
    texts: MESSAGES,
    read: (text) => {
      const decoded = decodeXml(Buffer.from(text, 'latin1'))
      return readBankMessage(decoded, { number: IBAN, currency: 'EUR' })
    },
    isOwn: isUnreadable,
  },
  {
    name: 'decimals',
    texts: ['1.5', '0.000000000000000001', '99999999999999999999.999999999999999999', '-12.30'],
    read: (text) => {
      const value = tryDecimal(text)
      if (value !== undefined && decimal(format(value)) !== value)
        throw new Error(`${text} is read and written as another number`)
    },
    isOwn: never,
  },
  {
    name: 'times',
    texts: ['2026-11-20T10:00:00.123+01:00', '2026-01-01', '1700000000000', '1700000000'],
    read: (text) => {
      const value = timeOf(text)
      if (value !== undefined && !Number.isSafeInteger(value)) throw new Error(`a time ${value}`)
    },
    isOwn: never,
  },
  {
    name: 'ids',
    texts: ['0193e0a0-0000-7000-8000-000000000000'],
    read: (text) => {
      if (isId(text) && text.length !== 36) throw new Error('an id of another length')
    },
    isOwn: never,
  },
  {
    name: 'addresses',
    texts: ['127.0.0.1', '::ffff:10.0.0.1', 'fe80::1%eth0', '10.0.0.0/8', '2001:db8::/32'],
    read: (text) => {
      addressBlockOf(text)
      addressesIn(text)('10.0.0.1')
    },
    isOwn: (error) => error instanceof Error && !(error instanceof TypeError),
  },
  {
    name: 'messages of a vault',
    texts: ['e30..c2ln', '{"eventType":"transaction.created","data":{}}'],
    read: (text) => verify(Buffer.from(text), { 'fireblocks-webhook-signature': text }),
    isOwn: (error) => error instanceof ApiError,
  },
]

const piece = (draws: Draws): string => {
  const value = draws.draw(HOSTILE)
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Cut, doubled, exchanged, or with something in it that nobody should send. */
function edited(text: string, draws: Draws): string {
  const [a, b] = [draws.below(text.length + 1), draws.below(text.length + 1)].toSorted(
    (x, y) => x - y,
  )
  const [from = 0, to = 0] = [a, b]
  return draws.pick([
    () => text.slice(0, from),
    () => text.slice(0, from) + text.slice(to),
    () => text.slice(0, to) + text.slice(from),
    () => text.slice(0, from) + piece(draws) + text.slice(from),
    () => text.replace(/>[^<]+</, () => `>${piece(draws)}<`),
    () => text.slice(0, from) + String.fromCharCode(draws.below(65_536)) + text.slice(from + 1),
    () => text.replaceAll(text.slice(from, from + 1), draws.draw(fc.string({ maxLength: 2 }))),
  ])()
}

/** Answers what went wrong, with the text that showed it. */
export async function fuzzParsers(count: number, seed: number): Promise<string[]> {
  const draws = drawsOf(seed)
  const faults: string[] = []
  for (let left = count; left > 0 && faults.length < MAXIMUM_FAULTS; left -= 1) {
    const parser = draws.pick(PARSERS)
    let text = draws.pick(parser.texts)
    for (let edits = draws.below(MAXIMUM_EDITS + 1); edits > 0; edits -= 1)
      text = edited(text, draws)
    const fault = await faultOf(parser, text)
    if (fault !== undefined)
      faults.push(`${parser.name}: ${fault}: ${JSON.stringify(text.slice(0, SHOWN))}`)
  }
  return faults
}

async function faultOf({ read, isOwn }: Parser, text: string): Promise<string | undefined> {
  // By the clock, a machine that does other things would make every parser slow.
  const start = process.threadCpuUsage()
  try {
    await read(text)
  } catch (error) {
    if (!isOwn(error))
      return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  const { user, system } = process.threadCpuUsage(start)
  const taken = (user + system) / 1_000
  if (Object.keys(Object.prototype).length > 0) return 'it changed what every object has'
  return taken > LONGEST_MILLISECONDS
    ? `it took ${Math.round(taken)} ms of the processor`
    : undefined
}
