/**
 * The statement of an account as camt.053.001.08, one `Stmt` a currency, for the programs of those
 * who read banks' statements.
 *
 * Fields: ISO 20022, "Bank-to-Customer Cash Management", message BankToCustomerStatementV08, its
 * definition report and `camt.053.001.08.xsd` (https://www.iso20022.org, message archive). What of
 * it is used, and why no more: docs/ledger.md, "Statements as camt.053".
 */
import { createHash } from 'node:crypto'
import type { MailLanguage } from '../access/index.ts'
import { assert } from '../core/assert.ts'
import { absolute, decimal, format, scaleOf, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { AccountId } from '../core/ids.ts'
import type { ListQuery, PaperAnswer, Principal } from '../http/index.ts'
import { accountById, assetIn, DEBIT_NORMAL } from '../ledger/index.ts'
import type { Account, Asset, StatementLine } from '../ledger/index.ts'
import { readLines } from './lines.ts'
import { addresseeOf } from './paper.ts'
import type { Addressee, PapersApp } from './paper.ts'
import { element, textElement, textElements } from './xml.ts'

/** More would be held in memory at once, since the closing balance stands before the entries. */
export const MOST_ENTRIES = 10_000
const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'
const ISSUER = element('Issr', 'Kontor')
/** Of `ActiveOrHistoricCurrencyAndAmount`. */
const MOST_DECIMALS = 5
const MOST_DIGITS = 18
const ENTRIES_A_PIECE = 500
const DAY_MILLISECONDS = 86_400_000

type Asked = {
  principal: Principal
  params: { account_id: AccountId }
  query: { from?: number; to?: number; assets?: string[]; language?: MailLanguage }
}
/** Of the whole message. */
type Frame = {
  account: Account
  addressee: Addressee
  from: number
  to: number
  now: number
  dayOf(at: number): string
}
type Entry = { line: StatementLine; moved: Decimal }
/** What one currency has in the period. */
type Part = { asset: string; opening: Decimal; closing: Decimal; entries: Entry[] }

/** Throws RANGE, FORMAT, SCALE or REQUIRED for what camt.053 cannot say. */
export async function statementXml(
  app: PapersApp,
  { principal: { workspace }, params, query }: Asked,
  list: ListQuery<StatementLine>,
): Promise<PaperAnswer> {
  const now = app.clock.now()
  const account = await accountById(app.db, workspace, params.account_id)
  const { customer_id } = account
  const addressee = await addresseeOf(app, workspace, { customer_id, language: query.language })
  const lines = await readLines(app, list, { most: MOST_ENTRIES, form: 'camt.053' })
  const parts = partsOf(account, lines, query.assets)
  const { assets } = addressee.reader
  const unfit = new Map(
    parts.map(({ asset }) => [asset, unfitness(assetIn(assets, asset, 'assets'))]),
  )
  const fitting = parts.filter(({ asset }) => unfit.get(asset) === undefined)
  for (const { asset } of parts) {
    const why = unfit.get(asset)
    if (why === undefined) continue
    const others = fitting.map((part) => part.asset).join(',')
    throw refuse(why.code, 'assets', others === '' ? why.text : `${why.text}: ask for ${others}`)
  }
  for (const part of parts) assertWritable(part)
  const from = query.from ?? account.system_created_at
  const dayOf = dayWriter(addressee.reader.time_zone)
  const frame = { account, addressee, from, to: query.to ?? now, now, dayOf }
  return {
    name: addressee.words.statement,
    rows: lines.length,
    pieces: piecesOf(frame, parts),
  }
}

/** An asset that was asked for by name has a part, also where it never moved. */
function partsOf(
  { type }: Account,
  lines: readonly StatementLine[],
  asked: readonly string[] = [],
): Part[] {
  const byAsset = Map.groupBy(lines, ({ asset }) => asset)
  const names = [...new Set([...byAsset.keys(), ...asked])].toSorted()
  if (names.length === 0)
    throw refuse(
      'REQUIRED',
      'assets',
      'nothing was ever booked on this account, and camt.053 needs a currency: name one',
    )
  return names.map((asset) => {
    const ofAsset = byAsset.get(asset) ?? []
    const edge = (which: 'OPENING' | 'CLOSING') =>
      decimal(ofAsset.find(({ line }) => line === which)?.balance ?? '0')
    const entries = ofAsset
      .filter(({ line }) => line === 'BOOKING')
      .map((line) => ({ line, moved: movedBy(line, DEBIT_NORMAL.has(type)) }))
    const part = { asset, opening: edge('OPENING'), closing: edge('CLOSING'), entries }
    assert(
      part.opening + sum(entries.map(({ moved }) => moved)) === part.closing,
      `the entries in ${asset} lead from the opening to the closing balance`,
    )
    return part
  })
}

type Unfitness = { code: 'FORMAT' | 'SCALE'; text: string }

function unfitness({ code, kind, scale }: Asset): Unfitness | undefined {
  if (!/^[A-Z]{3}$/.test(code))
    return {
      code: 'FORMAT',
      text: `${code} cannot stand in camt.053, whose currencies have 3 capital letters`,
    }
  if (scale > MOST_DECIMALS)
    return {
      code: 'SCALE',
      text: `${code} has ${scale} decimals, and camt.053 at most ${MOST_DECIMALS}`,
    }
  if (kind === 'CRYPTO')
    return {
      code: 'FORMAT',
      text: `${code} cannot stand in camt.053, whose currencies are those of ISO 4217`,
    }
  return undefined
}

function assertWritable({ asset, opening, closing, entries }: Part): void {
  for (const quantity of [opening, closing, ...entries.map(({ moved }) => moved)])
    if (scaleOf(quantity) > MOST_DECIMALS || digitsOf(quantity) > MOST_DIGITS)
      throw refuse(
        'RANGE',
        'assets',
        `${format(quantity)} ${asset} cannot stand in camt.053, whose amounts have at most ` +
          `${MOST_DIGITS} digits, ${MOST_DECIMALS} of them decimals`,
      )
}

const digitsOf = (quantity: Decimal): number => format(absolute(quantity)).replace('.', '').length

/** Of whoever has the account: what raises its balance is a credit. */
function movedBy({ debit, credit }: StatementLine, isDebitNormal: boolean): Decimal {
  const credited = decimal(credit ?? '0') - decimal(debit ?? '0')
  return isDebitNormal ? -credited : credited
}

async function* piecesOf(frame: Frame, parts: readonly Part[]): AsyncGenerator<Buffer> {
  yield Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>` +
      element(
        'GrpHdr',
        element('MsgId', withoutDashes(newId())),
        element('CreDtTm', timeText(frame.now)),
      ),
  )
  for (const part of parts) {
    yield Buffer.from(`<Stmt>${statementHead(frame, part)}`)
    for (let at = 0; at < part.entries.length; at += ENTRIES_A_PIECE) {
      const entries = part.entries.slice(at, at + ENTRIES_A_PIECE)
      yield Buffer.from(entries.map((entry) => entryXml(frame, entry)).join(''))
    }
    yield Buffer.from('</Stmt>')
  }
  yield Buffer.from('</BkToCstmrStmt></Document>\n')
}

function statementHead(
  { account, addressee, from, to, now }: Frame,
  { asset, opening, closing }: Part,
): string {
  return [
    element('Id', statementId([account.id, asset, from, to])),
    element('CreDtTm', timeText(now)),
    element('FrToDt', element('FrDtTm', timeText(from)), element('ToDtTm', timeText(to))),
    element(
      'Acct',
      element('Id', element('Othr', element('Id', withoutDashes(account.id)))),
      element('Ccy', asset),
      textElement('Nm', account.label, 70),
      element('Svcr', element('FinInstnId', textElement('Nm', addressee.sender.name, 140))),
    ),
    balanceXml('OPBD', asset, opening, from),
    balanceXml('CLBD', asset, closing, to),
  ].join('')
}

const balanceXml = (code: 'OPBD' | 'CLBD', asset: string, balance: Decimal, at: number): string =>
  element(
    'Bal',
    element('Tp', element('CdOrPrtry', element('Cd', code))),
    amountXml(asset, balance),
    element('Dt', element('DtTm', timeText(at))),
  )

/** By the rule of the message zero is a credit. */
const amountXml = (asset: string, quantity: Decimal): string =>
  `<Amt Ccy="${asset}">${format(absolute(quantity))}</Amt>` +
  element('CdtDbtInd', quantity < 0n ? 'DBIT' : 'CRDT')

function entryXml({ addressee: { words }, dayOf }: Frame, { line, moved }: Entry): string {
  const { asset, booked_at, booking_id, description, type, reference_id, reference_type } = line
  const reference = withoutDashes(booking_id ?? '')
  const amount = amountXml(asset, moved)
  const cause =
    reference_id === null || reference_type === null
      ? undefined
      : element(
          'Prtry',
          textElement('Tp', reference_type, 35),
          textElement('Ref', withoutDashes(reference_id), 35),
        )
  const told = textElements('Ustrd', description ?? '', 140)
  return element(
    'Ntry',
    element('NtryRef', reference),
    amount,
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', element('DtTm', timeText(booked_at))),
    element('ValDt', element('Dt', dayOf(line.value_date ?? booked_at))),
    element('AcctSvcrRef', reference),
    element('BkTxCd', element('Prtry', textElement('Cd', type ?? '', 35), ISSUER)),
    element(
      'NtryDtls',
      element(
        'TxDtls',
        element('Refs', element('AcctSvcrRef', reference), cause),
        amount,
        told === '' ? undefined : element('RmtInf', told),
      ),
    ),
    type === null ? undefined : textElement('AddtlNtryInf', words.entries[type], 500),
  )
}

/** The same for the same statement, whenever it is asked for. */
const statementId = (of: readonly (string | number)[]): string =>
  createHash('sha256').update(of.join(' ')).digest('hex').slice(0, 32)

/** An id has 36 characters, and references of ISO 20022 at most 35. */
const withoutDashes = (id: string): string => id.replaceAll('-', '')

const timeText = (at: number): string => new Date(at).toISOString()

/** As 2026-03-02. A value date is a day already, or a time in the zone of whoever reads it. */
function dayWriter(timeZone: string): (at: number) => string {
  const [inUtc, inZone] = ['UTC', timeZone].map(
    (zone) => new Intl.DateTimeFormat('en-CA', { ...DAY, timeZone: zone }),
  ) as [Intl.DateTimeFormat, Intl.DateTimeFormat]
  return (at) => (at % DAY_MILLISECONDS === 0 ? inUtc : inZone).format(at)
}

const DAY = { calendar: 'iso8601', year: 'numeric', month: '2-digit', day: '2-digit' } as const
