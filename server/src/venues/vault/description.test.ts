/**
 * What the vault's published description allows and our sandbox does not do: fields that are
 * absent or null, words that are new, pages by their address.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { format } from '../../core/decimal.ts'
import { listen } from './listener.testing.ts'
import { destination, lookup, orderTo, OUTSIDE, walletOrder } from './vault.testing.ts'
import type { Vault } from './vault.testing.ts'
import { openVault } from './vault.ts'

type Page = { body: unknown; status?: number; headers?: Record<string, string> }

/** A vault that answers each path as the test says, and notes what it was asked. */
async function withVault(
  answer: (path: string, method: string) => Page,
  work: (venue: Vault, asked: string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = []
  const listener = await listen(
    () => {},
    (path, method) => {
      asked.push(`${method} ${path}`)
      const { body, status = 200, headers = {} } = answer(path.replace('/v1', ''), method)
      return { status, type: 'application/json', text: JSON.stringify(body), headers }
    },
  )
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  try {
    const venue = await openVault({
      base_url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/v1`,
      api_key: 'key',
      secret_pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    })
    await work(venue as Vault, asked)
  } finally {
    listener.closeAllConnections()
    listener.close()
  }
}

/** The least that the description asks of a transaction, and what we need to book it. */
const LEAST = {
  id: 'T1',
  assetId: 'BTC',
  status: 'CONFIRMING',
  source: { type: 'UNKNOWN', id: null },
  destination: { type: 'VAULT_ACCOUNT', id: '0' },
  destinationAddress: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  amountInfo: { amount: '0.25' },
}

describe('what the published description of the vault allows', () => {
  test('an account without assets, and an asset of which figures are unknown', () =>
    withVault(
      () => ({
        body: {
          accounts: [
            { id: '0', name: 'Empty', hiddenOnUI: false, assets: [] },
            { id: '1', name: 'Some', hiddenOnUI: false, assets: [{ id: 'BTC', total: '1' }] },
            { id: '2', name: 'New', hiddenOnUI: false, assets: [{ id: 'NEW_COIN', total: '' }] },
          ],
        },
      }),
      async (venue) => {
        assert.deepEqual(await venue.balances(), [
          { wallet: '1', asset: 'BTC', protocol: 'BTC', free: null, total: 10n ** 18n, used: null },
          { wallet: '2', asset: 'NEW_COIN', protocol: null, free: null, total: null, used: null },
        ])
      },
    ))

  test('what comes in with the least that is described, and with null', () =>
    withVault(
      () => ({ body: [LEAST] }),
      async (venue) => {
        const { movements } = await venue.transfers.incoming(null)
        assert.deepEqual(
          movements.map((movement) => ({
            state: movement.state,
            wallet: movement.wallet,
            quantity: format(movement.quantity),
            source_address: movement.source_address,
            tag: movement.tag,
            transaction_hash: movement.transaction_hash,
            output_index: movement.output_index,
          })),
          [
            {
              state: 'PENDING',
              wallet: '0',
              quantity: '0.25',
              source_address: null,
              tag: null,
              transaction_hash: null,
              output_index: null,
            },
          ],
        )
      },
    ))

  test('a new status stops no reading: a transfer is UNKNOWN, coins are not final', () =>
    withVault(
      (path) => {
        const strange = { ...LEAST, status: 'PARTIALLY_COMPLETED', subStatus: 'NEW_SUBSTATUS' }
        return { body: path.includes('external_tx_id') ? strange : [strange, LEAST] }
      },
      async (venue) => {
        const { movements } = await venue.transfers.incoming(null)
        assert.deepEqual(
          movements.map((movement) => movement.state),
          ['PENDING', 'PENDING'],
        )
        const found = await venue.transfers.find(lookup(orderTo('w')))
        assert.ok(found.lookup === 'found')
        assert.deepEqual(
          { state: found.report.state, sub_state: found.report.sub_state },
          { state: 'UNKNOWN', sub_state: 'PARTIALLY_COMPLETED/NEW_SUBSTATUS' },
        )
      },
    ))

  test('a transaction has no address before it confirms; its change is read then', () => {
    const leaving = {
      ...LEAST,
      createdAt: 1_800_000_000_000,
      status: 'PENDING_SIGNATURE',
      source: { type: 'VAULT_ACCOUNT', id: '0' },
      destination: { type: 'EXTERNAL_WALLET', id: 'w' },
      destinationAddress: '',
    }
    const later = { ...LEAST, id: 'T2', createdAt: 1_800_000_900_000, status: 'COMPLETED' }
    const between = {
      ...leaving,
      id: 'T3',
      externalTxId: newId(),
      destination: { type: 'VAULT_ACCOUNT', id: '1' },
    }
    return withVault(
      () => ({ body: [leaving, between, later] }),
      async (venue) => {
        const left = await venue.transfers.outgoing?.(null)
        assert.deepEqual(
          left?.movements.map((movement) => movement.foreign_id),
          // Ours is known by its reference.
          ['T3'],
        )
        assert.equal(left?.cursor, String(later.createdAt))
        const came = await venue.transfers.incoming(null)
        assert.deepEqual(
          came.movements.map((movement) => movement.foreign_id),
          ['T2:0'],
        )
        assert.equal(came.cursor, String(later.createdAt))
      },
    )
  })

  test('the next page is an address that says everything again, or a cursor', async () => {
    for (const next of ['http://vault/v1/transactions?after=5&limit=1', 'a-cursor']) {
      await withVault(
        (path) =>
          path.includes('after=5') || path.includes('next=a-cursor')
            ? { body: [{ ...LEAST, id: 'T2' }] }
            : { body: [LEAST], headers: { 'next-page': next } },
        async (venue, asked) => {
          const { movements } = await venue.transfers.incoming(null)
          assert.deepEqual(
            movements.map((movement) => movement.foreign_id),
            ['T2:0', 'T1:0'],
          )
          assert.equal(asked.length, 2)
        },
      )
    }
  })

  test('an entry of the allow-list without a status is not approved', () =>
    withVault(
      () => ({ body: { id: 'BTC', address: OUTSIDE['BTC']?.address } }),
      async (venue) => {
        assert.equal(await venue.allowlist.state(destination('BTC', 'w')), 'PENDING_APPROVAL')
        const sent = await venue.transfers.send(orderTo('w'))
        assert.equal(sent.outcome, 'refused')
      },
    ))

  test('an answer of another shape than described makes nothing certain', () =>
    withVault(
      () => ({ body: {} }),
      async (venue) => {
        const order = { label: 'Outside', external_id: newId(), ...destination('BTC') }
        assert.equal((await venue.allowlist.allow(order)).outcome, 'unknown')
        assert.equal((await venue.transfers.send(orderTo('w'))).outcome, 'refused')
      },
    ))

  test('a fee estimate without a total fee cannot be read', () =>
    withVault(
      () => ({ body: { low: {}, medium: { gasPrice: '3' }, high: {} } }),
      (venue) =>
        assert.rejects(
          venue.transfers.estimateFee(orderTo('w')),
          (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
        ),
    ))

  test('a wallet that is made but not shown yet is unknown, not refused', () =>
    withVault(
      (path, method) => {
        if (path.includes('accounts_paged')) return { body: {} }
        if (path.includes('addresses_paginated')) return { body: { paging: {} } }
        return { body: method === 'POST' ? { id: '7' } : {} }
      },
      async (venue, asked) => {
        const made = await venue.wallets.create(walletOrder())
        assert.equal(made.outcome, 'unknown')
        assert.ok(asked.some((request) => request === 'POST /v1/vault/accounts/7/ETH'))
      },
    ))
})
