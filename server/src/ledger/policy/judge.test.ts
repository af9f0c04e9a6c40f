/** Random policies and commands against a small oracle, and the cases that people ask about. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, ONE } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { isComplete, groupsOf, missingApprovals } from './approvers.ts'
import { countedParts, deniedError, judge } from './judge.ts'
import type { Facts, TotalKey, Totals } from './judge.ts'
import { COMMAND_NAMES, PER, WEEKDAYS } from './policy.schema.ts'
import type { Policy, Rule, When } from './policy.schema.ts'
import { windowAt } from './windows.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Monday, 2 March 2026, noon UTC. */
const NOON = Date.UTC(2026, 2, 2, 12)
const NAMES = ['a', 'b', 'c'] as const
const ASSETS = ['EUR', 'BTC'] as const

const facts = (more: Partial<Facts> = {}): Facts => ({
  command: 'WITHDRAWAL',
  at: NOON,
  requester: { user_id: 'a', api_key_id: null, roles: ['TREASURER'] },
  asset: 'EUR',
  quantity: 100n * ONE,
  route_id: 'a',
  customers: [],
  destination: { is_new: false, since: NOON - 30 * DAY },
  ...more,
})
const policy = (...rules: Partial<Rule>[]): Policy => ({
  version: 1,
  otherwise: 'ALLOW',
  rules: rules.map((rule, place) => ({
    name: `rule ${place}`,
    when: {},
    verdict: 'DENY',
    ...rule,
  })),
})
const NOTHING: Totals = () => 0n
const verdictOf = (when: When, given: Facts, totals = NOTHING): string =>
  judge(policy({ when }), given, totals).verdict

const amounts = fc.constantFrom('0.000000000000000001', '1', '99.999999999999999999', '100', '250')
const some = <T>(values: readonly T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 })

const whens: fc.Arbitrary<When> = fc.record(
  {
    commands: some(COMMAND_NAMES),
    assets: some(ASSETS),
    amount_at_least: amounts,
    amount_per_day_at_least: fc.record({ per: fc.constantFrom(...PER), amount: amounts }),
    destination_is_new: fc.boolean(),
    destination_younger_than_hours: fc.constantFrom(1, 24),
    routes: some(NAMES),
    requesters: some(NAMES),
    roles: some(['TREASURER', 'TRADER']),
    api_keys: some(NAMES),
  },
  { requiredKeys: [] },
)
const policies: fc.Arbitrary<Policy> = fc.record({
  version: fc.constant(1),
  otherwise: fc.constantFrom('ALLOW', 'DENY'),
  rules: fc.array(
    fc
      .record({ when: whens, verdict: fc.constantFrom('ALLOW', 'DENY', 'APPROVE') })
      .map(({ when, verdict }): Rule => ({
        name: 'some rule',
        when,
        verdict,
        ...(verdict === 'APPROVE' ? { approve: { groups: [{ n: 1 }], within_hours: 1 } } : {}),
      })),
    { maxLength: 4 },
  ),
})
const quantities = amounts.map(decimal)
const commands: fc.Arbitrary<Facts> = fc
  .record({
    command: fc.oneof(fc.constant('WITHDRAWAL' as const), fc.constantFrom(...COMMAND_NAMES)),
    at: fc.constantFrom(NOON, NOON + DAY),
    requester: fc.record({
      user_id: fc.constantFrom(null, ...NAMES),
      api_key_id: fc.constantFrom(null, ...NAMES),
      roles: fc.subarray(['TREASURER', 'TRADER']),
    }),
    amount: fc.option(fc.record({ asset: fc.constantFrom(...ASSETS), quantity: quantities })),
    route_id: fc.constantFrom(null, ...NAMES),
    customers: fc.array(
      fc.record({ customer_id: fc.constantFrom(...NAMES), quantity: quantities }),
      { maxLength: 3 },
    ),
    destination: fc.option(
      fc.record({
        is_new: fc.boolean(),
        since: fc.constantFrom(NOON, NOON - HOUR, NOON - HOUR + 1, NOON - DAY),
      }),
    ),
  })
  .map(({ amount, destination, ...rest }) => ({
    ...rest,
    ...amount,
    ...(destination === null ? {} : { destination }),
  }))

const nameOf = ({ per, key, asset, day }: TotalKey) => `${per} ${key} ${asset} ${day}`

/** Written as the documentation says it, not as the judge does. */
class Oracle {
  readonly #moved: Facts[] = []

  totals: Totals = (wanted) => {
    let sum = 0n
    for (const moved of this.#moved)
      if (Math.floor(moved.at / DAY) * DAY === wanted.day && moved.asset === wanted.asset)
        sum += this.#of(moved, wanted.per, wanted.key)
    return sum
  }

  count(moved: Facts): void {
    if (moved.command === 'WITHDRAWAL') this.#moved.push(moved)
  }

  #of(moved: Facts, per: TotalKey['per'], key: string): Decimal {
    const { quantity = 0n, customers = [], route_id, requester } = moved
    if (per === 'WORKSPACE') return quantity
    if (per === 'ROUTE') return route_id === key ? quantity : 0n
    if (per === 'USER') return requester.user_id === key ? quantity : 0n
    if (per === 'KEY') return requester.api_key_id === key ? quantity : 0n
    return customers.reduce(
      (sum, part) => (part.customer_id === key ? sum + part.quantity : sum),
      0n,
    )
  }

  holds(when: When, given: Facts): boolean {
    const { asset = '', quantity, destination, requester } = given
    const day = Math.floor(given.at / DAY) * DAY
    const perDay = when.amount_per_day_at_least
    const keys = { ...requester, customers: (given.customers ?? []).map((one) => one.customer_id) }
    const keysOf = {
      CUSTOMER: keys.customers,
      ROUTE: [given.route_id],
      USER: [keys.user_id],
      KEY: [keys.api_key_id],
      WORKSPACE: [''],
    }
    return [
      when.commands?.includes(given.command),
      when.assets?.includes(asset),
      when.amount_at_least && quantity !== undefined && quantity >= decimal(when.amount_at_least),
      perDay &&
        given.command === 'WITHDRAWAL' &&
        quantity !== undefined &&
        keysOf[perDay.per].some(
          (key) =>
            key !== null &&
            key !== undefined &&
            this.#of(given, perDay.per, key) > 0n &&
            this.totals({ per: perDay.per, key, asset, day }) + this.#of(given, perDay.per, key) >=
              decimal(perDay.amount),
        ),
      when.destination_is_new === undefined
        ? undefined
        : destination?.is_new === when.destination_is_new,
      when.destination_younger_than_hours &&
        destination !== undefined &&
        given.at - destination.since < when.destination_younger_than_hours * HOUR,
      when.routes?.some((route) => route === given.route_id),
      when.requesters?.some((user) => user === requester.user_id),
      when.roles?.some((role) => requester.roles.includes(role)),
      when.api_keys?.some((key) => key === requester.api_key_id),
    ].every((holds) => holds !== false)
  }
}

describe('a policy', () => {
  it('says what the oracle says of every command, whatever was counted before', () => {
    const run = fc.property(policies, fc.array(commands, { maxLength: 8 }), (given, asked) => {
      const oracle = new Oracle()
      const counted = new Map<string, Decimal>()
      const totals: Totals = (key) => counted.get(nameOf(key)) ?? 0n
      for (const command of asked) {
        const place = given.rules.findIndex(({ when }) => oracle.holds(when, command))
        const expected = given.rules[place]?.verdict ?? given.otherwise
        const said = judge(given, command, totals)
        assert.deepEqual([said.verdict, said.rule], [expected, place < 0 ? null : place + 1])
        if (said.verdict === 'DENY') continue
        oracle.count(command)
        for (const part of countedParts(command)) {
          counted.set(nameOf(part), totals(part) + part.quantity)
          assert.equal(format(totals(part)), format(oracle.totals(part)))
        }
      }
    })
    fc.assert(run, { numRuns: 2_000 })
  })

  it('holds each condition of each command by itself', () => {
    for (const command of COMMAND_NAMES)
      fc.assert(
        fc.property(whens, commands, (when, given) => {
          const asked = { ...given, command }
          const expected = new Oracle().holds(when, asked) ? 'DENY' : 'ALLOW'
          assert.equal(verdictOf(when, asked), expected)
        }),
        { numRuns: 100 },
      )
  })

  it('is decided by the first rule that matches', () => {
    const given = policy(
      { name: 'others', when: { assets: ['BTC'] } },
      { name: 'ours', verdict: 'ALLOW', when: { assets: ['EUR'] } },
      { name: 'all' },
    )
    assert.partialDeepStrictEqual(judge(given, facts(), NOTHING), { verdict: 'ALLOW', rule: 2 })
    assert.equal(judge({ ...policy(), otherwise: 'DENY' }, facts(), NOTHING).verdict, 'DENY')
  })

  it('takes an amount that is just the limit, to the last digit', () => {
    const when = { assets: ['EUR'], amount_at_least: '100' }
    assert.equal(verdictOf(when, facts()), 'DENY')
    assert.equal(verdictOf(when, facts({ quantity: 100n * ONE - 1n })), 'ALLOW')
  })

  it('sums up a day, and says when it may be asked again', () => {
    const when: When = { amount_per_day_at_least: { per: 'WORKSPACE', amount: '150' } }
    const counted: Totals = ({ day }) => (day === NOON - 12 * HOUR ? 50n * ONE : 0n)
    const denied = judge(policy({ when }), facts(), counted)
    assert.equal(denied.possible_at, NOON + 12 * HOUR)
    assert.match(deniedError(denied).message, /50 EUR moved .* with 100 more .*2026-03-03T00:00/)
    assert.equal(verdictOf(when, facts({ quantity: 100n * ONE - 1n }), counted), 'ALLOW')
    assert.equal(verdictOf(when, facts({ at: NOON + DAY }), counted), 'ALLOW')
    const large = judge(policy({ when }), facts({ quantity: 150n * ONE }), NOTHING)
    assert.deepEqual([large.verdict, large.possible_at], ['DENY', null])
  })

  it('lets a destination rest, and says until when', () => {
    const when: When = { destination_younger_than_hours: 24 }
    const young = facts({ destination: { is_new: true, since: NOON - DAY + 1 } })
    const denied = judge(policy({ when }), young, NOTHING)
    assert.deepEqual([denied.verdict, denied.possible_at], ['DENY', NOON + 1])
    assert.equal(verdictOf(when, { ...young, at: NOON + 1 }), 'ALLOW')
  })

  it('knows times of day, over midnight and over a changed clock', () => {
    const night = { from: '22:00', to: '06:00', zone: 'Europe/Berlin' }
    const at = (text: string) => windowAt(night, Date.parse(text))?.ends_at
    assert.equal(at('2026-03-02T20:59:59Z'), undefined)
    assert.equal(at('2026-03-02T21:00:00Z'), Date.parse('2026-03-03T05:00:00Z'))
    assert.equal(at('2026-03-03T04:59:59Z'), Date.parse('2026-03-03T05:00:00Z'))
    assert.equal(at('2026-03-03T05:00:00Z'), undefined)
    // Clocks are put forward in this night.
    assert.equal(at('2026-03-28T23:00:00Z'), Date.parse('2026-03-29T04:00:00Z'))
    const friday = { ...night, days: [WEEKDAYS[4]] }
    assert.ok(windowAt(friday, Date.parse('2026-03-07T03:00:00Z')))
    assert.equal(windowAt(friday, Date.parse('2026-03-06T03:00:00Z')), undefined)
  })
})

describe('approvals', () => {
  const groups = [{ roles: ['APPROVER'], n: 2 }, { users: ['boss'], n: 1 }, { n: 1 }]
  const of = (user_id: string, ...roles: string[]) => groupsOf(groups, { user_id, roles })

  it('count for the groups that a person is in', () => {
    assert.deepEqual(of('x', 'APPROVER'), [0, 2])
    assert.deepEqual(of('boss'), [1, 2])
    assert.deepEqual(of('y', 'TRADER'), [2])
  })

  it('count once each, for the group where they help', () => {
    const [boss, approver, anybody] = [of('boss'), of('x', 'APPROVER'), of('y')]
    assert.deepEqual(missingApprovals(groups, []), [2, 1, 1])
    assert.ok(!isComplete(missingApprovals(groups, [boss, approver, approver])))
    assert.ok(isComplete(missingApprovals(groups, [anybody, boss, approver, approver])))
    assert.ok(isComplete(missingApprovals(groups, [approver, approver, approver, boss])))
    const both = [{ n: 1 }, { n: 1 }]
    assert.deepEqual(missingApprovals(both, [[0, 1]]), [0, 1])
  })
})
