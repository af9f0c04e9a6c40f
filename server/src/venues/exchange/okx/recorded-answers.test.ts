/**
 * What the adapter makes of answers that OKX gives and our sandbox does not. The shapes are those
 * of JKorf/OKX.Net, OKX.Net.UnitTests/Endpoints/UnifiedApi (Account, Trading), and of the comments
 * in ccxt's okx.ts; the values are ours.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { lookup } from '../exchange.fixture.ts'
import { ABSENT_MILLISECONDS, deposit, done, withAnswers, withdrawal } from './okx.testing.ts'

describe('answers of OKX about money', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox.stop())

  test('deposits in every documented state, a new one, and another chain', () =>
    withAnswers(
      sandbox,
      {
        '/asset/deposit-history': done(
          deposit('1', { state: '0' }),
          deposit('2', { state: '1' }),
          deposit('3', {}),
          deposit('4', { state: '8' }),
          deposit('5', { state: '11' }),
          deposit('6', { state: '12' }),
          deposit('7', { state: '13' }),
          deposit('8', { state: '14' }),
          deposit('9', { state: '17' }),
          deposit('10', { state: '99' }),
          deposit('11', { ccy: 'USDT', chain: 'USDT-TRC20' }),
          deposit('12', { chain: 'BTC-Lightning' }),
          deposit('13', { amt: 'much' }),
          deposit('14', { chain: '' }),
        ),
      },
      async ({ transfers }) => {
        const { movements, set_aside } = await transfers.incoming(null)
        assert.deepEqual(
          new Map(movements.map(({ foreign_id, state }) => [foreign_id, state])),
          new Map([
            ['1', 'PENDING'],
            ['2', 'PENDING'],
            ['3', 'FINAL'],
            ['4', 'PENDING'],
            ['5', 'PENDING_REVIEW'],
            ['6', 'PENDING_REVIEW'],
            ['7', 'PENDING_REVIEW'],
            ['8', 'PENDING_REVIEW'],
            ['9', 'PENDING_REVIEW'],
            ['10', 'PENDING'],
            ['12', 'FINAL'],
            ['14', 'FINAL'],
          ]),
        )
        assert.deepEqual(
          movements
            .flatMap(({ protocol, foreign_id }) => (protocol === null ? [foreign_id] : []))
            .toSorted(),
          ['12', '14'],
        )
        assert.deepEqual(
          set_aside?.map(({ foreign_id }) => foreign_id),
          ['13'],
        )
      },
    ))

  /** GetWithdrawalHistory.txt: another name of the chain, and a withdrawal that is not ours. */
  test('a withdrawal that somebody made at OKX leaves, without a reference of ours', () =>
    withAnswers(
      sandbox,
      {
        '/asset/withdrawal-history': done({
          chain: 'ETH-Ethereum',
          fee: '0.007',
          ccy: 'ETH',
          clientId: '',
          amt: '0.029809',
          txId: '0x35c0b360a174d',
          from: '156****359',
          areaCodeFrom: '86',
          to: '0xa30d1fab7CF18C7B6C579',
          areaCodeTo: '',
          state: '2',
          ts: '1655251200000',
          wdId: '15447421',
        }),
      },
      async ({ transfers }) => {
        const { movements } = (await transfers.outgoing?.(null)) ?? { movements: [] }
        assert.deepEqual(
          movements.map(({ foreign_id, external_id, asset, quantity, fee, state, left }) => ({
            foreign_id,
            external_id,
            asset,
            quantity: format(quantity),
            fee: fee === null ? null : format(fee),
            state,
            left,
          })),
          [
            {
              foreign_id: '15447421',
              external_id: null,
              asset: 'ETH',
              quantity: '0.029809',
              fee: '0.007',
              state: 'SUCCESS',
              left: true,
            },
          ],
        )
      },
    ))

  test('the fee of a withdrawal may be in another asset, its chain one that is not ours', () =>
    withAnswers(
      sandbox,
      {
        '/asset/withdrawal-history': done({
          chain: 'ETH-Arbitrum One',
          fee: '3',
          feeCcy: 'USDT',
          ccy: 'ETH',
          clientId: '',
          amt: '1',
          txId: '',
          to: 'chain:q7CF18C7B6C579',
          state: '2',
          ts: '1655251200000',
          wdId: '15447422',
        }),
      },
      async ({ transfers }) => {
        const [moved] = ((await transfers.outgoing?.(null)) ?? { movements: [] }).movements
        assert.deepEqual(
          {
            protocol: moved?.protocol,
            fee: moved?.fee,
            fee_asset: moved?.fee_asset,
            address: moved?.destination_address,
            tag: moved?.tag,
          },
          {
            protocol: 'ETH-Arbitrum One',
            fee: decimal('3'),
            fee_asset: 'USDT',
            address: 'chain:q7CF18C7B6C579',
            tag: null,
          },
        )
      },
    ))

  const chain = done({
    ccy: 'BTC',
    chain: 'BTC-Bitcoin',
    fee: '0.0001',
    wdTickSz: '8',
    minWd: '0',
    maxWd: '9',
    canDep: true,
    canWd: true,
  })
  const funding = (bal: string) => done({ ccy: 'BTC', availBal: bal, bal, frozenBal: '0' })

  test('a withdrawal whose wallet somebody emptied is funded and sent once more', () => {
    let posted = 0
    const answer = () => {
      posted += 1
      return posted === 1
        ? { code: '58350', msg: 'Insufficient balance', data: [] }
        : done({ wdId: '7', clientId: '' })
    }
    return withAnswers(
      sandbox,
      {
        '/asset/currencies': chain,
        '/asset/balances': funding('5'),
        '/asset/withdrawal': answer,
      },
      async ({ transfers }) => {
        const { outcome } = await transfers.send(withdrawal())
        assert.deepEqual({ outcome, posted }, { outcome: 'accepted', posted: 2 })
      },
    )
  })

  test('while OKX stops transfers between the wallets, a withdrawal waits and is not refused', () =>
    withAnswers(
      sandbox,
      {
        '/asset/currencies': chain,
        '/asset/balances': funding('0'),
        '/asset/transfer-state': { code: '58129', msg: 'Incorrect transferId', data: [] },
        '/asset/transfer': { code: '58120', msg: 'The transfer is suspended', data: [] },
      },
      async ({ transfers }) => {
        const sent = await transfers.send(withdrawal())
        assert.ok(sent.outcome === 'unknown' && sent.reason.startsWith('not sent: 58120'))
      },
    ))

  test('a withdrawal is not absent while the list of all shows it', async () => {
    const one = withdrawal()
    const listed = (more: object) => ({
      wdId: '9',
      clientId: '',
      ccy: 'BTC',
      amt: format(one.quantity),
      ...more,
    })
    const find = async (...rows: object[]) => {
      let found: string | undefined
      await withAnswers(
        sandbox,
        {
          '/asset/withdrawal-history': (_body: string, { searchParams }: URL) =>
            searchParams.has('clientId') ? done() : done(...rows),
        },
        async ({ transfers }) => {
          const submitted_at = Date.now() - ABSENT_MILLISECONDS
          found = (await transfers.find(lookup(one, { submitted_at }))).lookup
        },
      )
      return found
    }
    assert.deepEqual(
      {
        ours: await find(listed({ clientId: one.external_id.replaceAll('-', '') })),
        nobodys: await find(listed({})),
        another: await find(listed({ clientId: 'other' }), listed({ amt: '7' })),
      },
      { ours: 'unknown', nobodys: 'unknown', another: 'absent' },
    )
  })

  test('a withdrawal is absent when no page of the list of all shows it', async () => {
    const one = withdrawal()
    const submitted_at = Date.now() - ABSENT_MILLISECONDS
    // A busy account: two full pages have come since, and the third has what may be ours.
    const later = Array.from({ length: 250 }, (_, index) => ({
      wdId: String(index),
      clientId: 'other',
      ccy: 'BTC',
      amt: '7',
      ts: String(submitted_at + 250 - index),
    }))
    const find = async (rows: readonly { ts: string }[]) => {
      const asked: string[] = []
      let found: string | undefined
      await withAnswers(
        sandbox,
        {
          '/asset/withdrawal-history': (_body: string, { searchParams }: URL) => {
            if (searchParams.has('clientId')) return done()
            const end = Number(searchParams.get('after') ?? Infinity)
            asked.push(String(end))
            return done(...rows.filter(({ ts }) => Number(ts) < end).slice(0, 100))
          },
        },
        async ({ transfers }) => {
          found = (await transfers.find(lookup(one, { submitted_at }))).lookup
        },
      )
      return { found, pages: asked.length }
    }
    const ours = { ...later[0], wdId: '999', amt: format(one.quantity), clientId: '' }
    assert.deepEqual(
      {
        another: await find(later),
        ours: await find([...later, { ...ours, ts: String(submitted_at) }]),
      },
      { another: { found: 'absent', pages: 3 }, ours: { found: 'unknown', pages: 3 } },
    )
  })

  test('a list whose end cannot be reached is not taken for a whole one', () => {
    const sameMoment = Array.from({ length: 100 }, (_, index) => deposit(String(index), {}))
    return withAnswers(
      sandbox,
      { '/asset/deposit-history': done(...sameMoment) },
      ({ transfers }) => assert.rejects(transfers.incoming(null), { kind: 'VenueUnreachable' }),
    )
  })
})
