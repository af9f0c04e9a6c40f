import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { linesOf, attributeUnplaced } from './wallet-lines.ts'
import type { Line, MovingPart, Sides } from './wallet-lines.ts'

const amounts = <Key>(record: readonly (readonly [Key, string])[]) =>
  new Map(record.map(([key, text]) => [key, decimal(text)]))
const moving = (wallet: string | null, low: string, high = low): MovingPart => ({
  wallet,
  low: decimal(low),
  high: decimal(high),
})
const sides = (
  held: [string | null, string][],
  ledger: string,
  positions: [string, string][] | undefined,
  more: Partial<Sides> = {},
): Sides => ({
  held: amounts(held),
  ledger: decimal(ledger),
  positions: positions && amounts(positions),
  moving: [],
  shown: [],
  ...more,
})
const short = ({ wallet, ledger, venue, on_the_way, difference }: Line) =>
  `${wallet}: ${[ledger, venue, on_the_way, difference].map(format).join(' ')}`

describe('the lines of an asset', () => {
  const cases: [string, Sides, string[]][] = [
    [
      'one pot',
      sides([[null, '5']], '6', [], { moving: [moving(null, '-1')] }),
      ['null: 6 5 -1 0'],
    ],
    [
      'wallets that the books do not know',
      sides(
        [
          ['a', '5'],
          ['b', '2'],
        ],
        '6',
        undefined,
        { moving: [moving('a', '1')] },
      ),
      ['null: 6 7 1 0'],
    ],
    [
      'wallet by wallet',
      sides(
        [
          ['a', '5'],
          ['b', '2'],
        ],
        '7',
        [
          ['a', '4'],
          ['b', '3'],
        ],
      ),
      ['a: 4 5 0 1', 'b: 3 2 0 -1', 'null: 0 0 0 0'],
    ],
    [
      'what moves is explained in its own wallet',
      sides(
        [
          ['a', '5'],
          ['b', '2'],
        ],
        '7',
        [
          ['a', '4'],
          ['b', '3'],
        ],
        { moving: [moving('a', '1'), moving('a', '-1')] },
      ),
      ['a: 4 5 1 0', 'b: 3 2 0 -1', 'null: 0 0 0 0'],
    ],
    [
      'what moves without a wallet, in any',
      sides(
        [
          ['a', '5'],
          ['b', '2'],
        ],
        '6',
        [
          ['a', '4'],
          ['b', '2'],
        ],
        { moving: [moving(null, '1')] },
      ),
      ['a: 4 5 1 0', 'b: 2 2 0 0', 'null: 0 0 0 0'],
    ],
    [
      'a wallet that the venue lists no more',
      sides([['a', '5']], '6', [
        ['a', '5'],
        ['b', '1'],
      ]),
      ['a: 5 5 0 0', 'b: 1 0 0 -1', 'null: 0 0 0 0'],
    ],
    [
      'what was booked in none',
      sides(
        [
          ['a', '5'],
          ['b', '2'],
        ],
        '8',
        [
          ['a', '5'],
          ['b', '2'],
        ],
      ),
      ['a: 5 5 0 0', 'b: 2 2 0 0', 'null: 1 0 0 -1'],
    ],
    [
      'a wallet whose break is open',
      sides([['a', '5']], '5', [['a', '5']], { shown: ['c'] }),
      ['a: 5 5 0 0', 'c: 0 0 0 0', 'null: 0 0 0 0'],
    ],
  ]
  for (const [name, given, expected] of cases)
    it(name, () => {
      assert.deepEqual(linesOf(given).map(short), expected)
    })
})

describe('what was booked in no wallet', () => {
  /** Differences by wallet; of the rest what was booked. */
  const placed = (wallets: Record<string, string>, rest: string) => {
    const line = (wallet: string | null, difference: string): Line => ({
      wallet,
      ledger: 0n,
      venue: 0n,
      on_the_way: 0n,
      difference: decimal(difference),
    })
    return attributeUnplaced([
      ...Object.entries(wallets).map(([wallet, difference]) => line(wallet, difference)),
      line(null, rest.startsWith('-') ? rest.slice(1) : `-${rest}`),
    ]).map(({ wallet, quantity }) => `${wallet} ${format(quantity)}`)
  }
  const cases: [string, Record<string, string>, string, string[]][] = [
    ['is in the only wallet', { a: '0' }, '12.5', ['a 12.5']],
    ['is where just that much differs', { a: '-2', b: '7', c: '0' }, '-2', ['a -2']],
    ['is where all together differ by it', { a: '-2', b: '-3', c: '0' }, '-5', ['a -2', 'b -3']],
    ['is nowhere when two differ by it', { a: '-2', b: '-2' }, '-2', []],
    ['is nowhere when they differ both ways', { a: '-7', b: '2' }, '-5', []],
    ['is nowhere when none differs', { a: '0', b: '0' }, '4', []],
    ['is nowhere where there is one pot', {}, '4', []],
    ['that is nothing', { a: '3', b: '0' }, '0', []],
  ]
  for (const [name, wallets, rest, expected] of cases)
    it(name, () => {
      assert.deepEqual(placed(wallets, rest), expected)
    })
})
