/** The customers of an order: their shares, and what each can trade now. */
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { AmountInput } from '../../parts/amount-input.tsx'
import { NamePicker } from '../../action/inputs.tsx'
import { useEvents, useLiveness } from '../../api/events.ts'
import type { Subject } from '../../api/events.ts'
import { useGet, useMay } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Amount } from '../../parts/values.tsx'
import type { Written } from './draft.ts'
import { Field } from './ticket-field.tsx'
import type { InputsProps } from './ticket-field.tsx'

/** What changes how much somebody can trade. */
const MOVES: readonly Subject[] = ['execution', 'booking', 'withdrawal', 'account']
const PAUSE_MILLISECONDS = 500
/** For those to whom no events are told. */
const EVERY_MILLISECONDS = 10_000

type Customer = Written['customers'][number]

export function Customers({ written, write, market }: InputsProps): ReactNode {
  const { customers } = written
  return (
    <>
      {customers.map(({ customer_id }, index) => (
        <div key={index}>
          <CustomerInput index={index} written={written} write={write} market={market} />
          {customer_id !== undefined && market !== undefined && (
            <TradingBalance customer_id={customer_id} assets={[market.quoted, market.base]} />
          )}
        </div>
      ))}
      <div className="beside">
        <Button
          size="small"
          type="link"
          className="add"
          onClick={() => {
            write({ customers: [...customers, { customer_id: undefined, quantity: '' }] })
          }}
        >
          {t('Split among several customers')}
        </Button>
        {customers.length > 1 && (
          <small>{t('A customer with an empty share takes the rest.')}</small>
        )}
      </div>
    </>
  )
}

/** A customer, and the share in the order when there are several. */
function CustomerInput({
  index,
  written: { customers, by },
  write,
  market,
}: InputsProps & { index: number }): ReactNode {
  const several = customers.length > 1
  const { customer_id, quantity } = customers[index] as Customer
  const set = (change: Partial<Customer>): void => {
    write({
      customers: customers.map((customer, at) =>
        at === index ? { ...customer, ...change } : customer,
      ),
    })
  }
  return (
    <Field label={several ? t('Customer {{number}}', { number: index + 1 }) : t('Customer')}>
      {(id) => (
        <div className="beside">
          <NamePicker
            of="customer"
            id={id}
            {...(customer_id === undefined ? {} : { value: customer_id })}
            only={(other) =>
              other === customer_id || customers.every((customer) => customer.customer_id !== other)
            }
            onChange={(chosen) => {
              set({ customer_id: chosen })
            }}
          />
          {several && (
            <AmountInput
              aria-label={t('Share of customer {{number}}', { number: index + 1 })}
              asset={by === 'base' ? market?.base : market?.quoted}
              value={quantity}
              onChange={(amount) => {
                set({ quantity: amount })
              }}
            />
          )}
          {several && (
            <Button
              aria-label={t('Remove customer {{number}}', { number: index + 1 })}
              title={t('Remove')}
              onClick={() => {
                write({ customers: customers.filter((_, at) => at !== index) })
              }}
            >
              ×
            </Button>
          )}
        </div>
      )}
    </Field>
  )
}

/** What the customer can trade now, by asset; undefined while it is not known. */
export function useTradable(customer_id: string | undefined): {
  has: Readonly<Record<string, string>> | undefined
  /** Orders are taken without it. */
  unchecked: boolean
} {
  const may = useMay('accounts.read')
  const { data: customer } = useGet(
    '/customers/{customer_id}',
    { params: { customer_id: customer_id ?? '' } },
    { enabled: customer_id !== undefined },
  )
  const account_id = customer?.account_id
  const liveness = useLiveness()
  const { data: balances, refetch } = useGet(
    '/bookings/accounts/{account_id}/balance',
    { params: { account_id: account_id ?? '' } },
    {
      enabled: may && customer_id !== undefined && account_id !== undefined,
      ...(liveness === 'off' ? { every: EVERY_MILLISECONDS } : {}),
    },
  )
  useEvents(MOVES, () => refetch(), PAUSE_MILLISECONDS)
  const known = customer?.id === customer_id ? balances : undefined
  return {
    has:
      known &&
      Object.fromEntries(
        Object.entries(known).map(([asset, balance]) => [asset, balance?.trading ?? '0']),
      ),
    unchecked: customer?.ignore_balance_check === true,
  }
}

/** How much of these assets the customer can trade now. */
function TradingBalance({
  customer_id,
  assets,
}: {
  customer_id: string
  assets: readonly string[]
}): ReactNode {
  const { has } = useTradable(customer_id)
  if (has === undefined) return null
  return (
    <p className="free">
      {t('Available to trade:')}{' '}
      {assets.map((asset, index) => (
        <span key={asset}>
          {index > 0 && ' · '}
          <Amount value={has[asset] ?? '0'} asset={asset} />
        </span>
      ))}
    </p>
  )
}
