/** For tests of the vault at the sandbox. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach } from 'node:test'
import { inspect } from 'node:util'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type {
  Allowlist,
  TransferLookup,
  TransferOrder,
  TransferOutput,
  TransferReport,
  Transfers,
  Venue,
  WalletCreation,
  WalletOrder,
} from '../contract.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { openVault } from './vault.ts'
import type { VaultConfig } from './vault.ts'

export const OUTSIDE: Record<string, { address: string; tag: string | null }> = {
  BTC: { address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', tag: null },
  ETH: { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', tag: null },
  XRP: { address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', tag: '77' },
  XLM: { address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', tag: '88' },
}
export const PACE = 20
/** Long enough for the slowest machine. */
const PATIENT_MILLISECONDS = 30_000
const HASTY_MILLISECONDS = 2_000

/** The vault's published OpenAPI description, where it lies beside the repository. */
const DESCRIPTION = join(import.meta.dirname, '../../../../../shared/venues/fireblocks-api-v2.yaml')

/** With the description, every request and every answer is compared with it. */
export const startVault = (): Promise<SandboxProcess> =>
  startSandbox(existsSync(DESCRIPTION) ? { FIREBLOCKS_OPENAPI: DESCRIPTION } : {})

/** What a fault of the sandbox makes of a transaction, so that nobody can read it. */
export const ODD_TRANSACTION: readonly string[] = [
  'amountInfo must be object',
  'treatAsGrossAmount must be boolean',
].map((fault) => `GET /transactions 200: answer/*/${fault}`)

/**
 * Fails when a request of the adapter, an answer or a webhook deviated from the description.
 * `meant`: deviations that a fault has made.
 */
export async function stopVault(
  sandbox: SandboxProcess,
  meant: readonly string[] = [],
): Promise<void> {
  const { deviations } = await sandbox.control<{ deviations: { text: string }[] }>(
    'GET',
    'fireblocks/deviations',
  )
  await sandbox.stop()
  assert.deepEqual(
    deviations.filter(({ text }) => !meant.includes(text)),
    [],
  )
}

export type Vault = Venue & { transfers: Transfers; allowlist: Allowlist; wallets: WalletCreation }
export async function openAt(
  sandbox: SandboxProcess,
  more: Partial<VaultConfig> = {},
): Promise<Vault> {
  const { api_key } = JSON.parse(await sandbox.credential('fireblocks.json')) as { api_key: string }
  return (await openVault({
    base_url: `${sandbox.url}/fireblocks/v1`,
    api_key,
    secret_pem: await sandbox.credential('fireblocks.pem'),
    webhook_public_key_pem: await sandbox.credential('fireblocks-webhook.pem'),
    request_timeout_ms: PATIENT_MILLISECONDS,
    ...more,
  })) as Vault
}
export function destination(
  asset: string,
  external = '',
): Pick<TransferOrder, 'asset' | 'protocol' | 'destination_address' | 'tag' | 'transfer'> {
  const { address = '', tag = null } = OUTSIDE[asset] ?? {}
  return {
    asset,
    protocol: asset,
    destination_address: address,
    tag,
    transfer: {
      from: { source_vault_account_id: '0', destination_external_account_id: external },
      to: {},
    },
  }
}
/** For answers that never come. */
export const openHasty = (sandbox: SandboxProcess): Promise<Vault> =>
  openAt(sandbox, { request_timeout_ms: HASTY_MILLISECONDS })
/** Allow-lists the outside address of each asset; answers the collection. */
export async function allowAll(venue: Vault): Promise<string> {
  let collection = ''
  for (const asset of Object.keys(OUTSIDE)) {
    const answer = await venue.allowlist.allow({
      label: 'Outside',
      external_id: newId(),
      ...destination(asset, collection),
    })
    assert.ok(answer.outcome === 'accepted', inspect(answer))
    collection = answer.report.transfer.from['destination_external_account_id'] ?? ''
    await until(
      `${asset} is approved`,
      async () => (await venue.allowlist.state(destination(asset, collection))) === 'APPROVED',
    )
  }
  return collection
}
/** Allow-lists one more BTC address; answers it as an output. */
export async function allowBtc(
  venue: Vault,
  destination_address: string,
): Promise<Omit<TransferOutput, 'quantity'>> {
  const entry = { asset: 'BTC', protocol: 'BTC', destination_address, tag: null }
  const answer = await venue.allowlist.allow({
    label: 'Other',
    external_id: newId(),
    ...entry,
    transfer: destination('BTC').transfer,
  })
  assert.ok(answer.outcome === 'accepted', inspect(answer))
  const { transfer } = answer.report
  await until(
    'the other address is approved',
    async () => (await venue.allowlist.state({ ...entry, transfer })) === 'APPROVED',
  )
  return { destination_address, tag: null, transfer, recipient_name: null }
}
export function orderTo(collection: string, more: Partial<TransferOrder> = {}): TransferOrder {
  return {
    external_id: newId(),
    quantity: decimal('0.01'),
    speed_level: 'DEFAULT',
    fee: 0n,
    source_wallet: '0',
    recipient_name: null,
    ...destination(more.asset ?? 'BTC', collection),
    ...more,
  }
}
export const walletOrder = (more: Partial<WalletOrder> = {}): WalletOrder => ({
  external_id: newId(),
  asset: 'ETH',
  protocol: 'ETH',
  label: 'New',
  vault_id: null,
  vault_name: null,
  customer_id: null,
  ...more,
})
export const lookup = (order: TransferOrder): TransferLookup => ({
  ...order,
  foreign_id: null,
  submitted_at: Date.now(),
  claimed: [],
})
export async function ended(venue: Vault, order: TransferOrder): Promise<TransferReport> {
  return until('the transfer ends', async () => {
    const found = await venue.transfers.find(lookup(order))
    return found.lookup === 'found' && !found.report.state.startsWith('PENDING')
      ? found.report
      : undefined
  })
}
type Arrivals = { received: { quantity: string; tag: string | null }[] }
export const arrived = async (sandbox: SandboxProcess, asset: string) =>
  (await sandbox.control<Arrivals>('GET', `chain/addresses/${OUTSIDE[asset]?.address}`)).received
type State = { accounts: { wallets: { asset: string; address: string }[] }[] }
export const addressOf = async (sandbox: SandboxProcess, asset: string) =>
  (await sandbox.control<State>('GET', 'fireblocks')).accounts[0]?.wallets.find(
    (wallet) => wallet.asset === asset,
  )?.address ?? ''

/** A vault at a sandbox of its own; the outside addresses are on its allow-list. */
export class VaultDesk {
  #opened: { sandbox: SandboxProcess; venue: Vault; hasty: Vault; collection: string } | undefined

  /** Inside a `describe`: for all of its tests. */
  constructor() {
    before(async () => {
      const sandbox = await startVault()
      await sandbox.control('POST', 'clock', { pace: PACE })
      const venue = await openAt(sandbox)
      const hasty = await openHasty(sandbox)
      this.#opened = { sandbox, venue, hasty, collection: await allowAll(venue) }
    })
    beforeEach(() => this.sandbox.control('DELETE', 'faults'))
    after(async () => {
      await this.venue.close()
      await this.hasty.close()
      await stopVault(this.sandbox)
    })
  }

  get sandbox(): SandboxProcess {
    return this.#open.sandbox
  }

  get venue(): Vault {
    return this.#open.venue
  }

  /** Waits a short time only. */
  get hasty(): Vault {
    return this.#open.hasty
  }

  get collection(): string {
    return this.#open.collection
  }

  async total(asset: string): Promise<bigint> {
    const balances = await this.venue.balances()
    return balances.find((balance) => balance.asset === asset)?.total ?? 0n
  }

  get #open() {
    assert.ok(this.#opened)
    return this.#opened
  }
}
