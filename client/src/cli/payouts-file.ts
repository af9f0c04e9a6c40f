/** A CSV file of payouts: what each line means, and what is wrong with it. */
import type { Client, RequestOf, RowOf } from '../index.ts'
import { readCsv } from '../csv.ts'
import { know, knowAccounts, UUID } from './accounts.ts'
import { plural } from './output.ts'
import { Problem } from './problem.ts'

type Prepared = RequestOf<'post', '/treasury/withdrawals/batch/prepare'>['body']
type Route = RowOf<'/treasury/wallets/routes'>
type Payment = Prepared['withdrawals'][number]

export type Payout = { line: number; reference: string; payment: Payment; asset: string }
export type Fault = { line: number; text: string }

const REQUIRED = ['reference', 'route', 'quantity'] as const
const OPTIONAL = ['account', 'speed_level', 'purpose', 'note', 'third_party'] as const
const COLUMNS: readonly string[] = [...REQUIRED, ...OPTIONAL]
const QUANTITY = /^(?!0(\.0+)?$)(0|[1-9][0-9]{0,19})(\.[0-9]{1,18})?$/
const SPEED_LEVELS = ['SLOW', 'DEFAULT', 'FAST'] as const
const LONGEST_REFERENCE = 200
const LONGEST_PURPOSE = 140
const LONGEST_NOTE = 500

/** Names and ids of what a line may name. A name that two records have is not taken. */
type Directory = {
  routes: Map<string, { id: string; asset: string } | undefined>
  accounts: Map<string, { id: string } | undefined>
}

/** Reads accounts and customers only when a line names one by its label: not every key may. */
export async function directoryOf(
  kontor: Client,
  text: string,
  signal: AbortSignal,
): Promise<Directory> {
  const directory: Directory = { routes: new Map(), accounts: new Map() }
  for await (const route of kontor.all('/treasury/wallets/routes', { signal }))
    for (const name of [route.id, route.label])
      know(directory.routes, name, { id: route.id, asset: assetOf(route) })
  const [head, ...rows] = rowsOf(text)
  const place = head?.cells.findIndex((name) => name.toLowerCase() === 'account') ?? -1
  const names = new Set(rows.map(({ cells }) => cells[place] ?? '').filter((name) => name !== ''))
  for (const id of names) if (UUID.test(id)) know(directory.accounts, id, { id })
  if ([...names].some((name) => !UUID.test(name)))
    await knowAccounts(directory.accounts, kontor, signal)
  return directory
}

const assetOf = ({ from_wallet }: Route): string => from_wallet.asset

/** Every fault of every line. Throws Problem when the file as a whole is none. */
export function readPayouts(
  text: string,
  directory: Directory,
): { payouts: Payout[]; faults: Fault[] } {
  const [head, ...rows] = rowsOf(text)
  const columns = head?.cells.map((name) => name.toLowerCase()) ?? []
  const unknown = columns.filter((name) => !COLUMNS.includes(name))
  const missing = REQUIRED.filter((name) => !columns.includes(name))
  if (unknown.length > 0)
    throw new Problem('refused', `unknown columns ${unknown.join(', ')}: ${COLUMNS.join(', ')}`)
  if (missing.length > 0) throw new Problem('refused', `columns are missing: ${missing.join(', ')}`)
  if (new Set(columns).size !== columns.length)
    throw new Problem('refused', 'a column is named twice')
  if (rows.length === 0) throw new Problem('refused', 'the file has no payouts')
  const payouts: Payout[] = []
  const faults: Fault[] = []
  const lineOf = new Map<string, number>()
  for (const { line, cells } of rows) {
    const say = (fault: string) => faults.push({ line, text: fault })
    if (cells.length !== columns.length) {
      say(`${plural(cells.length, 'cell')} under ${plural(columns.length, 'column')}`)
      continue
    }
    const cell = (name: string) => cells[columns.indexOf(name)] ?? ''
    const payout = payoutOf(line, cell, directory, say)
    const before = lineOf.get(payout.reference)
    if (before !== undefined) say(`line ${before} has this reference too: ${payout.reference}`)
    lineOf.set(payout.reference, line)
    payouts.push(payout)
  }
  return { payouts, faults }
}

function rowsOf(text: string) {
  try {
    return readCsv(text)
  } catch (error) {
    throw new Problem('refused', (error as Error).message)
  }
}

function payoutOf(
  line: number,
  cell: (name: string) => string,
  { routes, accounts }: Directory,
  say: (fault: string) => void,
): Payout {
  const named = <T>(map: Map<string, T | undefined>, column: string): T | undefined => {
    const name = cell(column)
    const record = map.get(name)
    if (name !== '' && record === undefined)
      say(
        map.has(name)
          ? `several have the ${column} ${name}: give its id`
          : `no ${column} is called ${name}`,
      )
    return record
  }
  for (const name of REQUIRED) if (cell(name) === '') say(`${name} is missing`)
  const [reference, quantity, purpose] = [cell('reference'), cell('quantity'), cell('purpose')]
  if (quantity !== '' && !QUANTITY.test(quantity))
    say(`quantity is a decimal above zero such as 1250.50, not ${quantity}`)
  const level = cell('speed_level').toUpperCase() || 'DEFAULT'
  const speed_level = SPEED_LEVELS.find((name) => name === level)
  if (speed_level === undefined) say(`speed_level is ${SPEED_LEVELS.join(', ')}`)
  if (purpose.length > LONGEST_PURPOSE) say(`purpose has more than ${LONGEST_PURPOSE} characters`)
  const note = cell('note')
  if (reference.length > LONGEST_REFERENCE)
    say(`reference has more than ${LONGEST_REFERENCE} characters`)
  if (note.length > LONGEST_NOTE) say(`note has more than ${LONGEST_NOTE} characters`)
  const third = cell('third_party').toLowerCase()
  if (!['', 'true', 'false'].includes(third)) say('third_party is true or false')
  const route = named(routes, 'route')
  const account = named(accounts, 'account')
  return {
    line,
    reference,
    asset: route?.asset ?? '',
    payment: {
      route_id: route?.id ?? '',
      quantity,
      speed_level: speed_level ?? 'DEFAULT',
      // The service finds the withdrawal by it, also when the journal is lost.
      client_ref: reference,
      ...(note === '' ? {} : { note }),
      ...(purpose === '' ? {} : { purpose }),
      ...(account === undefined ? {} : { account_id: account.id }),
      ...(third === 'true' ? { third_party: true } : {}),
    },
  }
}
