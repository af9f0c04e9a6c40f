/** Money is conserved: of each customer, at each venue, outside, and in the books as a whole. */
import { decimal, format } from '../../../server/src/core/decimal.ts'
import { FUNDS } from '../faults/furniture.ts'
import type { Evidence } from './evidence.ts'
import type { Balance, Inside } from './inside.ts'

/** They are empty when nothing is under way. */
const EMPTY = ['TRADING', 'TRANSIT', 'SUSPENSE']
/** Of these types the accounts are read one by one too. */
const READ = ['CUSTOMER', 'VENUE'] as const

export function balancesWrong(evidence: Evidence): string[] {
  return [
    ...customersWrong(evidence),
    ...heldBackWrong(evidence),
    ...venuesWrong(evidence),
    ...unequal(
      evidence.before.outside.totals,
      evidence.outside.totals,
      (key, was, is) => `there is ${is} (${key}) instead of ${was}`,
    ),
    ...trialWrong(evidence.inside),
    ...READ.flatMap((type) => trialTotalsWrong(evidence.inside, type)),
  ]
}

type Sums = ReadonlyMap<string, bigint>

function add(sums: Map<string, bigint>, key: string, quantity: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + quantity)
}

/** Over all keys of both: what only one of them has is nothing at the other. */
const unequal = (
  one: Sums,
  other: Sums,
  complaint: (key: string, one: string, other: string) => string,
): string[] =>
  Array.from(new Set([...one.keys(), ...other.keys()])).flatMap((key) => {
    const [here, there] = [one.get(key) ?? 0n, other.get(key) ?? 0n]
    return here === there ? [] : [complaint(key, format(here), format(there))]
  })

function changesOf(before: Sums, now: Sums): Sums {
  const changes = new Map(now)
  for (const [key, quantity] of before) add(changes, key, -quantity)
  return changes
}

/** What each customer must have, by what was acknowledged and what has really happened outside. */
function expectedOf({ journal, ground, inside, outside }: Evidence): Sums {
  const sums = new Map<string, bigint>()
  const give = (account: string | null, asset: string, quantity: bigint): void => {
    if (account !== null) add(sums, `${account} ${asset}`, quantity)
  }
  const { customer, other } = ground
  for (const { account_id } of [customer, other])
    for (const [asset, quantity] of Object.entries(FUNDS))
      give(account_id, asset, decimal(quantity))
  for (const { account_id, asset, quantity } of [...journal.arrivals, ...journal.bookings])
    give(account_id, asset, decimal(quantity))
  for (const { from, to, asset, quantity } of journal.bookTransfers) {
    give(from, asset, -decimal(quantity))
    give(to, asset, decimal(quantity))
  }
  const done = new Set(
    inside.withdrawals.filter(({ state }) => state === 'SUCCESS').map(({ id }) => id),
  )
  const back = new Set(outside.returned)
  for (const { id, account_id, asset, quantity } of journal.payments)
    if (done.has(id) && !back.has(id.replaceAll('-', '')))
      give(account_id, asset, -decimal(quantity))
  for (const { side, base_asset, quote_asset, customers } of inside.executions) {
    const sign = side === 'BUY' ? 1n : -1n
    for (const { customer_id, filled_amount, filled_volume } of customers) {
      const { account_id } = customer_id === customer.id ? customer : other
      give(account_id, base_asset, sign * decimal(filled_amount))
      give(account_id, quote_asset, -sign * decimal(filled_volume))
    }
  }
  return sums
}

function customersWrong(evidence: Evidence): string[] {
  const found = new Map<string, bigint>()
  for (const { account, asset, balance } of balancesOf(evidence.inside, 'CUSTOMER'))
    add(found, `${account} ${asset}`, decimal(balance.total))
  return unequal(
    found,
    expectedOf(evidence),
    (key, has, right) => `account ${key}: has ${has} instead of ${right}`,
  )
}

/** Nothing is held back, but what a batch that was not submitted still has for some minutes. */
function heldBackWrong({ journal, inside }: Evidence): string[] {
  const prepared = new Map<string, bigint>()
  for (const { account_id, asset, quantity } of journal.prepared)
    add(prepared, `${account_id} ${asset}`, decimal(quantity))
  return balancesOf(inside, 'CUSTOMER').flatMap(({ account, asset, balance }) => {
    const most = prepared.get(`${account} ${asset}`) ?? 0n
    const free = [balance.withdrawing, balance.trading].map(decimal)
    const held = free.map((quantity) => decimal(balance.total) - quantity)
    return held.every((quantity) => quantity >= 0n && quantity <= most)
      ? []
      : [`of account ${account} ${held.map(format).join(' and ')} ${asset} are held back`]
  })
}

type Line = { account: string; venue_id: string | null; asset: string; balance: Balance }

const balancesOf = (inside: Inside, type: string): Line[] =>
  [...inside.balances].flatMap(([account, balances]) =>
    account.type === type
      ? Object.entries(balances).map(([asset, balance]) => ({
          account: account.id,
          venue_id: account.venue_id,
          asset,
          balance,
        }))
      : [],
  )

/** What the books say has come to a venue and gone is what the venue says. */
function venuesWrong({ ground, before, inside, outside }: Evidence): string[] {
  const booked = (then: Inside): Sums => {
    const sums = new Map<string, bigint>()
    for (const { venue_id, asset, balance } of balancesOf(then, 'VENUE')) {
      const [venue] = Object.entries(ground.venues).find(([, id]) => id === venue_id) ?? []
      add(sums, `${venue} ${asset}`, decimal(balance.total))
    }
    return sums
  }
  return unequal(
    changesOf(booked(before.inside), booked(inside)),
    changesOf(before.outside.held, outside.held),
    (key, ours, theirs) => `${key}: the books have ${ours} more than before, the venue ${theirs}`,
  )
}

function trialWrong({ trial }: Inside): string[] {
  return trial.flatMap(({ asset, debit, credit, lines }) => [
    ...(decimal(debit) === decimal(credit) ? [] : [`${asset}: ${debit} debit, ${credit} credit`]),
    ...lines.flatMap((line) =>
      EMPTY.includes(line.type) && (decimal(line.debit) !== 0n || decimal(line.credit) !== 0n)
        ? [`${line.type} still has ${line.debit} debit and ${line.credit} credit of ${asset}`]
        : [],
    ),
  ])
}

/** The trial balance has what the accounts of a type have together. */
function trialTotalsWrong(inside: Inside, type: (typeof READ)[number]): string[] {
  const accounts = new Map<string, bigint>()
  for (const { asset, balance } of balancesOf(inside, type))
    add(accounts, asset, decimal(balance.total))
  const books = new Map<string, bigint>()
  for (const { asset, lines } of inside.trial)
    for (const { debit, credit } of lines.filter((line) => line.type === type)) {
      const raised = decimal(debit) - decimal(credit)
      add(books, asset, type === 'VENUE' ? raised : -raised)
    }
  return unequal(
    accounts,
    books,
    (asset, has, says) => `accounts ${type} have ${has} ${asset}, the trial balance ${says}`,
  )
}
