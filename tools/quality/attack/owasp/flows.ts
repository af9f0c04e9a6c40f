/** Flows that move money, repeated, hurried and bent. */
import { newId } from '../../../../server/src/core/ids.ts'
import { unless } from '../../faults/flow.ts'
import { codeOf, envelopeOf, shown } from '../client.ts'
import type { Answer, Ask } from '../client.ts'
import { homeOf, newCustomer, quoteOf } from '../home.ts'
import type { Home } from '../home.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'

const AT_ONCE = 24
/** Of what a new customer has. */
const ALL_BUT_100 = '99900'
const NOT_AMOUNTS: readonly unknown[] = [
  '-1',
  '0',
  '-0',
  '1e3',
  'NaN',
  'Infinity',
  '+5',
  ' 5',
  '0x10',
  '5,00',
  '0.001',
  '5.',
  '٥',
  '99999999999999999999999',
  5,
  null,
  '',
  ['5'],
]

const post = (target: Target, path: string, body: unknown, key = newId()): Ask => ({
  method: 'POST',
  path: `/api${path}`,
  token: target.home.people.EVERY.access_token,
  body,
  headers: { 'idempotency-key': key },
})

const atOnce = ({ client }: Target, requests: readonly Ask[]): Promise<Answer[]> =>
  Promise.all(requests.map((request) => client.ask(request)))

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const accepted = (answers: readonly Answer[]): Answer[] =>
  answers.filter(({ status }) => status === 200)

/** Neither done nor plainly refused. */
const odd = (answers: readonly Answer[]): string[] =>
  answers
    .filter((answer) => answer.status !== 200 && ![3001, 4091, 4092].includes(codeOf(answer) ?? 0))
    .map(({ status, text }) => `${status} ${text.slice(0, 150)}`)

type Balance = Record<string, { trading: string; withdrawing: string; total: string }>

const balanceOf = (target: Target, account_id: string): Promise<Balance> =>
  target.call<Balance>('GET', `/bookings/accounts/${account_id}/balance`)

async function quoteTwice(target: Target): Promise<Seen> {
  const home = await homeOf(target)
  const { id } = await target.call<{ id: string }>('POST', '/price-stream/quotes', quoteOf(home))
  const body = {
    route_id: home.priceRoute,
    amount: '0.01',
    side: 'BUY',
    execution_type: 'MARKET',
    customers: [{ customer_id: home.customer.id }],
    quote_id: id,
  }
  const answers = await atOnce(
    target,
    times(AT_ONCE, () => post(target, '/executions', body)),
  )
  const done = accepted(answers).length
  return {
    seen: `${done} of ${AT_ONCE} accepted`,
    wrong: [...unless(done === 1, `${done} executions of one quote`), ...odd(answers)],
  }
}

/** Each asks for 40 of 100. */
async function beyondBalance(
  target: Target,
  label: string,
  pathAndBody: (home: Home, account_id: string) => [string, object],
): Promise<Seen> {
  const home = await homeOf(target)
  const { account_id } = await newCustomer(target, label, home.house)
  await target.call('POST', '/bookings', {
    asset: 'EUR',
    legs: [
      { account_id, type: 'DEBIT', quantity: ALL_BUT_100 },
      { account_id: home.house, type: 'CREDIT', quantity: ALL_BUT_100 },
    ],
  })
  const [path, body] = pathAndBody(home, account_id)
  const answers = await atOnce(
    target,
    times(AT_ONCE, () => post(target, path, body)),
  )
  const done = accepted(answers).length
  const left = (await balanceOf(target, account_id))['EUR']?.trading ?? '0'
  return {
    seen: `${done} of ${AT_ONCE} accepted, ${left} EUR left`,
    wrong: [
      ...unless(done === 2 && left === '20', `${done} accepted, ${left} EUR left`),
      ...odd(answers),
    ],
  }
}

async function sameKey(target: Target): Promise<Seen> {
  const { house, customer } = await homeOf(target)
  const body = (quantity: string) => ({
    asset: 'EUR',
    legs: [
      { account_id: house, type: 'DEBIT', quantity },
      { account_id: customer.account_id, type: 'CREDIT', quantity },
    ],
  })
  const key = newId()
  const same = await atOnce(
    target,
    times(AT_ONCE, () => post(target, '/bookings', body('1.01'), key)),
  )
  const ids = new Set(
    accepted(same).map((answer) => envelopeOf<{ id: string }>(answer)?.data.id ?? ''),
  )
  const other = await atOnce(
    target,
    times(AT_ONCE, (index) => post(target, '/bookings', body(`2.${index + 10}`), key)),
  )
  const taken = accepted(other).length
  return {
    seen: `${ids.size} booking of ${AT_ONCE} requests; ${taken} other bodies accepted`,
    wrong: [
      ...unless(ids.size === 1, `${ids.size} bookings under one key`),
      ...unless(taken === 0, `${taken} other bodies accepted`),
      ...odd([...same, ...other]),
    ],
  }
}

async function oddAmounts(target: Target): Promise<Seen> {
  const home = await homeOf(target)
  const { house, customer, second, bankRoute } = home
  const bodies = (quantity: unknown): [string, object][] => [
    [
      '/bookings',
      {
        asset: 'EUR',
        legs: [
          { account_id: house, type: 'DEBIT', quantity },
          { account_id: customer.account_id, type: 'CREDIT', quantity },
        ],
      },
    ],
    [
      '/book-transfers',
      {
        from_account_id: customer.account_id,
        to_account_id: second.account_id,
        asset: 'EUR',
        quantity,
        reason: 'Gift',
      },
    ],
    [
      `/treasury/wallets/routes/${bankRoute}/withdrawals`,
      { account_id: customer.account_id, quantity, speed_level: 'DEFAULT' },
    ],
    [
      '/price-stream/quotes',
      { ...quoteOf(home), request_asset: 'EUR', request_quantity: quantity },
    ],
  ]
  const before = JSON.stringify(await balanceOf(target, customer.account_id))
  const wrong: string[] = []
  let count = 0
  for (const amount of NOT_AMOUNTS)
    for (const [path, body] of bodies(amount)) {
      const request = post(target, path, body)
      const answer = await target.client.ask(request)
      count += 1
      wrong.push(
        ...unless(codeOf(answer) === 3001, `${JSON.stringify(amount)}: ${shown(request, answer)}`),
      )
    }
  const after = JSON.stringify(await balanceOf(target, customer.account_id))
  return {
    seen: `${count} requests, ${wrong.length} accepted`,
    wrong: [...wrong, ...unless(before === after, `the balance changed: ${before} → ${after}`)],
  }
}

/** The order of fields, of the request and of the time must not matter. */
async function unbalanced(target: Target): Promise<Seen> {
  const { house, customer, second } = await homeOf(target)
  const leg = (account_id: string, type: string, quantity: string) => ({
    account_id,
    type,
    quantity,
  })
  const bodies = [
    [leg(house, 'DEBIT', '5'), leg(customer.account_id, 'CREDIT', '6')],
    [leg(customer.account_id, 'CREDIT', '6')],
    [leg(house, 'DEBIT', '5'), leg(house, 'DEBIT', '5')],
    [],
    [leg(second.account_id, 'DEBIT', '999999999'), leg(customer.account_id, 'CREDIT', '999999999')],
  ]
  const wrong: string[] = []
  for (const legs of bodies) {
    const request = post(target, '/bookings', { asset: 'EUR', legs })
    const answer = await target.client.ask(request)
    wrong.push(...unless(codeOf(answer) === 3001, shown(request, answer)))
  }
  return { seen: `${bodies.length} bookings, ${wrong.length} accepted`, wrong }
}

const row = (name: string, does: string, wanted: string, run: Attack['run']): Attack => ({
  of: 'API6',
  name,
  does,
  wanted,
  run,
})

export const FLOWS: readonly Attack[] = [
  row(
    'one quote taken many times',
    `takes one quote ${AT_ONCE} times at once, each with a key of its own`,
    `1 of ${AT_ONCE} accepted`,
    quoteTwice,
  ),
  row(
    'withdrawals beyond the balance',
    `withdraws 40 EUR of 100 ${AT_ONCE} times at once`,
    `2 of ${AT_ONCE} accepted, 20 EUR left`,
    (target) =>
      beyondBalance(target, 'Withdraws', ({ bankRoute }, account_id) => [
        `/treasury/wallets/routes/${bankRoute}/withdrawals`,
        { account_id, quantity: '40', speed_level: 'DEFAULT', third_party: true },
      ]),
  ),
  row(
    'transfers beyond the balance',
    `transfers 40 EUR of 100 ${AT_ONCE} times at once`,
    `2 of ${AT_ONCE} accepted, 20 EUR left`,
    (target) =>
      beyondBalance(target, 'Transfers', ({ second }, account_id) => [
        '/book-transfers',
        {
          from_account_id: account_id,
          to_account_id: second.account_id,
          asset: 'EUR',
          quantity: '40',
          reason: 'Gift',
        },
      ]),
  ),
  row(
    'one key, many requests',
    `books ${AT_ONCE} times at once under one key, then with other bodies`,
    '1 booking; 0 other bodies accepted',
    sameKey,
  ),
  row(
    'amounts that are none',
    `sends ${NOT_AMOUNTS.length} odd amounts to what moves or prices money`,
    '0 accepted, the balance unchanged',
    oddAmounts,
  ),
  row(
    'bookings that do not balance',
    'books one side, or more than is there',
    '0 accepted',
    unbalanced,
  ),
]
