/** A treasury route as confirmations show it: from, to, address and protocol. */
import type { ReactNode } from 'react'
import type { Fact } from '../../action/plan.ts'
import { Trans, t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords } from '../../parts/status.tsx'
import { told } from '../../parts/refusal-words.ts'
import { Name } from '../../parts/values.tsx'

export type Route = RowOf<'/treasury/wallets/routes'>

/** The destination: the address, with the tag of a coin or the reference of a wire. */
export function addressOf(route: Route): string {
  const { tag, reference } = route.transfer.to as Partial<Record<'tag' | 'reference', string>>
  return [
    route.to_wallet.address,
    ...(tag === undefined ? [] : [t('tag {{tag}}', { tag })]),
    ...(reference === undefined ? [] : [t('reference “{{reference}}”', { reference })]),
  ].join(', ')
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  name: t('Name that the bank is told'),
  street: t("Payee's street"),
  building_number: t("Payee's building number"),
  post_code: t("Payee's post code"),
  town: t("Payee's town"),
  country: t("Payee's country"),
  bic: 'BIC',
  aba: 'ABA',
  source_vault_account_id: t('Vault account'),
  destination_external_account_id: t('Allow-list entry'),
}

/** A field that the sending venue asks for; the route has a name of its own. */
export const transferFieldWords = (name: string): string => FIELD_WORDS[name] ?? inWords(name)

const FIELD_HELP: Readonly<Record<string, string>> = {
  source_vault_account_id: t(
    'The number of the vault account that pays, as the custodian shows it',
  ),
  destination_external_account_id: t(
    'Leave it empty, and one is made for this address. Else the id of the one that has it.',
  ),
}

/** Of a field whose name says as much. */
const SAYS_NO_MORE = /of the recipient's address$/

/** What a person is to give there. */
export const transferFieldHelp = (name: string, description: string): string | undefined =>
  FIELD_HELP[name] ?? (SAYS_NO_MORE.test(description) ? undefined : told(description))

function AtVenue({
  wallet: { label, venue_id },
}: {
  wallet: { label: string; venue_id: string | null }
}): ReactNode {
  if (venue_id === null) return label
  return (
    <Trans
      i18nKey="{{label}} at <name/>"
      components={{ name: <Name of="venue" id={venue_id} /> }}
      values={{ label }}
    />
  )
}

export const factsOfRoute = (route: Route): Fact[] => [
  { label: t('From'), value: <AtVenue wallet={route.from_wallet} /> },
  { label: t('To'), value: <AtVenue wallet={route.to_wallet} /> },
  { label: t('Address'), value: addressOf(route) },
  { label: t('Route'), value: `${route.label} (${route.protocol})` },
]
