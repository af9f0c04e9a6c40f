/** What one side lacks altogether is seen as well as what differs. The whole: chaos.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FUNDS } from '../faults/furniture.ts'
import { balancesWrong } from './checker-of-money.ts'
import type { Evidence } from './evidence.ts'
import type { Balance, Inside } from './inside.ts'
import { Journal } from './journal.ts'

const HAS = { customer: 'customer', other: 'other', venue: 'at kraken' }

const balance = (total: string): Balance => ({ total, withdrawing: total, trading: total })
const balancesOf = (totals: Readonly<Record<string, string>>): Record<string, Balance> =>
  Object.fromEntries(Object.entries(totals).map(([asset, total]) => [asset, balance(total)]))
const BITCOIN = { BTC: '7' }
const account = (id: string, type: string, venue_id: string | null = null) => ({
  id,
  type,
  venue_id,
})

type Scene = {
  customer?: Readonly<Record<string, string>>
  venue?: Readonly<Record<string, string>>
  trial?: Inside['trial']
}

/** Two customers with all their funds, and seven bitcoins at Kraken. */
const insideOf = ({ customer = FUNDS, venue = BITCOIN, trial = trialOf() }: Scene): Inside => ({
  withdrawals: [],
  deposits: [],
  executions: [],
  fills: [],
  bookTransfers: [],
  bookings: [],
  jobs: [],
  wallets: [],
  setAside: [],
  balances: new Map([
    [account(HAS.customer, 'CUSTOMER'), balancesOf(customer)],
    [account(HAS.other, 'CUSTOMER'), balancesOf(FUNDS)],
    [account(HAS.venue, 'VENUE', 'kraken-id'), balancesOf(venue)],
  ]),
  trial,
})

function trialOf(): Inside['trial'] {
  return Object.entries(FUNDS).map(([asset, quantity]) => {
    const both = String(2 * Number(quantity))
    const venue = asset === 'BTC' ? '7' : '0'
    return {
      asset,
      debit: both,
      credit: both,
      lines: [
        { type: 'CUSTOMER', debit: '0', credit: both },
        { type: 'VENUE', debit: venue, credit: '0' },
      ],
    }
  })
}

const HELD = new Map([['kraken BTC', 700_000_000n]])
const TOTALS = new Map([['chain BTC', 900n]])

function evidenceOf({
  before = {},
  now = {},
  held = HELD,
  totals = TOTALS,
}: {
  before?: Scene
  now?: Scene
  held?: Map<string, bigint>
  totals?: Map<string, bigint>
} = {}): Evidence {
  const outside = {
    sent: [],
    returned: [],
    traded: [],
    orders: [],
    made: new Map<string, number>(),
  }
  return {
    journal: new Journal(),
    ground: {
      customer: { id: 'c1', account_id: HAS.customer },
      other: { id: 'c2', account_id: HAS.other },
      venues: { kraken: 'kraken-id' },
    } as unknown as Evidence['ground'],
    before: { inside: insideOf(before), outside: { ...outside, held: HELD, totals: TOTALS } },
    inside: insideOf(now),
    outside: { ...outside, held, totals },
  }
}

test('nothing is wrong where everything is there', () => {
  assert.deepEqual(balancesWrong(evidenceOf()), [])
})

test('a balance that a customer has no longer, or should not have, is seen', () => {
  const { EUR: _, ...withoutEuro } = FUNDS
  const wrong = balancesWrong(evidenceOf({ now: { customer: withoutEuro } }))
  assert.ok(wrong.includes('account customer EUR: has 0 instead of 100000'), wrong.join('; '))
  const more = balancesWrong(evidenceOf({ now: { customer: { ...FUNDS, XRP: '3' } } }))
  assert.ok(more.includes('account customer XRP: has 3 instead of 0'), more.join('; '))
})

test('what the books have at a venue no longer, and what only the venue has, is seen', () => {
  const [lost] = balancesWrong(evidenceOf({ now: { venue: {} } }))
  assert.match(lost ?? '', /^kraken BTC: the books have -7 more than before, the venue 0$/)
  const held = new Map([...HELD, ['kraken ETH', 500n]])
  const [unknown] = balancesWrong(evidenceOf({ held }))
  assert.match(unknown ?? '', /^kraken ETH: the books have 0 more than before, the venue /)
})

test('an asset that is outside no longer is seen', () => {
  const [wrong] = balancesWrong(evidenceOf({ totals: new Map() }))
  assert.match(wrong ?? '', /^there is 0 \(chain BTC\) instead of /)
})

test('a trial balance without an asset, or without a type of account, is seen', () => {
  const none = balancesWrong(evidenceOf({ now: { trial: [] } }))
  assert.ok(none.includes('accounts VENUE have 7 BTC, the trial balance 0'), none.join('; '))
  const trial = trialOf().map((row) => ({
    ...row,
    lines: row.lines.filter(({ type }) => type !== 'CUSTOMER'),
  }))
  const lacking = balancesWrong(evidenceOf({ now: { trial } }))
  assert.ok(
    lacking.includes('accounts CUSTOMER have 200000 EUR, the trial balance 0'),
    lacking.join('; '),
  )
})
