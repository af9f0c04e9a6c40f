/** The vault's records as its API writes them. */
import { plain } from '../amount.ts'
import { coinOf } from '../chain/protocols.ts'
import type { VaultAccount, VaultAddress, VaultWallet } from './account-table.ts'
import type { Accounts } from './accounts.ts'
import type { ExternalAsset, ExternalWallet } from './external-wallets.ts'
import type { Transaction } from './transaction-row.ts'

export function walletWire(accounts: Accounts, wallet: VaultWallet): object {
  return {
    id: wallet.asset,
    total: wallet.total,
    balance: wallet.total,
    available: plain(accounts.free(wallet)),
    pending: '0',
    frozen: wallet.frozen,
    lockedAmount: wallet.locked,
    staked: '0',
  }
}

export function addressWire(
  wallet: VaultWallet,
  { address, tag, customer_ref_id, description, position }: VaultAddress,
): object {
  return {
    assetId: wallet.asset,
    address,
    description,
    tag,
    type: position === 0 ? 'Permanent' : 'Deposit',
    addressFormat: 'BASE',
    legacyAddress: '',
    enterpriseAddress: '',
    bip44AddressIndex: position,
    userDefined: false,
    ...(customer_ref_id !== null && { customerRefId: customer_ref_id }),
  }
}

export function accountWire(accounts: Accounts, account: VaultAccount): object {
  return {
    id: String(account.id),
    name: account.name,
    hiddenOnUI: account.hidden === 1,
    autoFuel: false,
    ...(account.customer_ref_id !== null && { customerRefId: account.customer_ref_id }),
    assets: accounts.wallets(account.id).map((wallet) => walletWire(accounts, wallet)),
  }
}

export function externalAssetWire(entry: ExternalAsset): object {
  return {
    id: entry.asset,
    status: entry.status,
    address: entry.address,
    ...(entry.tag !== null && { tag: entry.tag }),
  }
}

export function externalWalletWire(wallet: ExternalWallet, assets: ExternalAsset[]): object {
  return {
    id: wallet.id,
    name: wallet.name,
    ...(wallet.customer_ref_id !== null && { customerRefId: wallet.customer_ref_id }),
    assets: assets.map(externalAssetWire),
  }
}

/** Assets whose coins come out of many addresses, so that the vault names none as the source. */
const hasAddressesOfOutputs = (asset: string) => coinOf(asset).protocol.many_outputs

/** Addresses are shown from CONFIRMING on (`TransactionResponse` of the published description). */
function hasConfirmed({ status, tx_hash }: Transaction): boolean {
  return tx_hash !== '' && status !== 'BROADCASTING'
}

const SOURCE_NAMES = {
  UNKNOWN: 'External',
  VAULT_ACCOUNT: 'Vault account',
  GAS_STATION: 'Gas Station',
} as const satisfies Record<Transaction['source_type'], string>

/** So says the OpenAPI description; the SDK calls it `replacedTxHash`. */
const REPLACED = 'replacedTxByHash'

export function transactionWire(row: Transaction): object {
  return {
    id: row.id,
    ...(row.external_tx_id !== null && { externalTxId: row.external_tx_id }),
    ...(row.customer_ref_id !== null && { customerRefId: row.customer_ref_id }),
    status: row.status,
    subStatus: row.sub_status,
    txHash: row.tx_hash,
    operation: 'TRANSFER',
    note: row.note ?? '',
    assetId: row.asset,
    assetType: coinOf(row.asset).contract === null ? 'BASE_ASSET' : 'ERC20',
    source: {
      type: row.source_type,
      id: row.source_id,
      name: SOURCE_NAMES[row.source_type],
      subType: '',
    },
    ...(!hasAddressesOfOutputs(row.asset) && {
      sourceAddress: hasConfirmed(row) ? row.source_address : '',
    }),
    destination: {
      type: row.destination_type,
      id: row.destination_id,
      name: row.destination_name,
      subType: '',
    },
    destinations: (row.outputs ?? []).map((output) => ({
      amount: output.amount,
      destination: {
        type: output.destination_type,
        id: output.destination_id,
        name: output.destination_name,
        subType: '',
      },
    })),
    destinationAddress: hasConfirmed(row) ? row.destination_address : '',
    destinationAddressDescription: '',
    destinationTag: row.tag ?? '',
    amountInfo: { amount: row.amount, requestedAmount: row.amount, netAmount: row.amount },
    treatAsGrossAmount: false,
    feeInfo: { networkFee: row.network_fee },
    feeCurrency: coinOf(row.asset).protocol.asset,
    createdAt: row.created_at,
    lastUpdated: row.last_updated,
    createdBy: row.created_by,
    signedBy: [],
    rejectedBy: '',
    exchangeTxId: '',
    numOfConfirmations: row.confirmations,
    ...(row.output_index !== null && { index: row.output_index }),
    ...(row.nonce !== null && { nonce: String(row.nonce) }),
    ...(row.replaced_hash !== null && { [REPLACED]: row.replaced_hash }),
    ...(row.spent_hash !== null && {
      extraParameters: { inputsSelection: { inputsToSpend: [{ txHash: row.spent_hash }] } },
    }),
    addressType: row.destination_type === 'EXTERNAL_WALLET' ? 'WHITELISTED' : '',
  }
}
