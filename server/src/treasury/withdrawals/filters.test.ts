import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
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
    second = await pay(routes.payout, {
      account: bob.account_id,
      quantity: '0.5',
      client_ref: 'payroll-7',
    })
    third = await pay(routes.vaultToExchange, { quantity: '1' })
  })
  after(() => withdrawals.place.close())

  it('the asset and the quantity', async () => {
    assert.deepEqual(await found('asset=btc'), [third, second, first])
    assert.deepEqual(await found('asset=EUR'), [])
    assert.deepEqual(await found('quantity_from=1&quantity_to=1.0'), [third, first])
    assert.deepEqual(await found('quantity_to=0.99'), [second])
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
})
