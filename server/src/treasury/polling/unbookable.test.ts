/** Movements that the database or the books cannot take are set aside; the others are booked. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { sql } from '../../store/sql.ts'
import { departure, IBAN } from '../testing/venue.fixture.ts'
import { credit, ITEMS, openSetAside } from './set-aside.testing.ts'

describe('movements that cannot be taken', () => {
  let desk: Awaited<ReturnType<typeof openSetAside>>
  beforeEach(async () => {
    desk = await openSetAside()
  })
  afterEach(() => desk.close())

  describe('at the gate', () => {
    const cases: [string, object, RegExp][] = [
      ['a NUL', { tag: 'a\0b' }, /^tag holds the character U\+0000/],
      ['half a surrogate pair', { reference_text: '\udc00' }, /^reference text holds .*U\+DC00/],
      [
        'a name of 600 characters',
        { counterparty: { name: 'n'.repeat(600), iban: null, bic: null } },
        /^counterparty's name has 600 characters; at most 500/,
      ],
      [
        'an amount of 22 digits',
        { quantity: 1_234_567_890_123_456_789_012n * 10n ** 18n },
        /^quantity has 22 digits before the point; the books take at most 20$/,
      ],
      ['a time that is none', { occurred_at: -1 }, /^occurred at is not a time: -1$/],
      ['more confirmations than fit', { confirmations: 3e9 }, /^confirmations is not a count/],
      [
        'what is no text',
        { transaction_hash: { a: 1 } },
        /^transaction hash is no text but object/,
      ],
    ]

    it('sets what cannot be stored aside, and books the others', async () => {
      const bad = cases.map(([what, more]) => credit(what, '10', more))
      desk.place.arrives(desk.bank, credit('1'), ...bad, credit('2'))
      await desk.read()
      assert.deepEqual(
        [await desk.deposits(), await desk.cursor()],
        [['1', '2'], String(bad.length + 2)],
      )
      const found = await desk.items()
      assert.deepEqual(
        found.map((row) => row.foreign_id),
        cases.map(([what]) => what),
      )
      for (const [index, [, , reason]] of cases.entries())
        assert.match(found[index]?.reason ?? '', reason)
      const [nul] = found
      const again = await desk.act(nul?.id ?? '', 'retry')
      assert.deepEqual([again.status, again.data.state], [200, 'OPEN'])
      assert.equal(again.data.reason, nul?.reason)
    })

    it('sets what left aside in the same way', async () => {
      const bad = departure('bad', 'EUR', '5', { wallet: IBAN, recipient_name: 'x\0' })
      await desk.place.leaves(desk.bank, bad, departure('good', 'EUR', '6', { wallet: IBAN }))
      assert.deepEqual(
        (await desk.externals()).map((withdrawal) => withdrawal.foreign_id),
        ['good'],
      )
      assert.deepEqual(
        (await desk.items()).map(({ foreign_id, direction, reason }) => [
          foreign_id,
          direction,
          reason,
        ]),
        [['bad', 'OUT', 'recipient name holds the character U+0000, which cannot be stored']],
      )
      const { data } = await desk.place.call<{ amount: string | null }[]>('GET', ITEMS)
      assert.deepEqual(
        data.map(({ amount }) => amount),
        ['5 EUR'],
      )
    })
  })

  describe('when the books cannot take one movement', () => {
    const MOST = '99999999999999999999'

    it('sets it aside, and books the others that arrived', async () => {
      await desk.place.db.query(sql`
        update wallets
        set integrate_from = ${desk.place.clock.now() + 60_000}
        where id = ${desk.place.wallets.bank.id}`)
      desk.place.arrives(desk.bank, credit('1'), credit('bad', MOST), credit('2'))
      const before = await desk.place.total(desk.bank.accounts.VENUE)
      await desk.read()
      const [bad, ...others] = await desk.items()
      assert.deepEqual([bad?.foreign_id, others, await desk.cursor()], ['bad', [], '3'])
      assert.match(
        bad?.reason ?? '',
        /^it cannot be booked: .* more than 20 integer digits of EUR$/,
      )
      const after = await desk.place.total(desk.bank.accounts.VENUE)
      assert.equal(decimal(after) - decimal(before), decimal('20'))
      const { data } = await desk.act(bad?.id ?? '', 'retry')
      assert.deepEqual([data.state, data.reason], ['OPEN', bad?.reason])
    })

    it('goes on with what left beside it', async () => {
      const left = Object.entries({ '1': '5', bad: MOST, '2': '5' }).map(([id, quantity]) =>
        departure(id, 'EUR', quantity, { wallet: IBAN }),
      )
      await desk.place.leaves(desk.bank, ...left)
      assert.deepEqual(
        (await desk.items()).map(({ foreign_id, direction }) => [foreign_id, direction]),
        [['bad', 'OUT']],
      )
      assert.deepEqual(
        (await desk.externals()).map(({ foreign_id, state }) => [foreign_id, state]).toSorted(),
        [
          ['1', 'SUCCESS'],
          ['2', 'SUCCESS'],
          ['bad', 'PENDING'],
        ],
      )
    })
  })
})
