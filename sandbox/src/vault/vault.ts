/**
 * A simulated Fireblocks at /fireblocks/v1: vault accounts, an allow-list that takes its time,
 * transactions with fee levels and confirmations, webhooks. What its accounts hold in sum is what
 * lies at its addresses on the chain.
 */
import type { Chain, Part } from '../part.ts'
import type { World } from '../world.ts'
import { PART, openAccounts } from './accounts.ts'
import { openAuth } from './auth.ts'
import { mountControl } from './control.ts'
import { openExternalWallets } from './external-wallets.ts'
import { mountRest } from './rest.ts'
import { openTransactions } from './transactions.ts'
import { openWebhooks } from './webhooks.ts'
import { transactionWire } from './wire.ts'

export type VaultPart = Part & {
  /** Where the first vault account receives this asset. */
  address(asset: string): string
}

export function openVault(world: World, chain: Chain): VaultPart {
  const authenticate = openAuth(world.dir)
  const webhooks = openWebhooks(world)
  const accounts = openAccounts(world, chain)
  const external = openExternalWallets(world)
  const transactions = openTransactions(world, chain, accounts, (transaction, created) => {
    webhooks.post({
      type: created ? 'transaction.created' : 'transaction.status.updated',
      resource_id: transaction.id,
      data: transactionWire(transaction),
    })
  })
  return {
    name: PART,
    mount(server) {
      mountRest(server, { world, chain, accounts, external, transactions, authenticate })
      mountControl(server, { world, accounts, external, transactions, webhooks })
    },
    close: async () => {
      webhooks.close()
    },
    holdings: accounts.holdings,
    address: (asset) => world.commit(() => accounts.createWallet(0, asset).address),
  }
}
