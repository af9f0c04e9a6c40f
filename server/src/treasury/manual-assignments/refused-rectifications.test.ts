import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { refusalOf } from '../../http/testing.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { openRectifications, to } from './rectifications.testing.ts'
import type { Wire } from './rectifications.testing.ts'

async function allowOverdraft(db: Db, { account_id }: Customer): Promise<void> {
  await db.query(sql`
    update accounts
    set overdraft = true
    where id = ${account_id}`)
  await db.query(sql`
    update balances
    set floor = null
    where account_id = ${account_id}`)
  await db.query(
    sql`
      update customers
      set ignore_balance_check = true
      where id = ${account_id}
        or account_id = ${account_id}`,
  )
}

describe('rectifications are refused', () => {
  let world: Awaited<ReturnType<typeof openRectifications>>
  let bob: Customer
  let carol: Customer
  let gone: Customer
  let other: Wire
  let id: string
  let first: string
  let second: string
  before(async () => {
    world = await openRectifications()
    const { place, wire } = world
    bob = await place.customer('Bob')
    carol = await place.customer('Carol')
    gone = await place.customer('Gone')
    await place.db.query(sql`
      update customers
      set state = 'DELETED'
      where id = ${gone.id}`)
    other = await wire(to(bob.account_id, '100'))
    const deposit = await wire([...to(bob.account_id, '70'), ...to(carol.account_id, '30')])
    id = deposit.id
    ;[first = '', second = ''] = deposit.origins
  })
  after(() => world.place.close())

  it('each for its reason, and nothing changes', async () => {
    const { counted, ofDeposit, place } = world
    const before = await counted()
    const refused: [object, string][] = [
      [
        { reason: 'BECAUSE', origins: [first], targets: to(carol.account_id, '70') },
        '400 3001 ENUM reason',
      ],
      [
        { reason: 'OTHER', origins: [first], targets: to(carol.account_id, '70') },
        '400 3001 REQUIRED note',
      ],
      [
        { reason: 'OTHER', note: '', origins: [first], targets: to(carol.account_id, '70') },
        '400 3001 REQUIRED note',
      ],
      [{ origins: [], targets: to(carol.account_id, '70') }, '400 3001 RANGE origins'],
      [{ origins: [first], targets: [] }, '400 3001 RANGE targets'],
      [
        { origins: [first, first], targets: to(carol.account_id, '140') },
        '400 3001 DUPLICATE origins[1]',
      ],
      [
        { origins: [newId()], targets: to(carol.account_id, '70') },
        '404 4004 NOT_FOUND origins[0]',
      ],
      [
        { origins: [first, ...other.origins], targets: to(carol.account_id, '170') },
        '404 4004 NOT_FOUND origins[1]',
      ],
      [
        { origins: [first], targets: to(carol.account_id, '69.99') },
        '400 3001 SUM_MISMATCH targets',
      ],
      [
        { origins: [first, second], targets: to(carol.account_id, '100.01') },
        '400 3001 SUM_MISMATCH targets',
      ],
      [
        { origins: [first], targets: to(carol.account_id, '70.001') },
        '400 3001 SCALE targets[0].quantity',
      ],
      [
        { origins: [first], targets: to(newId(), '70') },
        '404 4004 NOT_FOUND targets[0].account_id',
      ],
      [
        { origins: [first], targets: to(place.house.FEE, '70') },
        '400 3001 RANGE targets[0].account_id',
      ],
      [
        { origins: [first], targets: to(gone.account_id, '70') },
        '400 3001 NOT_ACTIVE targets[0].account_id',
      ],
    ]
    for (const [body, expected] of refused) {
      const text = JSON.stringify(body)
      assert.equal(refusalOf(await ofDeposit(id, body)), expected, text)
      assert.equal(refusalOf(await ofDeposit(id, body, '?dry_run=true')), expected, text)
    }
    const unknown = { origins: [first], targets: to(carol.account_id, '70') }
    assert.equal(refusalOf(await ofDeposit(newId(), unknown)), '404 4004 NOT_FOUND deposit_id')
    assert.deepEqual(await counted(), before)
  })

  it('where the account cannot give it back; only what it really loses counts', async () => {
    const { counted, ofDeposit, place } = world
    const before = await counted()
    // Bob has spent it: the reversal would leave him with less than nothing.
    await place.app.lane.commit({
      workspace: place.workspace,
      class: 'fact',
      by: 'test',
      ledger: [
        {
          step: 'hold',
          hold: {
            id: newId(),
            kind: 'TRADING',
            account_id: bob.account_id,
            asset: 'EUR',
            quantity: 150n * 10n ** 18n,
            cause_type: 'test',
            cause_id: newId(),
          },
        },
      ],
    })

    const change = { origins: [first], targets: to(carol.account_id, '70') }
    const insufficient = '400 3001 INSUFFICIENT_BALANCE '
    assert.equal(refusalOf(await ofDeposit(id, change)), insufficient)
    assert.equal(refusalOf(await ofDeposit(id, change, '?dry_run=true')), insufficient)
    assert.deepEqual(await counted(), before)
    const split = await ofDeposit(id, {
      origins: [first],
      targets: [...to(bob.account_id, '50'), ...to(carol.account_id, '20')],
    })
    assert.equal(split.status, 200)
    assert.equal(refusalOf(await ofDeposit(id, change)), '400 3001 STATE_NOT_ALLOWED origins[0]')
  })

  it('no more where the account may be overdrawn', async () => {
    const { ofDeposit, place } = world
    await allowOverdraft(place.db, bob)
    const overdrawn = { origins: other.origins, targets: to(carol.account_id, '100') }
    assert.equal((await ofDeposit(other.id, overdrawn, '?dry_run=true')).status, 200)
    assert.equal((await ofDeposit(other.id, overdrawn)).status, 200)
    assert.deepEqual(await place.verify(), [])
  })
})
