/** For tests of managed wallets at the sandbox. */
import assert from 'node:assert/strict'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type {
  TransferLookup,
  TransferOrder,
  TransferReport,
  Transfers,
  Venue,
  WalletCreation,
  WalletOrder,
} from '../contract.ts'
import type { SurpriseStage } from '../contract-suite/trial.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { openManagedWallets } from './managed-wallet.ts'
import type { ManagedWalletConfig } from './managed-wallet.ts'

export const OUTSIDE: Record<string, string> = {
  BTC: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
  ETH: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  USDC: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
}
export const PACE = 20
/** Long enough for the slowest machine. */
const PATIENT_MILLISECONDS = 30_000
const HASTY_MILLISECONDS = 2_000
const HOUR = 3_600_000

export type Managed = Venue & { transfers: Transfers; wallets: WalletCreation }
type ListedWallet = { wallet_id: string; asset: string; address: string; label: string }

export async function openAt(
  sandbox: SandboxProcess,
  more: Partial<ManagedWalletConfig> = {},
): Promise<Managed> {
  const keys = JSON.parse(await sandbox.credential('managed.json')) as {
    api_key: string
    api_secret: string
  }
  return (await openManagedWallets({
    base_url: `${sandbox.url}/managed/v1`,
    ...keys,
    request_timeout_ms: PATIENT_MILLISECONDS,
    ...more,
  })) as Managed
}
/** For answers that never come. */
export const openHasty = (sandbox: SandboxProcess): Promise<Managed> =>
  openAt(sandbox, { request_timeout_ms: HASTY_MILLISECONDS })
const heldWallets = async (sandbox: SandboxProcess) =>
  (await sandbox.control<{ wallets: ListedWallet[] }>('GET', 'managed')).wallets
export async function heldWallet(sandbox: SandboxProcess, asset: string): Promise<ListedWallet> {
  const found = (await heldWallets(sandbox)).find((held) => held.asset === asset)
  assert.ok(found !== undefined)
  return found
}
export const walletOrder = (more: Partial<WalletOrder> = {}): WalletOrder => ({
  external_id: newId(),
  asset: 'BTC',
  protocol: 'BTC',
  label: 'New',
  vault_id: null,
  vault_name: null,
  customer_id: 'kontor',
  ...more,
})
export const lookup = (order: TransferOrder): TransferLookup => ({
  ...order,
  foreign_id: null,
  submitted_at: Date.now(),
  claimed: [],
})
export function orderFrom(
  source_wallet: string | null,
  more: Partial<TransferOrder> = {},
): TransferOrder {
  const asset = more.asset ?? 'BTC'
  return {
    external_id: newId(),
    asset,
    protocol: asset,
    quantity: decimal('0.01'),
    speed_level: 'DEFAULT',
    fee: 0n,
    source_wallet,
    destination_address: OUTSIDE[asset] ?? '',
    tag: null,
    transfer: { from: {}, to: {} },
    recipient_name: null,
    ...more,
  }
}
export async function ended(venue: Managed, order: TransferOrder): Promise<TransferReport> {
  return until('the transfer ends', async () => {
    const found = await venue.transfers.find(lookup(order))
    return found.lookup === 'found' && !found.report.state.startsWith('PENDING')
      ? found.report
      : undefined
  })
}

/** A request is sent again under its own id. Nothing is known that takes its place. */
export const mempoolOf = (
  { control, fault }: Pick<SandboxProcess, 'control' | 'fault'>,
  wallet_id: string,
): NonNullable<SurpriseStage['mempool']> => ({
  stuck: async () => {
    await fault('managed', 'confirm', 'LATE', { remaining: 1, delay_ms: HOUR })
    return orderFrom(wallet_id)
  },
  isStuck: ({ sub_state }) => sub_state === 'CONFIRMING',
  boost: async (id) => {
    // A block has passed it by.
    await until('it is stuck', async () => (await control<unknown[]>('GET', 'faults')).length === 0)
    return control('POST', `managed/requests/${id}`, { decision: 'boost' })
  },
})
