/** A CSV file of payments: what each line orders, and what is wrong with it. */
import { addAmounts, compareAmounts, isZero, negated, readCsv } from '@kontor/client'
import type { RequestOf } from '@kontor/client'
import { t } from '../../language/index.ts'

type PaymentBody = RequestOf<'post', '/treasury/payments'>['body']

export type PayLine = {
  line: number
  /** As it stands in the file. */
  cells: Readonly<Record<string, string>>
  /** Absent where a fault is. */
  body: PaymentBody | undefined
  fault: string | undefined
}

export type PayFrom = {
  from_wallet_id: string
  protocol: string
  /** The decimals of the asset. */
  scale: number
  /** What the venue asks of a payee. */
  fields: readonly string[]
  /** The account of a name, a reference or an id; `many` when several fit. */
  accountOf(text: string): string | 'many' | undefined
}

/** By `client_ref` a line that was ordered before is known again, whoever uploads the file. */
const REQUIRED = ['client_ref', 'payee', 'address', 'amount'] as const
const OPTIONAL = ['account', 'reference', 'purpose', 'note', 'send_at'] as const
/** The payee's name and the reference have columns of their own. */
const NAMED = new Set(['name', 'reference'])
const AMOUNT = /^(0|[1-9][0-9]{0,19})(\.[0-9]{1,18})?$/
const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d)?$/
const MOST_LINES = 500

export const columnsOf = (fields: readonly string[]): string[] => [
  ...REQUIRED,
  ...OPTIONAL,
  ...fields.filter((name) => !NAMED.has(name)),
]

/** Throws Error, in words, for a file that is none. */
export function readLines(text: string, from: PayFrom): PayLine[] {
  const [head, ...rows] = readCsv(text)
  const names = head?.cells.map((name) => name.toLowerCase()) ?? []
  const known = columnsOf(from.fields)
  const unknown = names.filter((name) => !known.includes(name))
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new Error(t('The file has no column {{missing}}.', { missing: missing.join(', ') }))
  if (unknown.length > 0)
    throw new Error(
      t('Nothing is known of the column {{unknown}}.', { unknown: unknown.join(', ') }),
    )
  if (new Set(names).size !== names.length) throw new Error(t('Two columns have one name.'))
  if (rows.length === 0) throw new Error(t('The file has no payments.'))
  if (rows.length > MOST_LINES)
    throw new Error(
      t('The file has {{count}} payments, and {{most_lines}} are possible at once.', {
        count: rows.length,
        most_lines: MOST_LINES,
      }),
    )
  const refs = new Map<string, number>()
  return rows.map(({ line, cells: texts }) => {
    const cells = Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']))
    const ref = cells['client_ref'] ?? ''
    const before = refs.get(ref)
    refs.set(ref, line)
    const fault =
      texts.length === names.length
        ? (faultOf(cells, from) ??
          (before === undefined
            ? undefined
            : t('Line {{before}} has this client_ref too', { before })))
        : t('{{count}} cells under {{columns}} columns', {
            count: texts.length,
            columns: names.length,
          })
    return { line, cells, fault, body: fault === undefined ? bodyOf(cells, from) : undefined }
  })
}

function faultOf(cells: PayLine['cells'], { accountOf, scale }: PayFrom): string | undefined {
  const cell = (name: string): string => cells[name] ?? ''
  const missing = REQUIRED.find((name) => cell(name) === '')
  if (missing !== undefined) return t('The {{missing}} is missing', { missing })
  if (!AMOUNT.test(cell('amount')) || isZero(cell('amount')))
    return t('An amount is written like 1250.50, not {{cell}}', { cell: cell('amount') })
  const decimals = cell('amount').split('.')[1]?.length ?? 0
  if (decimals > scale)
    return t('{{cell}} has {{decimals}} decimals, and {{scale}} are possible: write 1250.50', {
      cell: cell('amount'),
      decimals,
      scale,
    })
  if (cell('send_at') !== '' && !TIME.test(cell('send_at')))
    return t('A time is written like 2027-01-31 or 2027-01-31 09:00, not {{cell}}', {
      cell: cell('send_at'),
    })
  const account = cell('account') === '' ? '' : accountOf(cell('account'))
  if (account === undefined) return t('No account is called {{cell}}', { cell: cell('account') })
  return account === 'many'
    ? t('Several accounts are called {{cell}}: write the customer’s reference or id', {
        cell: cell('account'),
      })
    : undefined
}

function bodyOf(
  cells: PayLine['cells'],
  { from_wallet_id, protocol, fields, accountOf }: PayFrom,
): PaymentBody {
  const cell = (name: string): string => cells[name] ?? ''
  const account_id = cell('account') === '' ? undefined : accountOf(cell('account'))
  const details = fields
    .filter((name) => !NAMED.has(name) && cell(name) !== '')
    .map((name) => [name, cell(name)])
  const to = {
    ...(fields.includes('name') ? { name: cell('payee') } : {}),
    ...Object.fromEntries(details),
  }
  const texts = (['reference', 'purpose', 'note', 'client_ref'] as const)
    .filter((name) => cell(name) !== '')
    .map((name) => [name, cell(name)])
  return {
    from_wallet_id,
    protocol,
    payee: {
      label: cell('payee'),
      address: cell('address'),
      ...(Object.keys(to).length === 0 ? {} : { transfer: { to } }),
    },
    quantity: cell('amount'),
    ...(account_id === undefined ? {} : { account_id }),
    ...Object.fromEntries(texts),
    ...(cell('send_at') === '' ? {} : { send_at: localTime(cell('send_at')) }),
  }
}

/** A day alone begins at its midnight, here. */
const localTime = (text: string): number =>
  new Date(text.length > 10 ? text.replace(' ', 'T') : `${text}T00:00`).getTime()

/**
 * Lines that go at once, and for which the lines above them leave too little on their account.
 * `leftOn`: what can be withdrawn from each account that is bounded.
 */
export function beyondTheRest<Row extends PayLine>(
  rows: readonly Row[],
  leftOn: ReadonlyMap<string, string>,
): Row[] {
  const left = new Map(leftOn)
  return rows.filter(({ body }) => {
    if (body?.account_id === undefined || body.send_at !== undefined) return false
    const before = left.get(body.account_id)
    if (before === undefined) return false
    const after = addAmounts(before, negated(body.quantity))
    if (compareAmounts(after, '0') < 0) return true
    left.set(body.account_id, after)
    return false
  })
}
