/** Payments to the wallet of another customer than the one who pays. */
import type { ReactNode } from 'react'
import type { Fact, Values } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { useMay } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import type { Route } from './route-facts.tsx'

const PERMISSION = 'treasury.withdrawals.third_party'
const TITLE = t('Third-party payment')

export const THIRD_PARTY_FIELD = {
  key: 'third_party',
  title: t("To another customer's wallet"),
} as const

/** For a request; a payment that is none says nothing. */
export const thirdPartyOf = ({ third_party }: Values): { third_party?: true } =>
  third_party === true ? { third_party } : {}

export const factsOfThirdParty = ({ third_party }: Values): Fact[] =>
  third_party === true ? [{ label: TITLE, value: t("To another customer's wallet") }] : []

/** `within` is the path of the payment in the form. */
export function ThirdPartyInput({ within }: { within?: number }): ReactNode {
  const may = useMay(PERMISSION)
  return (
    <InputItem
      field={{
        name: within === undefined ? 'third_party' : [within, 'third_party'],
        label: TITLE,
        kind: 'flag',
        disabled: !may,
        help: may
          ? t('The wallet that it goes to belongs to another customer than the one who pays.')
          : t('Your roles do not have the permission {{permission}}', { permission: PERMISSION }),
      }}
    />
  )
}

/** Whether the route leads to a wallet of another customer than the account's. */
export function useIsThirdParty(route: Route | undefined, account_id: string | undefined): boolean {
  const accounts = useAll('/accounts')
  const payer = accounts?.find((account) => account.id === account_id)?.customer_id
  const sources = [payer, route?.from_wallet.customer_id]
  const paying = sources.find((customer_id) => typeof customer_id === 'string')
  const receiver = route?.to_wallet.customer_id ?? null
  return paying !== undefined && receiver !== null && receiver !== paying
}
