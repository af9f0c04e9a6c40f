/** What the adapter makes of OKX's answers about money, as its documents show them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { lookup } from '../exchange.fixture.ts'
import { ABSENT_MILLISECONDS, done, toBank, withAnswers } from './okx.testing.ts'

describe('answers of okx about money', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox.stop())

  /** "Get withdrawal order history", "Get deposit order history". */
  const order = (ordId: string, more: object = {}) => ({
    ordId,
    clientId: '',
    ccy: 'EUR',
    amt: '100',
    fee: '0',
    paymentAcctId: '412323',
    paymentMethod: 'SEPA',
    state: 'completed',
    cTime: '1707429385000',
    uTime: '1707429385000',
    ...more,
  })
  const coins = { '/asset/deposit-history': done(), '/asset/withdrawal-history': done() }

  test('every documented state, and a new one; what took a fee is set aside', async () => {
    const orders = done(
      order('1'),
      order('2', { state: 'failed' }),
      order('3', { state: 'canceled' }),
      order('4', { state: 'pending' }),
      order('5', { state: 'inqueue' }),
      order('6', { state: 'processing' }),
      order('7', { state: 'returned' }),
      order('8', { fee: '-0.5' }),
      order('9', { ccy: 'TRY' }),
    )
    const answers = {
      ...coins,
      '/fiat/deposit-order-history': orders,
      '/fiat/withdrawal-order-history': orders,
    }
    await withAnswers(sandbox, answers, async ({ transfers }) => {
      const arrived = await transfers.incoming(null)
      assert.deepEqual(
        arrived.movements.map(({ state }) => state),
        ['PENDING', 'PENDING', 'PENDING', 'PENDING', 'FAILED', 'FAILED', 'FINAL'],
      )
      const left = await transfers.outgoing?.(null)
      assert.deepEqual(
        left?.movements.map(({ state }) => state),
        ['UNKNOWN', 'PENDING', 'PENDING', 'PENDING', 'CANCELED', 'FAILED', 'SUCCESS'],
      )
      for (const reading of [arrived, left])
        assert.deepEqual(
          reading?.set_aside?.map(({ foreign_id }) => foreign_id),
          ['order 8'],
        )
    })
  })

  test('orders of before the last reading are not reported, however long the list', async () => {
    const asked: string[] = []
    const page = (_body: string, { searchParams }: URL) => {
      asked.push(searchParams.get('before') ?? 'newest')
      const end = Number(searchParams.get('before') ?? 1_707_429_385_000)
      return done(
        ...Array.from({ length: 100 }, (_, index) => {
          const at = String(end - index * 60_000)
          return order(at, { cTime: at, uTime: at })
        }),
      )
    }
    const answers = { ...coins, '/fiat/deposit-order-history': page }
    const newest = 1_707_429_385_000
    const cursor = JSON.stringify({ since: newest - 7_200_000, newest, seen: {} })
    await withAnswers(sandbox, answers, async ({ transfers }) => {
      const { movements } = await transfers.incoming(cursor)
      assert.equal(movements.length, 121)
      assert.deepEqual(asked, ['newest', String(newest - 99 * 60_000)])
    })
  })

  test('one of ours with a fee or another amount is UNKNOWN: a person resolves it', async () => {
    const one = toBank('100')
    const clientId = one.external_id.replaceAll('-', '')
    let more: object = {}
    const listed = () => done(order('8', { clientId, ...more }))
    await withAnswers(
      sandbox,
      { '/fiat/withdrawal-order-history': listed },
      async ({ transfers }) => {
        const found = async () => transfers.find(lookup(one, { foreign_id: 'order 8' }))
        const report = {
          foreign_id: 'order 8',
          sub_state: 'completed',
          transaction_hash: null,
          confirmations: null,
          fee_asset: 'EUR',
        }
        assert.deepEqual(await found(), {
          lookup: 'found',
          report: { ...report, state: 'SUCCESS', reason: null, fee: 0n },
        })
        for (more of [{ fee: '0.5' }, { amt: '99.5' }])
          assert.deepEqual(await found(), {
            lookup: 'found',
            report: {
              ...report,
              state: 'UNKNOWN',
              reason: 'okx lists it with another amount or with a fee',
              fee: null,
            },
          })
      },
    )
  })

  test('one without a reference may be ours: ours is not absent, nor sent again', async () => {
    const submitted_at = Date.now() - ABSENT_MILLISECONDS
    const cTime = String(submitted_at)
    let listed: object[] = []
    await withAnswers(
      sandbox,
      { '/fiat/withdrawal-order-history': () => done(...listed) },
      async ({ transfers }) => {
        const found = async () => transfers.find(lookup(toBank('100'), { submitted_at }))
        const others = [
          order('1', { cTime, amt: '99' }),
          order('2', { cTime, ccy: 'TRY' }),
          order('3', { cTime, clientId: 'somebody' }),
          order('4'),
        ]
        listed = others
        assert.deepEqual(await found(), { lookup: 'absent' })
        listed = [order('5', { cTime }), ...others]
        const reason = 'order 5 of okx may be this one'
        assert.deepEqual(await found(), { lookup: 'unknown', reason })
      },
    )
  })

  const refused = { code: '50030', msg: "You don't have permission", data: [] }
  const DAY_MILLISECONDS = 86_400_000

  test('what came while OKX refused the lists of money is read later', async () => {
    const start = 1_707_429_385_000
    const onDay = (day: number) => String(start + day * DAY_MILLISECONDS)
    const coin = {
      ccy: 'BTC',
      chain: 'BTC-Bitcoin',
      amt: '1',
      depId: '10',
      state: '2',
      from: '',
      to: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
      ts: onDay(10),
      txId: 'fee235b3e812',
    }
    let coinsNow: object = done()
    let moneyNow: object = done()
    const answers = {
      '/asset/deposit-history': () => coinsNow,
      '/fiat/deposit-order-history': () => moneyNow,
    }
    await withAnswers(sandbox, answers, async ({ transfers }) => {
      let cursor: string | null = null
      const arrived = async () => {
        const reading = await transfers.incoming(cursor)
        cursor = reading.cursor
        return reading.movements.map(({ foreign_id }) => foreign_id)
      }
      assert.deepEqual(await arrived(), [])
      coinsNow = done(coin)
      moneyNow = refused
      assert.deepEqual(await arrived(), ['10'])
      const first = order('1', { cTime: onDay(1) })
      moneyNow = done(first)
      assert.deepEqual(await arrived(), ['order 1'])
      coinsNow = done({ ...coin, depId: '20', ts: onDay(20) })
      moneyNow = refused
      assert.deepEqual(await arrived(), ['20'])
      moneyNow = done(order('5', { cTime: onDay(5) }), first)
      assert.deepEqual(await arrived(), ['order 5'])
      assert.deepEqual(await arrived(), [])
    })
  })

  test('of lists that were refused from the start, only what is new is read', async () => {
    let moneyNow: object = refused
    const answers = { ...coins, '/fiat/deposit-order-history': () => moneyNow }
    await withAnswers(sandbox, answers, async ({ transfers }) => {
      const { cursor } = await transfers.incoming(null)
      const cTime = String(Date.now() + 3_600_000)
      moneyNow = done(order('2', { cTime, state: 'pending' }), order('1'))
      const next = await transfers.incoming(cursor)
      assert.deepEqual(
        next.movements.map(({ foreign_id }) => foreign_id),
        ['order 2'],
      )
      assert.deepEqual((await transfers.incoming(next.cursor)).movements, [])
    })
  })

  test('an account without money moves coins as before', async () => {
    const answers = {
      ...coins,
      '/asset/currencies': done(),
      '/fiat/deposit-order-history': refused,
      '/fiat/withdrawal-order-history': refused,
      '/fiat/deposit-payment-methods': refused,
    }
    await withAnswers(sandbox, answers, async ({ protocols, transfers }) => {
      assert.deepEqual((await transfers.incoming(null)).movements, [])
      const submitted_at = Date.now() - ABSENT_MILLISECONDS
      await assert.rejects(transfers.find(lookup(toBank('34'), { submitted_at })))
      const euro = (await protocols()).find(({ asset }) => asset === 'EUR')
      assert.equal(
        euro?.unserved?.[0]?.reason,
        "okx does not move EUR for this account: 50030: You don't have permission",
      )
    })
  })

  /** "Get withdrawal payment methods", "Create withdrawal order". */
  test('the account is found however OKX writes its number', async () => {
    const account = {
      paymentAcctId: '412323',
      acctNum: 'DE89 3704 0044 0532 0130 00',
      recipientName: 'Kontor',
      bankName: 'Bank',
      bankCode: 'BANKDEFF',
      state: 'active',
    }
    const limits = { dailyLimit: '10000', maxAmt: '1000', minAmt: '1', lifetimeLimit: '' }
    const method = { ccy: 'EUR', feeRate: '0', minFee: '0', limits, paymentMethod: 'SEPA' }
    const bodies: Record<string, string>[] = []
    const one = toBank('33')
    const answers = {
      '/fiat/withdrawal-payment-methods': done(
        { ...method, paymentMethod: 'TR_BANKS', accounts: [] },
        { ...method, accounts: [{ ...account, state: 'closed' }, account] },
      ),
      '/asset/balances': done({ ccy: 'EUR', availBal: '100', bal: '100', frozenBal: '0' }),
      '/fiat/create-withdrawal': (body: string) => {
        bodies.push(JSON.parse(body) as Record<string, string>)
        return done({ ordId: '124041201450544699', state: 'processing', fee: '0' })
      },
    }
    await withAnswers(sandbox, answers, async ({ transfers }) => {
      const sent = await transfers.send(one)
      assert.ok(sent.outcome === 'accepted')
      assert.equal(sent.report.foreign_id, 'order 124041201450544699')
      assert.equal((await transfers.send(toBank('1000.01'))).outcome, 'refused')
    })
    assert.deepEqual(bodies, [
      {
        paymentAcctId: '412323',
        ccy: 'EUR',
        amt: '33',
        paymentMethod: 'SEPA',
        clientId: one.external_id.replaceAll('-', ''),
      },
    ])
  })
})
