/** What a venue needs to know about a wallet, by the kind of the venue. */
import type { FormField } from '../../action/inputs.tsx'
import { t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'

type Kind = RowOf<'/venues'>['kind']

/** Fields of a wallet that exists there. */
export const EXISTING_FIELDS: Readonly<Record<Kind, readonly FormField[]>> = {
  EXCHANGE: [],
  CUSTODY_VAULT: [
    {
      name: 'configuration.vault_id',
      label: t('Vault'),
      kind: 'text',
      required: true,
      help: t('Id of the vault that holds the wallet'),
    },
  ],
  BANK: [
    { name: 'configuration.customer_number', label: t('Customer number'), kind: 'text' },
    {
      name: 'configuration.customer_account_number',
      label: t('Sub-account'),
      kind: 'text',
      help: t('Leave empty to use the address'),
    },
  ],
  MANAGED_WALLET: [
    {
      name: 'configuration.wallet_id',
      label: t('Wallet at the venue'),
      kind: 'text',
      required: true,
    },
  ],
}

/** Fields of a wallet that the venue creates; other kinds of venue create none. */
export const CREATION_FIELDS: Partial<Readonly<Record<Kind, readonly FormField[]>>> = {
  CUSTODY_VAULT: [
    {
      name: 'configuration.vault_id',
      label: t('Vault'),
      kind: 'text',
      help: t('Leave empty to create a new vault'),
    },
    {
      name: 'configuration.vault_name',
      label: t('Name of the new vault'),
      kind: 'text',
      help: t('Leave empty to use a generated name'),
    },
  ],
  MANAGED_WALLET: [
    {
      name: 'configuration.customer_id',
      label: t('Customer at the venue'),
      kind: 'text',
      required: true,
      help: t('The customer for whom the venue creates the wallet'),
    },
  ],
}
