import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { TREASURY_NEEDS } from '../reports/needs.ts'
import type { Withdrawal } from './withdrawals.schema.ts'
import { openWithdrawals } from './withdrawals.testing.ts'

describe('filters of withdrawals', () => {
  let withdrawals: Awaited<ReturnType<typeof openWithdrawals>>
  let bob: Customer
  let [first, second, third] = ['', '', '']

  const found = async (query: string): Promise<string[]> => {
    const { data, text } = await withdrawals.place.call<Withdrawal[]>(
      'GET',
      `/treasury/withdrawals?${query}`,
    )
    assert.ok(Array.isArray(data), text)
    return data.map((withdrawal) => withdrawal.id)
  }

  before(async () => {
    withdrawals = await openWithdrawals()
    const { funded, request, routes } = withdrawals
    bob = await funded()
    const pay = async (route: { id: string }, body: object): Promise<string> => {
      const { data, status, text } = await request(route, body)
      assert.equal(status, 200, text)
      return data.id
    }
    first = await pay(routes.payout, { account: bob.account_id, quantity: '1' })
    withdrawals.place.clock.advance(1000)
    second = await pay(routes.payout, {
      account: bob.account_id,
      quantity: '0.5',
      client_ref: 'payroll-7',
    })
    withdrawals.place.clock.advance(1000)
    third = await pay(routes.vaultToExchange, { quantity: '1' })
  })
  after(() => withdrawals.place.close())

  it('the asset and the quantity', async () => {
    assert.deepEqual(await found('asset=btc'), [third, second, first])
    assert.deepEqual(await found('asset=EUR'), [])
    assert.deepEqual(await found('quantity_from=1&quantity_to=1.0'), [third, first])
    assert.deepEqual(await found('quantity_to=0.99'), [second])
  })

  it('and says what they amount to, also where two lists are merged', async () => {
    const totals = async (query: string) =>
      (await withdrawals.place.call('GET', `/treasury/withdrawals/totals?${query}`)).data
    const { state, from_wallet_id } = await withdrawals.read(third)
    const sumOf = (rows: number, quantity: string) => ({
      rows,
      complete: true,
      totals: [{ asset: 'BTC', state, rows, quantity }],
    })
    assert.deepEqual(await totals(''), sumOf(3, '2.5'))
    assert.deepEqual(await totals('client_ref=payroll-7'), sumOf(1, '0.5'))
    const listed = await found(`wallet_id=${from_wallet_id}`)
    assert.partialDeepStrictEqual(await totals(`wallet_id=${from_wallet_id}`), {
      rows: listed.length,
    })
  })

  it('when it was made, to the millisecond', async () => {
    const { system_created_at: at } = await withdrawals.read(second)
    const since = `system_created_at_from=${at}`
    assert.deepEqual(await found(since), [third, second])
    assert.deepEqual(await found(`${since}&system_created_at_to=${at + 1}`), [second])
    assert.deepEqual(await found(`system_created_at_to=${at}`), [first])
    assert.deepEqual(await found(`system_created_at_from=${at + 1}&client_ref=payroll-7`), [])
  })

  it('the name that its caller gave it', async () => {
    assert.deepEqual(await found('client_ref=payroll-7'), [second])
    assert.deepEqual(await found('client_ref=payroll'), [])
    assert.equal((await withdrawals.read(second)).client_ref, 'payroll-7')
    assert.equal((await withdrawals.read(first)).client_ref, null)
  })

  it('the account or customer who pays', async () => {
    assert.deepEqual(await found(`customer_id=${bob.id}`), [second, first])
    assert.deepEqual(await found(`account_id=${bob.account_id}&quantity_from=0.6`), [first])
    assert.deepEqual(await found(`customer_id=${newId()}`), [])
  })

  it('the wallet that it leaves or goes to, page by page', async () => {
    const { from_wallet_id, to_wallet_id } = await withdrawals.read(third)
    assert.deepEqual(await found(`wallet_id=${to_wallet_id}`), [third])
    assert.deepEqual(await found(`wallet_id=${from_wallet_id}`), [third, second, first])
    const path = `wallet_id=${from_wallet_id}&customer_id=${bob.id}&limit=1`
    assert.deepEqual(await found(path), [second])
    assert.deepEqual(await found(`${path}&cursor=${second}`), [first])
  })

  it('each says whose it is, as its request answers it', async () => {
    assert.partialDeepStrictEqual(await withdrawals.read(first), {
      nature: 'CUSTOMER',
      customer_id: bob.id,
    })
    assert.partialDeepStrictEqual(await withdrawals.read(third), {
      nature: 'OWN_TRANSFER',
      customer_id: null,
    })
    const { place, request, routes } = withdrawals
    const paid = await request(routes.payout, { account: bob.account_id, quantity: '0.1' })
    assert.deepEqual(paid.data, await withdrawals.read(paid.data.id))
    const canceled = await place.call<Withdrawal>(
      'POST',
      `/treasury/withdrawals/${paid.data.id}/cancel`,
      {},
    )
    assert.partialDeepStrictEqual(canceled.data, { nature: 'CUSTOMER', customer_id: bob.id })
    assert.deepEqual(canceled.data, await withdrawals.read(paid.data.id))
  })

  it('waits for an owner from its request on, until it is assigned', async () => {
    const { assign, place, read, request, routes } = withdrawals
    const owed = async () => {
      const need = TREASURY_NEEDS.find(({ kind }) => kind === 'withdrawals_unassigned')
      assert.ok(need !== undefined)
      const [row] = await place.db.query<{ count: number }>(
        need.select(place.workspace, place.clock.now()),
      )
      return [row?.count, await found('unassigned=true')]
    }
    assert.deepEqual(await owed(), [0, []])
    const { id } = (await request(routes.payout, { quantity: '0.2' })).data
    assert.deepEqual(await owed(), [1, [id]])
    assert.ok(!(await found('unassigned=false')).includes(id))
    assert.partialDeepStrictEqual(await read(id), { nature: 'UNASSIGNED', customer_id: null })
    await assign(id, [{ account_id: bob.account_id, quantity: '0.2' }])
    assert.deepEqual(await owed(), [0, []])
    assert.partialDeepStrictEqual(await read(id), { nature: 'CUSTOMER', customer_id: bob.id })
    await place.call('POST', `/treasury/withdrawals/${id}/cancel`, {})
  })
})
