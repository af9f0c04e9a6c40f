import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { page } from '../../http/index.ts'
import { releaseExpiredHolds } from '../../ledger/index.ts'
import { listAccountHolds } from '../../ledger/holds/holds.ts'
import type { AccountHold } from '../../ledger/ledger.schema.ts'
import { sql } from '../../store/sql.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { Batch, BatchRequest, BatchWithRequests } from './batches.schema.ts'
import { openBatches } from './batches.testing.ts'

const ENDED = '400 3001 STATE_NOT_ALLOWED'
const TEN_MINUTES = 600_000

describe('a prepared batch is a record', () => {
  let batches: Awaited<ReturnType<typeof openBatches>>
  let account_id: string
  before(async () => {
    batches = await openBatches()
    account_id = (await batches.funded('Bob')).account_id
  })
  after(() => batches.place.close())

  const listed = async (query = '') =>
    (await batches.place.call<Batch[]>('GET', `/treasury/batches?${query}`)).data
  const read = async (id: string) =>
    (await batches.place.call<BatchWithRequests>('GET', `/treasury/batches/${id}`)).data
  const giveUp = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
    batches.place.call<Batch>('POST', `/treasury/batches/${id}/give-up`, body, { headers })
  const balance = () => batches.place.balance(account_id, 'BTC')
  const holds = async () => {
    const { db, workspace } = batches.place
    return (await page(db, listAccountHolds(workspace, account_id), 100, undefined))
      .items as AccountHold[]
  }
  const events = (id: string) =>
    batches.place.db.query<{ type: string }>(sql`
      select type
      from events
      where resource_id = ${id}
      order by sequence`)
  /** One transaction at the usual speed, another that is fast. */
  const prepare = async (): Promise<[BatchRequest, BatchRequest]> => {
    const item = { route_id: batches.place.routes.payout.id, account_id }
    const requests = await batches.prepared([
      { ...item, quantity: '0.5' },
      { ...item, quantity: '0.25', speed_level: 'FAST' },
    ])
    return requests as [BatchRequest, BatchRequest]
  }
  const free = async () => {
    assert.equal(await balance(), '3/0')
    assert.deepEqual(await holds(), [])
    assert.deepEqual(await batches.place.verify(), [])
  }

  it('that anybody finds again, with what it holds, and submits as prepared', async () => {
    const requests = await prepare()
    const [{ prepare_id, expires_at }] = requests
    const [batch] = await listed('state=prepared')
    assert.partialDeepStrictEqual(batch, {
      id: prepare_id,
      state: 'PREPARED',
      expires_at,
      transactions: 2,
      payments: 2,
      submitted: 0,
      sums: [{ asset: 'BTC', quantity: '0.75' }],
      system_created_by: batches.place.principal.user_id,
    })
    assert.deepEqual(await listed(`request_id=${requests[1].id}`), [batch])
    const held = await holds()
    assert.deepEqual(
      held.map(({ quantity, cause_type, cause_id, expires_at }) => ({
        quantity,
        cause_type,
        cause_id,
        expires_at,
      })),
      requests.toReversed().map(({ quantity, id }) => ({
        quantity,
        cause_type: 'prepare',
        cause_id: id,
        expires_at,
      })),
    )
    const found = await read(prepare_id)
    assert.deepEqual(
      found.requests.map(({ request }) => request),
      requests,
    )
    const { data: made } = await batches.submit([found.requests[0]?.request ?? {}])
    assert.partialDeepStrictEqual(await read(prepare_id), {
      state: 'PREPARED',
      submitted: 1,
      requests: [{ state: 'SUBMITTED', withdrawal_id: made[0]?.id }, { state: 'PREPARED' }],
    })
    const { data: rest } = await batches.submit([found.requests[1]?.request ?? {}])
    assert.partialDeepStrictEqual(await read(prepare_id), { state: 'SUBMITTED', submitted: 2 })
    assert.equal(refusalOf(await giveUp(prepare_id)), `${ENDED} `)
    await batches.finish([...made, ...rest], { state: 'FAILED' })
    await free()
  })

  it('that can be given up at once, once, and not submitted afterwards', async () => {
    const requests = await prepare()
    const [{ prepare_id }] = requests
    assert.equal(refusalOf(await giveUp(newId())), '404 4004 NOT_FOUND batch_id')
    assert.equal((await giveUp(prepare_id, { version: 7 })).status, 400)
    const headers = { 'idempotency-key': newId() }
    const given = await giveUp(prepare_id, { version: 1 }, headers)
    assert.partialDeepStrictEqual(given.data, { state: 'GIVEN_UP', version: 2 })
    assert.deepEqual((await giveUp(prepare_id, { version: 1 }, headers)).data, given.data)
    await free()
    assert.equal(refusalOf(await giveUp(prepare_id)), `${ENDED} `)
    assert.equal(refusalOf(await batches.submit(requests)), `${ENDED} withdrawals[0]`)
    await batches.place.later(TEN_MINUTES)
    assert.deepEqual(
      (await events(prepare_id)).map(({ type }) => type),
      ['batch.prepared', 'batch.given_up'],
    )
    await free()
  })

  it('that expires by itself, and keeps what was submitted', async () => {
    const [first, second] = await prepare()
    const { data: made } = await batches.submit([first])
    batches.place.clock.advance(TEN_MINUTES)
    await batches.place.work()
    const { prepare_id } = first
    assert.partialDeepStrictEqual(await read(prepare_id), {
      state: 'EXPIRED',
      submitted: 1,
      requests: [{ state: 'SUBMITTED' }, { state: 'EXPIRED' }],
    })
    assert.equal(await balance(), '3/0.5')
    assert.equal(refusalOf(await batches.submit([second])), `${ENDED} withdrawals[0].expires_at`)
    assert.equal(refusalOf(await giveUp(prepare_id)), `${ENDED} `)
    assert.deepEqual(
      (await listed('state=expired,given_up')).map(({ id }) => id).includes(prepare_id),
      true,
    )
    await batches.finish(made, { state: 'FAILED' })
    await free()
  })

  it('is either submitted or given up, however many ask at once', async () => {
    const outcomes = new Set<string>()
    for (let turn = 0; turn < 6; turn += 1) {
      const requests = await prepare()
      const [{ prepare_id }] = requests
      const submit = () => batches.submit(requests)
      const both = turn % 2 === 0 ? [submit, giveUpOf] : [giveUpOf, submit]
      function giveUpOf() {
        return giveUp(prepare_id)
      }
      await Promise.all([...both, ...both].map((ask) => ask() as Promise<unknown>))
      const { state, requests: rows } = await read(prepare_id)
      outcomes.add(state)
      assert.deepEqual(
        rows.map((row) => row.state),
        [state, state],
      )
      assert.equal(await balance(), state === 'SUBMITTED' ? '3/0.75' : '3/0')
      const withdrawals = (
        await batches.place.call<Withdrawal[]>('GET', '/treasury/withdrawals?state=pending')
      ).data
      assert.equal(withdrawals.length, state === 'SUBMITTED' ? 2 : 0)
      await batches.finish(withdrawals, { state: 'FAILED' })
    }
    assert.ok([...outcomes].every((state) => state === 'SUBMITTED' || state === 'GIVEN_UP'))
    await free()
  })

  it('counts the parts that two people submit at once, and ends submitted', async () => {
    const requests = await prepare()
    const answers = await Promise.all(requests.map((request) => batches.submit([request])))
    assert.partialDeepStrictEqual(await read(requests[0].prepare_id), {
      state: 'SUBMITTED',
      submitted: 2,
    })
    await batches.finish(
      answers.flatMap((answer) => answer.data),
      { state: 'FAILED' },
    )
    await free()
  })

  it('is given up or expires when both happen at once, and its holds end once', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const [{ prepare_id }] = await prepare()
      batches.place.clock.advance(TEN_MINUTES)
      await Promise.all([
        giveUp(prepare_id),
        batches.place.work(),
        releaseExpiredHolds(batches.place.app),
      ])
      assert.match((await read(prepare_id)).state, /GIVEN_UP|EXPIRED/)
      assert.equal((await events(prepare_id)).length, 2)
      await free()
    }
  })

  it('belongs to its workspace', async () => {
    const [{ prepare_id }] = await prepare()
    const stranger = { token: 'stranger' }
    for (const [method, path] of [
      ['GET', `/treasury/batches/${prepare_id}`],
      ['POST', `/treasury/batches/${prepare_id}/give-up`],
    ] as const) {
      const answer = await batches.place.call(
        method,
        path,
        method === 'POST' ? {} : undefined,
        stranger,
      )
      assert.equal(refusalOf(answer), '404 4004 NOT_FOUND batch_id')
    }
    await giveUp(prepare_id)
    await free()
  })
})
