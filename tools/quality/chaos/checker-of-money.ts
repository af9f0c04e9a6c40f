/** Money is conserved: of each customer, at each venue, outside, and in the books as a whole. */
import { decimal, format } from '../../../server/src/core/decimal.ts'
import { FUNDS } from '../faults/furniture.ts'
import type { Evidence } from './evidence.ts'
import type { Balance, Inside } from './inside.ts'

/** They are empty when nothing is under way. */
const EMPTY = ['TRADING', 'TRANSIT', 'SUSPENSE']

export function balancesWrong(evidence: Evidence): string[] {
  return [
    ...customersWrong(evidence),
    ...heldBackWrong(evidence),
    ...venuesWrong(evidence),
    ...differences('there is', evidence.before.outside.totals, evidence.outside.totals),
    ...trialWrong(evidence.inside),
  ]
}

class Sums {
  readonly #all = new Map<string, bigint>()

  add(account: string | null, asset: string, quantity: bigint): void {
    const key = `${account} ${asset}`
    this.#all.set(key, this.of(account, asset) + quantity)
  }

  of(account: string | null, asset: string): bigint {
    return this.#all.get(`${account} ${asset}`) ?? 0n
  }
}

/** What each customer must have, by what was acknowledged and what has really happened outside. */
function expectedOf({ journal, ground, inside, outside }: Evidence): Sums {
  const sums = new Sums()
  const { customer, other } = ground
  for (const { account_id } of [customer, other])
    for (const [asset, quantity] of Object.entries(FUNDS))
      sums.add(account_id, asset, decimal(quantity))
  for (const { account_id, asset, quantity } of [...journal.arrivals, ...journal.bookings])
    sums.add(account_id, asset, decimal(quantity))
  for (const { from, to, asset, quantity } of journal.bookTransfers) {
    sums.add(from, asset, -decimal(quantity))
    sums.add(to, asset, decimal(quantity))
  }
  const done = new Set(
    inside.withdrawals.filter(({ state }) => state === 'SUCCESS').map(({ id }) => id),
  )
  const back = new Set(outside.returned)
  for (const { id, account_id, asset, quantity } of journal.payments)
    if (done.has(id) && !back.has(id.replaceAll('-', '')))
      sums.add(account_id, asset, -decimal(quantity))
  for (const { side, base_asset, quote_asset, customers } of inside.executions) {
    const sign = side === 'BUY' ? 1n : -1n
    for (const { customer_id, filled_amount, filled_volume } of customers) {
      const { account_id } = customer_id === customer.id ? customer : other
      sums.add(account_id, base_asset, sign * decimal(filled_amount))
      sums.add(account_id, quote_asset, -sign * decimal(filled_volume))
    }
  }
  return sums
}

function customersWrong(evidence: Evidence): string[] {
  const expected = expectedOf(evidence)
  return balancesOf(evidence.inside, 'CUSTOMER').flatMap(({ account, asset, balance }) => {
    const right = expected.of(account, asset)
    return decimal(balance.total) === right
      ? []
      : [`account ${account} has ${balance.total} ${asset} instead of ${format(right)}`]
  })
}

/** Nothing is held back, but what a batch that was not submitted still has for some minutes. */
function heldBackWrong({ journal, inside }: Evidence): string[] {
  const prepared = new Sums()
  for (const { account_id, asset, quantity } of journal.prepared)
    prepared.add(account_id, asset, decimal(quantity))
  return balancesOf(inside, 'CUSTOMER').flatMap(({ account, asset, balance }) => {
    const free = [balance.withdrawing, balance.trading].map(decimal)
    const held = free.map((quantity) => decimal(balance.total) - quantity)
    return held.every((quantity) => quantity >= 0n && quantity <= prepared.of(account, asset))
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
  const booked = (then: Inside): Map<string, bigint> => {
    const sums = new Map<string, bigint>()
    for (const { venue_id, asset, balance } of balancesOf(then, 'VENUE')) {
      const [venue] = Object.entries(ground.venues).find(([, id]) => id === venue_id) ?? []
      const key = `${venue} ${asset}`
      sums.set(key, (sums.get(key) ?? 0n) + decimal(balance.total))
    }
    return sums
  }
  const [was, is] = [booked(before.inside), booked(inside)]
  const at = (sums: Map<string, bigint>, key: string) => sums.get(key) ?? 0n
  return [...is.keys()].flatMap((key) => {
    const ours = at(is, key) - at(was, key)
    const theirs = at(outside.held, key) - at(before.outside.held, key)
    return ours === theirs
      ? []
      : [`${key}: the books have ${format(ours)} more than before, the venue ${format(theirs)}`]
  })
}

const differences = (
  what: string,
  before: ReadonlyMap<string, bigint>,
  now: ReadonlyMap<string, bigint>,
): string[] =>
  Array.from(now).flatMap(([key, quantity]) =>
    quantity === before.get(key)
      ? []
      : [`${what} ${format(quantity)} (${key}) instead of ${format(before.get(key) ?? 0n)}`],
  )

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
