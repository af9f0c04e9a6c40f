/** What there is of an asset: on an account, or else in a wallet. */
import { useGet, useMay } from './query.ts'

const EVERY_MILLISECONDS = 15_000

/** What can be withdrawn from an account now; undefined until it is known. */
export function useWithdrawable(
  account_id: string | undefined,
  asset: string | undefined,
): string | undefined {
  const may = useMay('accounts.read')
  const { data } = useGet(
    '/bookings/accounts/{account_id}/balance',
    { params: { account_id: account_id ?? '' } },
    { enabled: may && account_id !== undefined, every: EVERY_MILLISECONDS },
  )
  if (data === undefined || account_id === undefined || asset === undefined) return undefined
  return data[asset]?.withdrawing ?? '0'
}

/** What a wallet's venue reports as free; undefined when it reports nothing. */
export function useInWallet(wallet_id: string | undefined): string | undefined {
  const may = useMay('treasury.wallets.read')
  const { data } = useGet(
    '/treasury/wallets/{wallet_id}/balance',
    { params: { wallet_id: wallet_id ?? '' } },
    { enabled: may && wallet_id !== undefined },
  )
  return wallet_id === undefined ? undefined : (data?.free ?? undefined)
}
