/**
 * Who a deposit may belong to: each clue by itself, then together, and never more than there is to
 * assign.
 */
import { workerCaller } from '../../http/index.ts'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { sql } from '../../store/sql.ts'
import { CUSTOMERS_IBAN, openMovements } from '../testing/movements.testing.ts'
import { scoreOf } from './suggestions.ts'
import { SUGGESTION_WEIGHTS } from './suggestions.schema.ts'
import type { DepositSuggestion } from './suggestions.schema.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'

const SENDER = 'NL91ABNA0417164300'

describe('suggestions for a deposit', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  let carla: Customer
  let firm: Customer
  let number = 0
  before(async () => {
    place = await openMovements()
    const common = {
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
    } as const
    const made = (body: Parameters<typeof createCustomer>[3]) =>
      place.db.tx((tx) =>
        createCustomer(workerCaller(place.workspace, 'test'), tx, place.clock, body),
      )
    carla = await made({
      ...common,
      type: 'RETAIL',
      label: 'Carla Conti',
      first_name: 'Carla',
      last_name: 'Conti',
      foreign_id: 'KD-4711',
    })
    firm = await made({
      ...common,
      type: 'INSTITUTION',
      label: 'Nordwind',
      company_name: 'Nordwind Handels GmbH',
    })
  })
  after(() => place.close())

  const arrives = async (
    quantity: string,
    ...sights: Parameters<typeof movement>[3][]
  ): Promise<string> => {
    number += 1
    for (const more of sights) {
      place.arrives(
        place.bank,
        movement(`suggest-${number}`, 'EUR', quantity, { wallet: IBAN, ...more }),
      )
      await place.later(60_000)
    }
    return depositOf(`suggest-${number}`)
  }
  const depositOf = async (foreign_id: string): Promise<string> => {
    const [row] = await place.db.query<{ id: string }>(
      sql`
        select id
        from deposits
        where workspace = ${place.workspace}
          and foreign_id = ${foreign_id}`,
    )
    return row?.id ?? ''
  }
  const suggested = async (id: string): Promise<DepositSuggestion[]> => {
    const answer = await place.call<DepositSuggestion[]>(
      'GET',
      `/treasury/deposits/${id}/suggestions`,
    )
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const short = (suggestions: readonly DepositSuggestion[]) =>
    suggestions.map((suggestion) =>
      [suggestion.account_label, ...suggestion.reasons.map((reason) => reason.code)].join(' '),
    )
  const assign = async (id: string, account_id: string, quantity: string) => {
    const answer = await place.call('POST', `/treasury/deposits/${id}/assignments`, [
      { account_id, quantity },
    ])
    assert.equal(answer.status, 200, answer.text)
  }

  it("by the reference, the sender's name and the customer's wallet", async () => {
    assert.deepEqual(
      short(await suggested(await arrives('11', { reference_text: 'Order KD-4711, thanks' }))),
      ['Carla Conti FOREIGN_ID'],
    )
    assert.deepEqual(
      short(
        await suggested(
          await arrives('12', {
            counterparty: { name: 'NORDWIND HANDELS GMBH', iban: null, bic: null },
          }),
        ),
      ),
      ['Nordwind NAME'],
    )
    assert.deepEqual(
      short(
        await suggested(
          await arrives('13', { counterparty: { name: 'Conti, Giulia', iban: null, bic: null } }),
        ),
      ),
      ['Carla Conti PART_OF_NAME'],
    )
    assert.deepEqual(
      short(await suggested(await arrives('14', { source_address: CUSTOMERS_IBAN }))),
      ['Alice CUSTOMERS_WALLET'],
    )
    assert.deepEqual(
      short(await suggested(await arrives('15', { reference_text: 'nothing known' }))),
      [],
    )
  })

  it('first the customer whose reference it has, not one with a part of it', async () => {
    const keller = (foreign_id: string) =>
      place.db.tx((tx) =>
        createCustomer(workerCaller(place.workspace, 'test'), tx, place.clock, {
          type: 'RETAIL',
          label: 'Jonas Keller',
          first_name: 'Jonas',
          last_name: 'Keller',
          margin: 'DEFAULT',
          booking_schema: 'ADVANCED',
          ignore_balance_check: false,
          ignore_margin: false,
          foreign_id,
        }),
      )
    const [older, younger] = [await keller('KELLER'), await keller('KELLER-2')]
    const made = await place.call('POST', '/accounts/matchings', {
      resource_id: older.account_id,
      type: 'DESTINATION_WITH_REFERENCE',
      details: {
        asset: 'EUR',
        is_withdrawal_matching: false,
        destination_address: IBAN,
        reference: 'KELLER',
      },
    })
    assert.equal(made.status, 200, made.text)
    const suggestions = await suggested(
      await arrives('16', {
        reference_text: 'KELLER-2',
        counterparty: { name: 'Jonas Keller', iban: null, bic: null },
      }),
    )
    assert.deepEqual(
      suggestions.map(({ account_id, reasons }) => ({
        account_id,
        reasons: reasons.map(({ explanation }) => explanation),
      })),
      [
        {
          account_id: younger.account_id,
          reasons: [
            "the text has the customer's reference KELLER-2",
            'the text has the name Jonas Keller',
          ],
        },
        { account_id: older.account_id, reasons: ['the text has the name Jonas Keller'] },
      ],
    )
  })

  it('by what came from the same source, and by the same amount', async () => {
    await assign(await arrives('250', { source_address: SENDER }), firm.account_id, '250')
    const [first, ...others] = await suggested(
      await arrives('250', { source_address: SENDER, reference_text: 'for carla conti' }),
    )
    assert.ok(first !== undefined)
    assert.deepEqual(short([first]), ['Nordwind SAME_SOURCE SAME_AMOUNT'])
    assert.equal(first.quantity, '250')
    assert.equal(
      first.score,
      scoreOf([SUGGESTION_WEIGHTS.SAME_SOURCE, SUGGESTION_WEIGHTS.SAME_AMOUNT]),
    )
    assert.deepEqual(short(others), ['Carla Conti NAME'])
  })

  it('by a matching whose reference the deposit does not name', async () => {
    const made = await place.call('POST', '/accounts/matchings', {
      resource_id: carla.account_id,
      type: 'SOURCE_WITH_REFERENCE',
      details: {
        asset: 'EUR',
        is_withdrawal_matching: false,
        source_address: 'BE68539007547034',
        reference: 'RENT-9',
      },
    })
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(
      short(await suggested(await arrives('31', { source_address: 'BE68 5390 0754 7034' }))),
      ['Carla Conti MATCHING_ADDRESS'],
    )
    assert.deepEqual(short(await suggested(await arrives('32', { reference_text: 'rent-9' }))), [
      'Carla Conti MATCHING_REFERENCE',
    ])
  })

  it('by the withdrawal that arrives with it, by its transaction or reference', async () => {
    const { alice, routes, models, vault, exchange } = place
    place.arrives(vault, movement('first', 'BTC', '2', { wallet: '0' }))
    await place.later(700_000)
    await assign(await depositOf('first'), alice.account_id, '2')
    const bob = await place.customer('Bob')
    await place.fund(bob.account_id, 'BTC', '1')
    const send = async (
      quantity: string,
      transaction_hash: string,
      { account_id }: Pick<Customer, 'account_id'> = alice,
    ) => {
      const made = await place.call(
        'POST',
        `/treasury/wallets/routes/${routes.vaultToExchange.id}/withdrawals`,
        { quantity, speed_level: 'DEFAULT', account_id },
      )
      assert.equal(made.status, 200, made.text)
      await place.work()
      models.vault.finish(String(made.data['external_id']), { fee: null, transaction_hash })
      await place.later(20_000)
      return made.data
    }
    const byHash = await send('0.5', 'sent-1')
    const byReference = await send('0.7', 'sent-2')
    const arrived = async (foreign_id: string, quantity: string, more: object) => {
      place.arrives(exchange, movement(foreign_id, 'BTC', quantity, more))
      await place.later(700_000)
      return suggested(await depositOf(foreign_id))
    }
    const [first] = await arrived('house-1', '0.5', { transaction_hash: 'SENT-1' })
    assert.deepEqual(
      [first?.account_id, first?.withdrawal_id, first?.quantity, first?.score],
      [alice.account_id, byHash['id'], '0.5', 95],
    )
    const [second] = await arrived('house-2', '0.6999', {
      reference_text: `payment ${byReference['external_id']}`,
    })
    assert.deepEqual(
      [second?.withdrawal_id, second?.reasons[0]?.code],
      [byReference['id'], 'ITS_WITHDRAWAL'],
    )
    await assign(await depositOf('house-1'), alice.account_id, '0.5')
    assert.deepEqual(await arrived('house-3', '0.4', { transaction_hash: 'other' }), [])
    await send('0.6', 'sent-3', bob)
    const itself = await send('0.2', 'sent-3')
    const shared = await arrived('house-4', '0.2', { transaction_hash: 'sent-3' })
    assert.deepEqual(
      shared.map(({ withdrawal_id }) => withdrawal_id),
      [itself['id']],
      'not the larger one of its transaction too',
    )
  })

  it('nobody when all of it is assigned, nobody deleted, and the rest when a part is', async () => {
    const id = await arrives('40', { reference_text: 'KD-4711' })
    await assign(id, firm.account_id, '30')
    assert.deepEqual(
      (await suggested(id)).map((row) => [row.account_label, row.quantity]),
      [['Carla Conti', '10']],
    )
    await assign(id, firm.account_id, '10')
    assert.deepEqual(await suggested(id), [])
    for (const state of ['FAILED', 'REVERSED'] as const)
      assert.deepEqual(
        await suggested(
          await arrives('42', { reference_text: 'KD-4711', state: 'PENDING' }, { state }),
        ),
        [],
        state,
      )
    const other = await arrives('41', { reference_text: 'KD-4711' })
    await place.db.query(sql`
      update customers
      set state = 'DELETED'
      where id = ${carla.id}`)
    assert.deepEqual(await suggested(other), [])
  })

  it('is unknown elsewhere', async () => {
    assert.equal(
      (await place.call('GET', `/treasury/deposits/${newId()}/suggestions`)).error_code,
      4004,
    )
    const id = await arrives('50', { reference_text: 'KD-4711' })
    assert.equal(
      (
        await place.call('GET', `/treasury/deposits/${id}/suggestions`, undefined, {
          token: 'stranger',
        })
      ).error_code,
      4004,
    )
  })
})
