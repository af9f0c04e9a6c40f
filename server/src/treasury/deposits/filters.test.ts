import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { totalsOf } from '../../http/index.ts'
import { movement } from '../testing/venue.fixture.ts'
import { openDeposits } from './deposits.testing.ts'
import { DEPOSIT_TOTALS, listOfDeposits } from './list.ts'

describe('filters of deposits', () => {
  let deposits: Awaited<ReturnType<typeof openDeposits>>
  let bob: Customer
  let eve: Customer
  let [small, shared, coin] = ['', '', '']

  const found = async (query: string): Promise<string[]> => {
    const { data, text } = await deposits.place.call<Deposit[]>(
      'GET',
      `/treasury/deposits?${query}`,
    )
    assert.ok(Array.isArray(data), text)
    return data.map((deposit) => deposit.id)
  }

  before(async () => {
    deposits = await openDeposits()
    const { assign, place, read, wire } = deposits
    bob = await place.customer('Bob')
    eve = await place.customer('Eve')
    small = (await read(await wire('10'))).id
    shared = (await read(await wire('250.5'))).id
    place.arrives(place.vault, movement('coin', 'BTC', '0.5', { wallet: '0', protocol: 'BTC' }))
    await place.later(10_000)
    coin = (await read('coin')).id
    await assign(small, [{ account_id: bob.account_id, quantity: '10' }])
    const part = { account_id: bob.account_id, quantity: '50' }
    await assign(shared, [part, part, { account_id: eve.account_id, quantity: '150.5' }])
  })
  after(() => deposits.place.close())

  it('the asset, in any case, or several', async () => {
    assert.deepEqual(await found('asset=btc'), [coin])
    assert.deepEqual(await found('asset=EUR'), [shared, small])
    assert.deepEqual(await found('asset=EUR,BTC'), [coin, shared, small])
  })

  it('an account or a customer with a part of it, each deposit once', async () => {
    assert.deepEqual(await found(`account_id=${bob.account_id}`), [shared, small])
    assert.deepEqual(await found(`customer_id=${eve.id}`), [shared])
    assert.deepEqual(await found(`customer_id=${eve.id}&gone_twice=false`), [shared])
    assert.deepEqual(
      await found(`customer_id=${bob.id}&account_id=${bob.account_id}&asset=BTC`),
      [],
    )
    assert.deepEqual(await found(`customer_id=${bob.id}&account_id=${eve.account_id}`), [])
    assert.deepEqual(await found(`customer_id=${newId()}`), [])
    assert.deepEqual(await found('customer_id=&account_id='), [coin, shared, small])
  })

  it('each says whose it is: who has all that is assigned of it', async () => {
    const { data } = await deposits.place.call<Deposit[]>('GET', '/treasury/deposits')
    const nobody = { account_id: null, customer_id: null }
    assert.partialDeepStrictEqual(data, [
      { id: coin, nature: 'UNASSIGNED', ...nobody },
      { id: shared, nature: 'CUSTOMER', ...nobody },
      { id: small, nature: 'CUSTOMER', account_id: bob.account_id, customer_id: bob.id },
    ])
    const { text } = await deposits.place.call('GET', '/treasury/deposits', undefined, {
      headers: { accept: 'text/csv' },
    })
    const [head = '', ...rows] = text.split('\r\n')
    const place = head.split(',').indexOf('customer_id')
    assert.ok(
      rows.some((row) => row.split(',')[place] === bob.id),
      text,
    )
  })

  it('and says what they amount to, by asset and state', async () => {
    const totals = async (query: string) =>
      (await deposits.place.call('GET', `/treasury/deposits/totals?${query}`)).data
    assert.deepEqual(await totals(''), {
      rows: 3,
      complete: true,
      totals: [
        { asset: 'BTC', state: 'UNASSIGNED', rows: 1, quantity: '0.5' },
        { asset: 'EUR', state: 'SUCCESSFUL', rows: 2, quantity: '260.5' },
      ],
    })
    assert.deepEqual(await totals(`customer_id=${eve.id}`), {
      rows: 1,
      complete: true,
      totals: [{ asset: 'EUR', state: 'SUCCESSFUL', rows: 1, quantity: '250.5' }],
    })
    assert.deepEqual(await totals('asset=ETH'), { rows: 0, complete: true, totals: [] })
    const { db, workspace } = deposits.place
    const list = await listOfDeposits(db, workspace, {})
    assert.deepEqual(await totalsOf(db, list, DEPOSIT_TOTALS, 2), {
      rows: 2,
      complete: false,
      totals: [
        { asset: 'BTC', state: 'UNASSIGNED', rows: 1, quantity: '0.5' },
        { asset: 'EUR', state: 'SUCCESSFUL', rows: 1, quantity: '250.5' },
      ],
    })
  })

  it('page by page', async () => {
    const path = `customer_id=${bob.id}&limit=1`
    assert.deepEqual(await found(path), [shared])
    assert.deepEqual(await found(`${path}&cursor=${shared}`), [small])
    assert.deepEqual(await found(`${path}&cursor=${small}`), [])
  })

  it('no longer the account from which a rectification took it', async () => {
    const { assignments, place } = deposits
    const [assignment] = await assignments(small)
    const path = `/treasury/deposits/${small}/rectifications`
    const body = {
      reason: 'WRONG_ACCOUNT',
      origins: [assignment?.id],
      targets: [{ account_id: eve.account_id, quantity: '10' }],
    }
    const { status, text } = await place.call('POST', path, body)
    assert.equal(status, 200, text)
    assert.deepEqual(await found(`customer_id=${bob.id}`), [shared])
    assert.deepEqual(await found(`customer_id=${eve.id}`), [shared, small])
  })

  it('the wallet that received it', async () => {
    const { bank } = deposits.place.wallets
    assert.deepEqual(await found(`wallet_id=${bank.id}`), [shared, small])
    assert.deepEqual(await found(`wallet_id=${bank.id}&account_id=${bob.account_id}`), [shared])
    assert.deepEqual(await found(`wallet_id=${newId()}`), [])
  })

  it('quantities, from and to inclusive', async () => {
    assert.deepEqual(await found('quantity_from=10&quantity_to=250.50'), [shared, small])
    assert.deepEqual(await found('quantity_from=250.5&quantity_to=250.500'), [shared])
    assert.deepEqual(await found('quantity_from=10.000000000000000001'), [shared])
    assert.deepEqual(await found('quantity_to=0.5'), [coin])
    const { status } = await deposits.place.call('GET', '/treasury/deposits?quantity_from=-1')
    assert.equal(status, 400)
  })
})
