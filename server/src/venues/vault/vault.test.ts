/** The vault as a whole: the contract, its words, and who may use it. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { contractSuite } from '../contract-suite/contract-suite.testing.ts'
import { oddRecordsOf } from '../contract-suite/odd-records.testing.ts'
import type { SurpriseStage } from '../contract-suite/trial.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { listen } from './listener.testing.ts'
import { allowlistState, incomingState, transferState } from './states.ts'
import {
  addressOf,
  allowAll,
  allowBtc,
  lookup,
  openAt,
  openHasty,
  orderTo,
  OUTSIDE,
  PACE,
  startVault,
  ODD_TRANSACTION,
  stopVault,
  VaultDesk,
  walletOrder,
} from './vault.testing.ts'
import type { Vault } from './vault.testing.ts'

const HOUR = 3_600_000

contractSuite('vault', async () => {
  const sandbox = await startVault()
  await sandbox.control('POST', 'clock', { pace: PACE })
  const venue = await openAt(sandbox)
  const collection = await allowAll(venue)
  const other = await allowBtc(
    venue,
    (await sandbox.control<{ address: string }>('POST', 'chain/addresses', { protocol: 'BTC' }))
      .address,
  )
  return {
    venue,
    hasty: await openHasty(sandbox),
    down: () => sandbox.kill(),
    up: () => sandbox.restart(),
    close: () => stopVault(sandbox, ODD_TRANSACTION),
    transfers: {
      good: () => orderTo(collection),
      refused: () => orderTo('no-such-collection'),
      many: () => {
        const good = {
          ...orderTo(collection),
          further_outputs: [{ ...other, quantity: decimal('0.02') }],
        }
        const unlisted = {
          ...other,
          quantity: decimal('0.02'),
          transfer: orderTo('no-such-collection').transfer,
        }
        return {
          good,
          refused: {
            ...good,
            external_id: newId(),
            further_outputs: [...good.further_outputs, unlisted],
          },
        }
      },
      losesAnswer: () => sandbox.fault('fireblocks', 'create_transaction', 'TIMEOUT_AFTER_ACCEPT'),
      received: () => sandbox.received('fireblocks', 'create_transaction'),
      arrive: async () => {
        const to_address = await addressOf(sandbox, 'BTC')
        await sandbox.control('POST', 'chain/send', { asset: 'BTC', quantity: '0.123', to_address })
        return (movement) =>
          movement.quantity === decimal('0.123') &&
          movement.destination_address === to_address &&
          movement.wallet === '0'
      },
      oddRecords: oddRecordsOf(sandbox, 'fireblocks', ['list_transactions']),
      surprises: surprisesOf(sandbox, collection),
    },
    wallets: {
      good: () => walletOrder(),
      refused: () => walletOrder({ vault_id: '999' }),
      losesAnswer: () => sandbox.fault('fireblocks', 'create_account', 'TIMEOUT_AFTER_ACCEPT'),
      received: () => sandbox.received('fireblocks', 'create_account'),
    },
  }
})

const surprisesOf = (
  { control, fault }: Pick<SandboxProcess, 'control' | 'fault'>,
  collection: string,
): SurpriseStage => {
  const act = (id: string, what: string, body: object = {}) =>
    control('POST', `fireblocks/transactions/${id}${what}`, body)
  const actOnStuck = async (id: string, what: string) => {
    // A block has passed it by; before, the fault would meet what takes its place.
    await until('it is stuck', async () => (await control<unknown[]>('GET', 'faults')).length === 0)
    return act(id, what)
  }
  return {
    mempool: {
      stuck: async () => {
        await fault('chain', 'confirm', 'LATE', { remaining: 1, delay_ms: HOUR })
        return orderTo(collection, { asset: 'ETH' })
      },
      isStuck: ({ sub_state }) => sub_state.startsWith('CONFIRMING'),
      boost: (id) => actOnStuck(id, '/boost'),
      drop: (id) => actOnStuck(id, '/drop'),
    },
    screening: {
      freezeNext: () => fault('fireblocks', 'screening', 'REFUSE'),
      release: (foreign_id) =>
        act(foreign_id.slice(0, foreign_id.indexOf(':')), '', { action: 'unfreeze' }),
    },
  }
}

test('what is not in the table of words is unknown, and nothing is final by guess', () => {
  for (const [word, hash, transfer, incoming] of [
    ['SUBMITTED', '', 'PENDING', 'PENDING'],
    ['PENDING_AUTHORIZATION', '', 'PENDING_REVIEW', 'PENDING'],
    ['CONFIRMING', 'h', 'PENDING', 'PENDING'],
    ['COMPLETED/CONFIRMED', 'h', 'SUCCESS', 'FINAL'],
    ['COMPLETED/COMPLETED_BUT_3RD_PARTY_FAILED', 'h', 'UNKNOWN', 'FINAL'],
    ['COMPLETED/COMPLETED_BUT_3RD_PARTY_REJECTED', 'h', 'UNKNOWN', 'FINAL'],
    ['FAILED/INSUFFICIENT_FUNDS', '', 'FAILED', 'FAILED'],
    ['FAILED/INTERNAL_ERROR', 'h', 'UNKNOWN', 'FAILED'],
    ['FAILED/DROPPED_BY_BLOCKCHAIN', '', 'UNKNOWN', 'FAILED'],
    ['BLOCKED/BLOCKED_BY_POLICY', '', 'REJECTED', 'FAILED'],
    ['REJECTED/REJECTED_BY_USER', '', 'REJECTED', 'FAILED'],
    ['REJECTED/AUTO_FREEZE', 'h', 'UNKNOWN', 'PENDING_REVIEW'],
    ['REJECTED/FROZEN_MANUALLY', 'h', 'UNKNOWN', 'PENDING_REVIEW'],
    ['REJECTED/REJECTED_AML_SCREENING', 'h', 'UNKNOWN', 'PENDING_REVIEW'],
    ['REJECTED/REJECTED_AML_SCREENING', '', 'REJECTED', 'FAILED'],
    ['CANCELLED/CANCELLED_BY_USER', '', 'CANCELED', 'FAILED'],
    ['PARTIALLY_COMPLETED', 'h', 'UNKNOWN', 'PENDING'],
    ['', '', 'UNKNOWN', 'PENDING'],
  ] as const) {
    const [status = '', subStatus = ''] = word.split('/')
    const words = { status, subStatus, txHash: hash }
    assert.deepEqual([transferState(words), incomingState(words)], [transfer, incoming], word)
  }
  const reverted = { status: 'FAILED', subStatus: 'SMART_CONTRACT_EXECUTION_FAILED', txHash: 'h' }
  assert.deepEqual(
    [0, 1].map((numOfConfirmations) => transferState({ ...reverted, numOfConfirmations })),
    ['UNKNOWN', 'FAILED'],
    'a block holds it as failed',
  )
  assert.deepEqual(
    ['WAITING_FOR_APPROVAL', 'APPROVED', 'REJECTED', 'CANCELLED', 'FAILED', 'NEW_WORD'].map(
      allowlistState,
    ),
    ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'REJECTED', 'FAILED', 'PENDING_APPROVAL'],
  )
})

describe('vault', () => {
  const desk = new VaultDesk()

  test('balances and protocols to the last digit', async () => {
    const btc = (await desk.venue.balances()).find((balance) => balance.asset === 'BTC')
    assert.deepEqual(btc, {
      wallet: '0',
      asset: 'BTC',
      protocol: 'BTC',
      free: decimal('3'),
      used: 0n,
      total: decimal('3'),
    })
    const protocols = (await desk.venue.protocols()).flatMap((protocol) => protocol.protocols)
    assert.deepEqual(
      protocols.map((protocol) => ({
        native: protocol.native,
        protocol: protocol.protocol,
        decimals: protocol.decimals,
        tag_required: protocol.tag_required,
      })),
      [
        { native: 'BTC', protocol: 'BTC', decimals: 8, tag_required: false },
        { native: 'ETH', protocol: 'ETH', decimals: 18, tag_required: false },
        { native: 'XRP', protocol: 'XRP', decimals: 6, tag_required: true },
        { native: 'USDC', protocol: 'ETH', decimals: 6, tag_required: false },
        { native: 'LTC', protocol: 'LTC', decimals: 8, tag_required: false },
        { native: 'XLM', protocol: 'XLM', decimals: 7, tag_required: true },
      ],
    )
    assert.deepEqual(
      desk.venue.transfers
        .fields('XRP', 'XRP')
        .to.find((transferField) => transferField.name === 'tag')?.required,
      true,
    )
  })

  test('a wrong key is refused, and no failure shows a token, key or header', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const stranger = await openAt(desk.sandbox, {
      secret_pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    })
    const secret = await desk.sandbox.credential('fireblocks.pem')
    const shown: string[] = []
    const failing = async (from: Vault) => {
      for (const read of [
        () => from.balances(),
        () => from.protocols(),
        () => from.transfers.incoming(null),
        () => from.transfers.estimateFee(orderTo(desk.collection)),
      ]) {
        await assert.rejects(read(), (error) => {
          shown.push(inspect(error, { depth: 20, showHidden: true }))
          return error instanceof ApiError && error.kind === 'VenueUnreachable'
        })
      }
      const sent = await from.transfers.send(orderTo(desk.collection))
      assert.notEqual(sent.outcome, 'accepted')
      shown.push(
        inspect(sent),
        inspect(await from.transfers.find(lookup(orderTo(desk.collection)))),
      )
    }
    await failing(stranger)
    await desk.sandbox.fault('fireblocks', '*', 'DOWN', { remaining: -1 })
    await failing(desk.venue)
    for (const text of shown) {
      assert.doesNotMatch(text, /bearer|eyJ|authorization/i)
      assert.ok(!text.includes(secret.split('\n')[1] as string))
    }
  })

  test('answers of strangers on the way are never a refusal', async () => {
    for (const [status, type, text] of [
      [502, 'text/html', '<html>bad gateway</html>'],
      [404, 'text/html', 'not here'],
      [429, 'application/json', '{"message":"slow down","code":429}'],
      [200, 'application/json', '{}'],
      [307, 'text/plain', ''],
    ] as const) {
      const listener = await listen(
        () => {},
        (path) =>
          path.includes('/external_wallets/')
            ? {
                status: 200,
                type: 'application/json',
                text: JSON.stringify({
                  id: 'BTC',
                  status: 'APPROVED',
                  address: OUTSIDE['BTC']?.address,
                }),
              }
            : { status, type, text },
      )
      try {
        const stranger = await openAt(desk.sandbox, {
          base_url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/v1`,
        })
        assert.equal(
          (await stranger.transfers.send(orderTo(desk.collection))).outcome,
          'unknown',
          String(status),
        )
        if (status !== 200)
          assert.equal(
            (await stranger.transfers.find(lookup(orderTo(desk.collection)))).lookup,
            'unknown',
            String(status),
          )
      } finally {
        listener.closeAllConnections()
        listener.close()
      }
    }
  })
})
