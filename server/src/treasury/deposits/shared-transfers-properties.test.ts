/**
 * Whatever becomes of a payment that the house and customers share: every account has what a few
 * lines of arithmetic say, and what is refused changes nothing.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, least, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openSharedTransfers } from './shared-transfers.testing.ts'

const RUNS = 15
const RUNS_IN_PARTS = 8
/** The same runs every time. */
const SEED = 20_261_123

const sent = fc.record({
  house: fc.integer({ min: 1, max: 50 }),
  bob: fc.integer({ min: 1, max: 30 }),
  carol: fc.integer({ min: 1, max: 30 }),
  missing: fc.constantFrom(0, 0, 1, 40),
  named: fc.boolean(),
})
const step = fc.oneof(
  fc.constantFrom('end', 'arrive', 'recall', 'relate', 'unrelate').map((does) => ({
    does,
    quantity: '0',
  })),
  fc.integer({ min: 1, max: 60 }).map((quantity) => ({ does: 'assign', quantity: `${quantity}` })),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Sent = typeof sent extends fc.Arbitrary<infer T> ? T : never

/** Without what is as before. */
const shown = (totals: Record<string, Decimal>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(totals)
      .filter(([, change]) => change !== 0n)
      .map(([name, change]) => [name, format(change)]),
  )

/** What should be, and what the venues report. */
type Model = {
  transfer: Decimal
  owned: Decimal
  arrived: Decimal
  isNamed: boolean
  hasLeft: boolean
  isHere: boolean
  isRelated: boolean
  assigned: Decimal
}

const restOf = ({ owned, arrived }: Model): Decimal => least(owned, arrived)

function expectedTotals(model: Model, { bob, carol }: Sent): Record<string, Decimal> {
  const { transfer, owned, arrived, hasLeft, isHere, isRelated, assigned } = model
  const gone = hasLeft ? 1n : 0n
  const here = isHere ? 1n : 0n
  const related = isHere && isRelated ? 1n : 0n
  const came = arrived - restOf(model)
  return {
    exchange: -gone * (transfer + owned),
    bank: here * arrived,
    transit: (gone - related) * transfer,
    fee: related * (transfer - came),
    suspense: here * (arrived - assigned) - related * came,
    Bob: here * assigned - gone * decimal(`${bob}`),
    Carol: -gone * decimal(`${carol}`),
  }
}

const returned = fc.record({
  house: fc.integer({ min: 1, max: 50 }),
  bob: fc.integer({ min: 1, max: 30 }),
  parts: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 3, maxLength: 3 }),
})
/** One part comes, or some are recalled in one reading. */
const report = fc.oneof(
  fc.nat(2).map((place) => ({ state: 'FINAL' as const, concerns: [place] })),
  fc
    .subarray([0, 1, 2], { minLength: 1 })
    .map((concerns) => ({ state: 'REVERSED' as const, concerns })),
)
/** A part of what comes back; `rest`: what accounts can have of it, all of it when not related. */
type Part = {
  quantity: Decimal
  isHere: boolean
  isRelated: boolean
  rest: Decimal
  assigned: Decimal
}
const ABSENT = { isHere: false, isRelated: false, rest: 0n, assigned: 0n }

/** This part comes, or comes again: what accounts have of it stands. */
function arrived(parts: readonly Part[], part: Part, owned: Decimal): Part {
  const taken = sum(parts.filter(isOfTransfer).map(({ rest }) => rest))
  const rest = least(owned - taken, part.quantity)
  if (part.assigned > rest) return { ...part, isHere: true, isRelated: false, rest: part.quantity }
  const assigned = part.assigned === 0n ? rest : part.assigned
  return { ...part, isHere: true, isRelated: true, rest, assigned }
}

const isOfTransfer = ({ isHere, isRelated }: Part): boolean => isHere && isRelated

function expectedOfParts(parts: readonly Part[], sent: { transfer: Decimal; owned: Decimal }) {
  const here = parts.filter(({ isHere }) => isHere)
  const came = parts.filter(isOfTransfer).map(({ quantity, rest }) => quantity - rest)
  const total = (of: (part: Part) => Decimal): Decimal => sum(here.map((part) => of(part)))
  return {
    bank: total(({ quantity }) => quantity) - sent.transfer - sent.owned,
    transit: came.length === 0 ? sent.transfer : 0n,
    fee: came.length === 0 ? 0n : sent.transfer - sum(came),
    suspense: total(({ rest, assigned }) => rest - assigned),
    Bob: total(({ assigned }) => assigned) - sent.owned,
  }
}

describe('a payment that the house and customers share', { timeout: 300_000 }, () => {
  let world: Awaited<ReturnType<typeof openSharedTransfers>>
  before(async () => {
    world = await openSharedTransfers()
  })
  after(() => world.close())

  async function reported(withdrawal: Withdrawal, model: Model, state: 'FINAL' | 'REVERSED') {
    const { place } = world
    const { id, external_id } = withdrawal
    const more = { state, wallet: IBAN, carried_external_id: model.isNamed ? external_id : null }
    place.arrives(place.bank, movement(id, 'EUR', format(model.arrived), more))
    await place.later(10_000)
  }

  /** Does it, and answers what should be then. */
  async function take(withdrawal: Withdrawal, model: Model, now: Step): Promise<Model> {
    const { assign, bob, ends, read, relate, unrelate } = world
    const { isHere, isNamed, isRelated, assigned, arrived, owned, transfer } = model
    const isRoomy = assigned <= restOf(model)
    const accepted = (answer: { status: number }, expected: boolean): boolean => {
      assert.equal(answer.status === 200, expected, JSON.stringify([now, answer]))
      return expected
    }
    switch (now.does) {
      case 'end':
        if (!model.hasLeft) await ends(withdrawal)
        return { ...model, hasLeft: true }
      case 'arrive':
        if (isHere) return model
        await reported(withdrawal, model, 'FINAL')
        return { ...model, isHere: true, isRelated: isNamed && isRoomy }
      case 'recall':
        if (!isHere) return model
        await reported(withdrawal, model, 'REVERSED')
        return { ...model, isHere: false, isRelated: false }
      default:
    }
    if (!isHere) return model
    const { id } = await read(withdrawal.id)
    if (now.does === 'assign') {
      const free = (isRelated ? restOf(model) : arrived) - assigned
      const quantity = decimal(now.quantity)
      const part = { account_id: bob.account_id, quantity: now.quantity }
      const isTaken = accepted(await assign(id, [part]), quantity <= free)
      return isTaken ? { ...model, assigned: assigned + quantity } : model
    }
    if (now.does === 'unrelate')
      return accepted(await unrelate(id), isRelated) ? { ...model, isRelated: false } : model
    const fits = isRoomy && (isNamed || arrived === owned + transfer)
    const answer = await relate(id, { withdrawal_id: withdrawal.id })
    return accepted(answer, isRelated || fits) ? { ...model, isRelated: true } : model
  }

  async function assertAgreement(
    withdrawal: Withdrawal,
    model: Model,
    before: {
      totals: Record<string, Decimal>
      of: Sent
    },
  ) {
    const expected = shown(expectedTotals(model, before.of))
    assert.deepEqual(await world.changed(before.totals), expected)
    assert.equal(await world.hasArrived(withdrawal.id), model.isHere && model.isRelated)
    if (!model.isHere) return
    const { quantity, transfer_quantity, assigned_quantity } = await world.read(withdrawal.id)
    assert.equal(
      decimal(quantity) - decimal(transfer_quantity) - decimal(assigned_quantity),
      expectedTotals(model, before.of)['suspense'],
      'the record shows what waits on SUSPENSE',
    )
  }

  it('is booked as it should be, after any steps', () =>
    fc.assert(
      fc.asyncProperty(sent, fc.array(step, { minLength: 4, maxLength: 12 }), async (of, steps) => {
        const { bob, carol, sends, totals } = world
        const before = { totals: await totals(), of }
        const all = of.house + of.bob + of.carol
        const withdrawal = await sends(`${of.house}`, [
          [bob, `${of.bob}`],
          [carol, `${of.carol}`],
        ])
        let model: Model = {
          transfer: decimal(`${of.house}`),
          owned: decimal(`${of.bob + of.carol}`),
          arrived: decimal(`${Math.max(all - of.missing, 1)}`),
          isNamed: of.named,
          hasLeft: false,
          isHere: false,
          isRelated: false,
          assigned: 0n,
        }
        for (const now of steps) {
          model = await take(withdrawal, model, now)
          await assertAgreement(withdrawal, model, before)
        }
        // What has left and arrived leaves no hold, and the books verify at the end.
        if (!model.hasLeft) await world.ends(withdrawal)
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    ))

  it('is booked as it should be, in whatever parts it comes back', () =>
    fc.assert(
      fc.asyncProperty(
        returned,
        fc.array(report, { minLength: 3, maxLength: 7 }),
        async (of, reports) => {
          const { bob, changed, ends, sends, totals } = world
          const before = await totals()
          const sent = { transfer: decimal(`${of.house}`), owned: decimal(`${of.bob}`) }
          const payment = [[bob, `${of.bob}`]] as const
          const paid = await sends(`${of.house}`, payment, world.routes.bankToExchange)
          await ends(paid)
          let parts = of.parts.map((quantity): Part => ({
            ...ABSENT,
            quantity: decimal(`${quantity}`),
          }))
          for (const { state, concerns } of reports) {
            const isRecall = state === 'REVERSED'
            const more = { state, wallet: IBAN, related_external_id: paid.external_id }
            const concerned = parts.flatMap((part, place) =>
              concerns.includes(place) && part.isHere === isRecall ? [place] : [],
            )
            const movements = concerned.map((place) =>
              movement(`${paid.id}-${place}`, 'EUR', `${of.parts[place]}`, more),
            )
            world.place.arrives(world.place.bank, ...movements)
            await world.place.later(10_000)
            const known = parts
            parts = parts.map((part, place) => {
              if (!concerned.includes(place)) return part
              if (isRecall) return { ...part, isHere: false }
              return arrived(known, part, sent.owned)
            })
            assert.deepEqual(await changed(before), shown(expectedOfParts(parts, sent)))
            assert.equal(await world.hasArrived(paid.id), parts.some(isOfTransfer))
          }
        },
      ),
      { seed: SEED, numRuns: RUNS_IN_PARTS, endOnFailure: true },
    ))
})
