/** A short run of `npm run chaos`: two of everything, of which any is killed at any time. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wrongIn } from './chaos/checker.ts'
import { compare } from './chaos/evidence.ts'
import type { Evidence } from './chaos/evidence.ts'
import { eventsWrong } from './chaos/followers.ts'
import { PLACES } from './chaos/house.ts'
import { Journal } from './chaos/journal.ts'
import { runChaos } from './chaos/run.ts'

const SEED = 41
const MILLISECONDS = 20_000
/** Fewer prove nothing. */
const EFFECTS = 10

describe('chaos', { timeout: 600_000 }, () => {
  let evidence: Evidence
  it('kills each process, and leaves every acknowledged effect there once', async () => {
    const lines: string[] = []
    const verdict = await runChaos({
      seed: SEED,
      milliseconds: MILLISECONDS,
      show: (line) => {
        lines.push(line)
      },
    })
    assert.deepEqual(verdict.wrong, [], lines.join('\n'))
    evidence = verdict.evidence
    assert.ok(verdict.effects >= EFFECTS, `${verdict.effects} effects`)
    for (const name of ['api 1', 'api 2', 'worker 1', 'worker 2', 'the database'])
      assert.notEqual(verdict.deaths.get(name) ?? 0, 0, `${name} was not killed`)
  })

  it('is judged by a checker that sees what is lost, doubled, blocked or not ended', () => {
    const { inside, outside, before } = evidence
    const [sent] = outside.sent
    const [deposit] = inside.deposits
    const [order] = outside.orders
    assert.ok(sent !== undefined && deposit !== undefined && order !== undefined)
    const withoutBalances: Evidence['inside']['balances'] = new Map(
      Array.from(inside.balances.keys(), (account) => [account, {}]),
    )
    const lacks: Record<string, Partial<Evidence>> = {
      'left its venue': { outside: { ...outside, sent: [...outside.sent, sent] } },
      'was acknowledged and is not there': { inside: { ...inside, withdrawals: [] } },
      'was asked for by nobody': { journal: new Journal() },
      'sent in': { inside: { ...inside, deposits: [] } },
      'is REVERSED': { inside: { ...inside, deposits: [{ ...deposit, state: 'REVERSED' }] } },
      'is 2 times at': { outside: { ...outside, orders: [{ ...order, count: 2 }] } },
      traded: { outside: { ...outside, traded: [] } },
      'was made': { outside: { ...outside, made: new Map() } },
      'there is': { before: { ...before, outside: { ...outside, totals: new Map() } } },
      'there is 0': { outside: { ...outside, totals: new Map() } },
      'more than before': { outside: { ...outside, held: new Map() } },
      'the books have': { inside: { ...inside, balances: new Map() } },
      'has 0 instead of': { inside: { ...inside, balances: withoutBalances } },
      'the trial balance 0': { inside: { ...inside, trial: [] } },
      'are held back': { inside: { ...inside, balances: blocked(inside.balances) } },
    }
    for (const [complaint, changed] of Object.entries(lacks)) {
      const wrong = wrongIn({ ...evidence, ...changed })
      assert.ok(
        wrong.some((reason) => reason.includes(complaint)),
        `${complaint}: ${wrong.join('; ')}`,
      )
    }
  })

  it('has two machines, each with one process of each role and a clock of its own', () => {
    const machines = [...Map.groupBy(PLACES, ({ skew }) => skew)]
    assert.deepEqual(
      machines.map(([, places]) => places.map(({ role }) => role)),
      [
        ['api', 'worker'],
        ['api', 'worker'],
      ],
    )
    const [one = 0, other = 0] = machines.map(([skew]) => skew)
    assert.ok(Math.abs(one - other) > 1_000, 'more than a second apart')
  })

  it('sees a gap in the events, and one that a follower has not seen', () => {
    const follower = (...sequences: number[]) => ({ sequences, stop: () => undefined })
    assert.deepEqual(eventsWrong([1, 2, 3], [follower(1, 2, 3)]), [])
    assert.deepEqual(eventsWrong([1, 2, 4], []), ['after event 2 comes 4'])
    assert.deepEqual(eventsWrong([1, 2], [follower(1, 2, 2)]), [
      'follower 1 saw 3 events, not the 2 in their order',
    ])
  })

  it('says what is there too often or not at all', () => {
    assert.deepEqual(compare('sent', ['a', 'b', 'c'], ['a', 'a', 'b', 'd']), [
      'sent: a is there 2 times instead of 1',
      'sent: c is there 0 times instead of 1',
      'sent: d is there 1 times instead of 0',
    ])
  })
})

/** As though something were held back of everything. */
function blocked(balances: Evidence['inside']['balances']): Evidence['inside']['balances'] {
  return new Map(
    Array.from(balances, ([account, of]) => [
      account,
      Object.fromEntries(
        Object.entries(of).map(([asset, balance]) => [asset, { ...balance, trading: '0' }]),
      ),
    ]),
  )
}
