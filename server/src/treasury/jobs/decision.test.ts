import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decimal, format, ONE, scaleOf } from '../../core/decimal.ts'
import { decideRun, wantedTransfer } from './decision.ts'
import type { Condition, Rule, Terms } from './decision.ts'

const terms = (more: Record<string, string | null> = {}): Terms => {
  const given: Record<string, string | null> = {
    fee: '0',
    fee_balance: null,
    fee_share: '0.1',
    least: null,
    most: null,
    ...more,
  }
  const figure = (name: string) =>
    given[name] === null || given[name] === undefined ? null : decimal(given[name])
  return {
    scale: Number(given['scale'] ?? '2'),
    fee_asset: 'EUR',
    fee: figure('fee') ?? 0n,
    fee_balance: figure('fee_balance'),
    fee_share: figure('fee_share') ?? 0n,
    least: figure('least'),
    most: figure('most'),
  }
}
const sweeping = (target: string, min_quantity = '0'): Rule => ({
  condition_type: 'SWEEPING',
  target: decimal(target),
  min_quantity: decimal(min_quantity),
})
const provision = (target: string, min_quantity = '0'): Rule => ({
  condition_type: 'PROVISION',
  target: decimal(target),
  min_quantity: decimal(min_quantity),
})
/** `from>5 to<3` */
const conditional = (text: string, quantity: string): Rule => ({
  condition_type: 'CONDITIONAL',
  quantity: decimal(quantity),
  conditions: text.split(' ').map((part): Condition => ({
    side: part.startsWith('from') ? 'from' : 'to',
    predicate: part.includes('>') ? 'GT' : 'LT',
    quantity: decimal(part.split(/[<>]/)[1] ?? ''),
  })),
})

const ROWS: [string, Rule, string, string | null, Record<string, string | null>, string][] = [
  // what, rule, source, destination, terms, outcome
  ['sweeps what is above the target', sweeping('5'), '12', null, {}, '7'],
  ['the fee in the same asset comes off', sweeping('5'), '12', null, { fee: '0.5' }, '6.5'],
  [
    'a fee in another asset does not',
    sweeping('5'),
    '12',
    null,
    { fee: '0.5', fee_balance: '1' },
    '7',
  ],
  [
    'another asset short of the fee',
    sweeping('5'),
    '12',
    null,
    { fee: '0.5', fee_balance: '0.4' },
    'INSUFFICIENT_FEE_ASSET',
  ],
  ['exactly the target', sweeping('5'), '5', null, {}, 'BALANCE_NOT_DUE'],
  ['below the target', sweeping('5'), '3', null, {}, 'BALANCE_NOT_DUE'],
  ['a source below zero', sweeping('0'), '-3', null, {}, 'BALANCE_NOT_DUE'],
  ['dust under the scale', sweeping('5'), '5.009', null, {}, 'BALANCE_NOT_DUE'],
  ['floored to the scale', sweeping('5'), '12.019', null, {}, '7.01'],
  ['floored after the fee', sweeping('5'), '12', null, { fee: '0.005' }, '6.99'],
  ['exactly the minimum', sweeping('5', '7'), '12', null, {}, '7'],
  ['below the minimum', sweeping('5', '7.01'), '12', null, {}, 'BELOW_MIN_QUANTITY'],
  [
    'below the minimum after the fee',
    sweeping('5', '7'),
    '12',
    null,
    { fee: '0.01' },
    'BELOW_MIN_QUANTITY',
  ],
  ['the fee takes all', sweeping('5'), '5.5', null, { fee: '0.5' }, 'FEE_EXCEEDS_QUANTITY'],
  ['the fee takes most', sweeping('5'), '5.9', null, { fee: '0.5' }, 'FEE_EXCEEDS_QUANTITY'],
  ['the fee is more than a tenth', sweeping('0'), '10', null, { fee: '1' }, 'FEE_TOO_HIGH'],
  ['the fee is just a tenth', sweeping('0'), '11', null, { fee: '1' }, '10'],
  ['another share', sweeping('0'), '10', null, { fee: '1', fee_share: '0.5' }, '9'],
  ["below the venue's minimum", sweeping('5'), '12', null, { least: '8' }, 'BELOW_VENUE_MINIMUM'],
  ['at most what the venue sends', sweeping('5'), '12', null, { most: '2.005' }, '2'],
  ['fills up to the target', provision('10'), '20', '4', {}, '6'],
  ['nothing to fill', provision('10'), '20', '10', {}, 'BALANCE_NOT_DUE'],
  ['more than full', provision('10'), '20', '12', {}, 'BALANCE_NOT_DUE'],
  ['the source has just that', provision('10'), '6', '4', {}, '6'],
  [
    'the source cannot give all, so nothing',
    provision('10'),
    '5.99',
    '4',
    {},
    'INSUFFICIENT_SOURCE',
  ],
  ['nor the fee on top', provision('10'), '6', '4', { fee: '0.01' }, 'INSUFFICIENT_SOURCE'],
  [
    'another asset pays the fee',
    provision('10'),
    '6',
    '4',
    { fee: '0.01', fee_balance: '0.01' },
    '6',
  ],
  ['below the minimum', provision('10', '6.01'), '20', '4', {}, 'BELOW_MIN_QUANTITY'],
  [
    'the fee is as much as the quantity',
    provision('10'),
    '20',
    '9',
    { fee: '1' },
    'FEE_EXCEEDS_QUANTITY',
  ],
  ['the fee is too high', provision('10'), '20', '9', { fee: '0.2' }, 'FEE_TOO_HIGH'],
  ['in parts where the venue sends less', provision('10'), '20', '4', { most: '5' }, '5'],
  ['a floored gap', provision('10'), '20', '4.009', {}, '5.99'],
  ['greater is strict', conditional('from>5', '2'), '5', null, {}, 'CONDITION_NOT_MET'],
  ['less is strict', conditional('to<5', '2'), '9', '5', {}, 'CONDITION_NOT_MET'],
  ['one holds', conditional('from>5', '2'), '5.01', null, {}, '2'],
  ['both hold', conditional('from>5 to<3', '2'), '6', '2', {}, '2'],
  ['one of two does not', conditional('from>5 to<3', '2'), '6', '3', {}, 'CONDITION_NOT_MET'],
  [
    'exactly the quantity or nothing',
    conditional('from>1', '2'),
    '1.5',
    null,
    {},
    'INSUFFICIENT_SOURCE',
  ],
  ['with its fee', conditional('from>1', '2'), '2', null, { fee: '0.1' }, 'INSUFFICIENT_SOURCE'],
  [
    'the venue sends less',
    conditional('from>1', '2'),
    '9',
    null,
    { most: '1.9' },
    'ABOVE_VENUE_MAXIMUM',
  ],
  [
    'the venue sends more',
    conditional('from>1', '2'),
    '9',
    null,
    { least: '2.1' },
    'BELOW_VENUE_MINIMUM',
  ],
]

describe('what a job moves', () => {
  for (const [what, rule, source, destination, more, outcome] of ROWS) {
    it(`${rule.condition_type}: ${what}`, () => {
      const decision = decideRun(
        rule,
        {
          source: decimal(source),
          destination: destination === null ? null : decimal(destination),
        },
        terms(more),
      )
      assert.equal(
        'reason' in decision ? decision.reason : format(decision.quantity),
        outcome,
        decision.why,
      )
    })
  }

  it('never below the target, never more than there is, always within the limits', () => {
    // A fixed sequence (xorshift), so that a failure can be repeated.
    let seed = 0x2545f491n
    const random = (below: bigint) => {
      seed ^= (seed << 13n) & 0xffffffffn
      seed ^= seed >> 17n
      seed ^= (seed << 5n) & 0xffffffffn
      return seed % below
    }
    const amount = (digits = 6n) => random(3_000n * 10n ** digits) * (ONE / 10n ** (digits + 2n))
    const anyRule = (): Rule => {
      const kind = random(3n)
      const target = amount()
      const min_quantity = random(4n) === 0n ? amount() : 0n
      if (kind === 0n) return { condition_type: 'SWEEPING', target, min_quantity }
      if (kind === 1n) return { condition_type: 'PROVISION', target, min_quantity }
      const quantity = amount(0n) + ONE
      const condition = {
        side: random(2n) === 0n ? 'from' : 'to',
        predicate: random(2n) === 0n ? 'GT' : 'LT',
        quantity: amount(),
      } as const
      return { condition_type: 'CONDITIONAL', quantity, conditions: [condition] }
    }
    let moved = 0
    for (let round = 0; round < 20_000; round += 1) {
      const rule = anyRule()
      const balances = { source: amount() - ONE, destination: amount() }
      const fee = random(3n) === 0n ? 0n : amount() / 20n
      const own = random(2n) === 0n
      const given: Terms = {
        scale: 2,
        fee,
        fee_asset: 'X',
        fee_balance: own ? null : amount() / 20n,
        fee_share: ONE / 10n,
        least: random(4n) === 0n ? amount() / 4n : null,
        most: random(4n) === 0n ? amount() / 2n : null,
      }
      const decision = decideRun(rule, balances, given)
      const wanted = wantedTransfer(rule, balances, 2)
      assert.ok(decision.why.length > 0)
      if ('reason' in wanted) assert.deepEqual(decision, wanted)
      if ('reason' in decision) continue
      moved += 1
      const { quantity } = decision
      assert.ok(quantity > 0n && scaleOf(quantity) <= 2)
      const out = quantity + (own ? fee : 0n)
      assert.ok(balances.source - out >= (rule.condition_type === 'SWEEPING' ? rule.target : 0n))
      if (rule.condition_type === 'PROVISION')
        assert.ok(balances.destination + quantity <= rule.target)
      if (rule.condition_type === 'CONDITIONAL') assert.equal(quantity, rule.quantity)
      else assert.ok(quantity >= rule.min_quantity)
      assert.ok(
        (given.least === null || quantity >= given.least) &&
          (given.most === null || quantity <= given.most),
      )
      assert.ok(own ? fee * 10n <= quantity : fee <= (given.fee_balance ?? 0n))
    }
    assert.ok(moved > 1_000, `${moved} moved`)
  })
})
