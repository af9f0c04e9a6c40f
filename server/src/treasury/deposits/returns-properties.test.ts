/**
 * Whatever is asked at once of a deposit: what has gone back, what is assigned and what is left are
 * together what has arrived, in the records as in the books.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { Customer } from '../../customers/index.ts'
import { unassignedOf } from '../deposit-rows/rows.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openReturns } from './returns.testing.ts'

const ARRIVED = '100'
const RUNS = 12
/** The same runs every time. */
const SEED = 20_251_123

const who = fc.constantFrom(0, 1, undefined)
const quantity = fc.integer({ min: 1, max: 70 }).map(String)
const which = fc.nat({ max: 5 })
const step = fc.oneof(
  fc.record({ does: fc.constant('return' as const), who, quantity }),
  fc.record({ does: fc.constant('assign' as const), who: fc.constantFrom(0, 1), quantity }),
  fc.record({ does: fc.constant('cancel' as const), which }),
  fc.record({ does: fc.constant('end' as const), which, left: fc.boolean() }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
/** Those of one list happen at once. */
const steps = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
  minLength: 4,
  maxLength: 8,
})

describe('returns, assignments and their rest', { timeout: 300_000 }, () => {
  let returns: Awaited<ReturnType<typeof openReturns>>
  let customers: Customer[]
  before(async () => {
    returns = await openReturns()
    customers = [await returns.place.customer('One'), await returns.place.customer('Two')]
  })
  after(() => returns.close())

  const accountOf = (index: number | undefined) =>
    index === undefined ? {} : { account_id: customers[index]?.account_id ?? assert.fail() }

  async function take(id: string, made: readonly Withdrawal[], now: Step): Promise<void> {
    const { askReturn, assign, place } = returns
    switch (now.does) {
      case 'return':
        await askReturn(id, { ...accountOf(now.who), quantity: now.quantity })
        return
      case 'assign':
        await assign(id, [
          { account_id: accountOf(now.who).account_id ?? '', quantity: now.quantity },
        ])
        return
      case 'cancel':
        await place.call('POST', `/treasury/withdrawals/${made[now.which]?.id}/cancel`, {})
        return
      case 'end': {
        const { external_id = '' } = made[now.which] ?? {}
        if (place.models.bank.accepted.get(external_id)?.state === 'PENDING')
          place.models.bank.finish(external_id, { state: now.left ? 'SUCCESS' : 'FAILED' })
      }
    }
  }

  const quantities = (rows: readonly { quantity: string }[]): Decimal =>
    sum(rows.map((row) => decimal(row.quantity)))

  async function assertAgreement(id: string, before: { suspense: Decimal; bank: Decimal }) {
    const { assignments, place, readById, returnsOf, suspense } = returns
    const deposit = await readById(id)
    const made = await returnsOf(id)
    const gone = made.filter((row) => row.state === 'SUCCESS')
    const going = made.filter((row) => row.state === 'PENDING')
    const assigned = quantities(await assignments(id))
    const nobodys = (rows: readonly Withdrawal[]) =>
      quantities(rows.filter((row) => row.account_id === null))
    const rest = unassignedOf({ ...deposit, assignable: decimal(deposit.quantity) })
    assert.deepEqual(
      {
        returned: deposit.returned_quantity,
        returning: deposit.returning_quantity,
        returned_unassigned: deposit.returned_unassigned,
        returning_unassigned: deposit.returning_unassigned,
        assigned: deposit.assigned_quantity,
        arrived: format(nobodys(gone) + nobodys(going) + assigned + rest),
        suspense: await suspense(),
        bank: await place.total(place.bank.accounts.VENUE),
      },
      {
        returned: format(quantities(gone)),
        returning: format(quantities(going)),
        returned_unassigned: format(nobodys(gone)),
        returning_unassigned: format(nobodys(going)),
        assigned: format(assigned),
        arrived: ARRIVED,
        suspense: format(before.suspense + decimal(ARRIVED) - assigned - nobodys(gone)),
        bank: format(before.bank + decimal(ARRIVED) - quantities(gone)),
      },
    )
    assert.ok(quantities([...gone, ...going]) <= decimal(ARRIVED))
    for (const { account_id } of customers) {
      const got = (await assignments(id)).filter((row) => row.account_id === account_id)
      const back = [...gone, ...going].filter((row) => row.account_id === account_id)
      assert.ok(quantities(back) <= quantities(got), 'nobody returns what another one got')
    }
  }

  it('are together what has arrived, after any steps at once', () =>
    fc.assert(
      fc.asyncProperty(steps, async (rounds) => {
        const { arrives, place, returnsOf, suspense } = returns
        const before = {
          suspense: decimal(await suspense()),
          bank: decimal(await place.total(place.bank.accounts.VENUE)),
        }
        const { id } = await arrives(ARRIVED)
        for (const round of rounds) {
          const made = await returnsOf(id)
          await Promise.all(round.map((now) => take(id, made, now)))
          await place.later(1_000)
          await assertAgreement(id, before)
        }
        // What is on its way comes to its end.
        for (const { external_id } of (await returnsOf(id)).filter(
          (row) => row.state === 'PENDING',
        ))
          place.models.bank.finish(external_id, {})
        await place.later(60_000)
        await assertAgreement(id, before)
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    ))
})
