import { Button, Input, Segmented, Select } from 'antd'
import { useId } from 'react'
import type { ReactNode } from 'react'
import { AmountInput, NamePicker, TimeInput } from '../../action/inputs.tsx'
import { useGet, useMay } from '../../api/query.ts'
import { Amount } from '../../parts/values.tsx'
import type { Market, Written } from './draft.ts'
import type { PriceRoute } from './price-routes.tsx'
import { CONDITION_WORDS, TIF_WORDS, TYPE_WORDS } from './words.tsx'

const options = <Word extends string>(
  words: readonly Word[],
  named: Readonly<Record<string, string>>,
) => words.map((value) => ({ value, label: named[value] ?? value }))

type Props = {
  written: Written
  write(change: Partial<Written>): void
  market: Market | undefined
  choose(market: string): void
  routes: readonly PriceRoute[]
}

export function TicketForm({ written, write, market, choose, routes }: Props): ReactNode {
  const { type } = written
  return (
    <form
      className="panel ticket-form"
      aria-label="Order"
      onSubmit={(event) => {
        event.preventDefault()
      }}
    >
      <Field label="Market">
        {(id) => (
          <Select
            id={id}
            showSearch={{ optionFilterProp: 'label' }}
            value={chosenMarket(market)}
            options={marketOptions(routes)}
            onChange={choose}
          />
        )}
      </Field>
      <Customers written={written} write={write} market={market} />
      <fieldset>
        <legend>Type</legend>
        <Segmented
          block
          aria-label="Type"
          value={type}
          options={options(['MARKET', 'LIMIT', 'STOP_MARKET'], TYPE_WORDS)}
          onChange={(chosen) => {
            write({ type: chosen, ...(chosen === 'MARKET' ? {} : { by: 'base' as const }) })
          }}
        />
      </fieldset>
      <QuantityInput written={written} write={write} market={market} />
      {type === 'STOP_MARKET' && (
        <fieldset>
          <legend>Condition</legend>
          <Segmented
            block
            aria-label="Condition"
            value={written.condition}
            options={options(['STOP_LOSS', 'TAKE_PROFIT'], CONDITION_WORDS)}
            onChange={(condition) => {
              write({ condition })
            }}
          />
        </fieldset>
      )}
      {type !== 'MARKET' && <PriceInputs written={written} write={write} market={market} />}
      <FurtherInputs written={written} write={write} />
    </form>
  )
}

type InputsProps = Pick<Props, 'written' | 'write' | 'market'>

function chosenMarket(market: Market | undefined): string | null {
  if (market === undefined) return null
  return market.best ? market.symbol : (market.routes[0]?.id ?? null)
}

function QuantityInput({ written, write, market }: InputsProps): ReactNode {
  return (
    <Field label="Quantity">
      {(id) => (
        <div className="beside">
          <AmountInput
            id={id}
            value={written.quantity}
            onChange={changed((quantity) => {
              write({ quantity })
            })}
          />
          <Segmented
            aria-label="Quantity in"
            value={written.by}
            options={[
              { value: 'base', label: market?.base ?? '' },
              { value: 'quote', label: market?.quoted ?? '', disabled: written.type !== 'MARKET' },
            ]}
            onChange={(by) => {
              write({ by: by as Written['by'] })
            }}
          />
        </div>
      )}
    </Field>
  )
}

const PRICE_WORDS = {
  LIMIT: {
    label: 'Limit, all-in',
    help: 'The price of one unit for the customer, with fee and margin',
    tif: ['GTC', 'GTD', 'IOC', 'FOK'],
  },
  STOP_MARKET: {
    label: 'Trigger',
    help: 'When the top of the book reaches this price, the order goes to the market',
    tif: ['GTC', 'GTD'],
  },
} as const

/** The price of a limit or stop order, and its time in force. */
function PriceInputs({ written, write, market }: InputsProps): ReactNode {
  const { tif, expires_at } = written
  const words = PRICE_WORDS[written.type === 'LIMIT' ? 'LIMIT' : 'STOP_MARKET']
  return (
    <>
      <Field label={words.label} help={words.help}>
        {(id) => (
          <AmountInput
            id={id}
            asset={market?.quoted ?? ''}
            value={written.price}
            onChange={changed((price) => {
              write({ price })
            })}
          />
        )}
      </Field>
      <Field label="Time in force">
        {(id) => (
          <Select
            id={id}
            value={tif}
            options={options<Written['tif']>(words.tif, TIF_WORDS)}
            onChange={(chosen) => {
              write({ tif: chosen })
            }}
          />
        )}
      </Field>
      {tif === 'GTD' && (
        <Field label="Until">
          {(id) => (
            <TimeInput
              id={id}
              {...(expires_at === undefined ? {} : { value: expires_at })}
              onChange={(expires_at) => {
                write({ expires_at })
              }}
            />
          )}
        </Field>
      )}
    </>
  )
}

function FurtherInputs({ written, write }: Pick<Props, 'written' | 'write'>): ReactNode {
  return (
    <details>
      <summary>Margin, risk, reference</summary>
      <Field label="Margin" help="In per cent; replaces the margin of the route">
        {(id) => (
          <AmountInput
            id={id}
            asset="%"
            value={written.margin}
            onChange={changed((margin) => {
              write({ margin })
            })}
          />
        )}
      </Field>
      <Field label="Risk" help="In per cent; a held price keeps its own risk">
        {(id) => (
          <AmountInput
            id={id}
            asset="%"
            value={written.risk}
            onChange={changed((risk) => {
              write({ risk })
            })}
          />
        )}
      </Field>
      <Field label="Your reference">
        {(id) => (
          <Input
            id={id}
            maxLength={200}
            value={written.client_ref}
            onChange={changed((client_ref) => {
              write({ client_ref })
            })}
          />
        )}
      </Field>
    </details>
  )
}

const changed =
  (then: (text: string) => void) =>
  (event: unknown): void => {
    then((event as { target: { value: string } }).target.value)
  }

function Field({
  label,
  help,
  children,
}: {
  label: string
  help?: string
  children(id: string): ReactNode
}): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {help !== undefined && <small>{help}</small>}
    </div>
  )
}

/** For each symbol: the best of its routes if there are several, then the routes. */
function marketOptions(
  routes: readonly PriceRoute[],
): { label: string; options: { value: string; label: string }[] }[] {
  const bySymbol = Map.groupBy(
    routes.filter((route) => route.active),
    (route) => route.symbol,
  )
  return [...bySymbol]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([symbol, of]) => ({
      label: symbol,
      options: [
        ...(of.length > 1
          ? [{ value: symbol, label: `${symbol}, best of ${of.length} routes` }]
          : []),
        ...of
          .toSorted((a, b) => a.label.localeCompare(b.label))
          .map((route) => ({
            value: route.id,
            label: `${route.label}${route.state === 'UP' ? '' : ` (${route.state.toLowerCase()})`}`,
          })),
      ],
    }))
}

type Customer = Written['customers'][number]

function Customers({ written, write, market }: InputsProps): ReactNode {
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
          Split among several customers
        </Button>
        {customers.length > 1 && <small>A customer with an empty share takes the rest.</small>}
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
    <Field label={several ? `Customer ${index + 1}` : 'Customer'}>
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
              aria-label={`Share of customer ${index + 1}`}
              asset={by === 'base' ? market?.base : market?.quoted}
              value={quantity}
              onChange={changed((typed) => {
                set({ quantity: typed })
              })}
            />
          )}
          {several && (
            <Button
              aria-label={`Remove customer ${index + 1}`}
              title="Remove"
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

/** How much of these assets the customer can trade now. */
function TradingBalance({
  customer_id,
  assets,
}: {
  customer_id: string
  assets: readonly string[]
}): ReactNode {
  const may = useMay('accounts.read')
  const { data: customer } = useGet('/customers/{customer_id}', { params: { customer_id } })
  const account_id = customer?.account_id
  const { data: balances } = useGet(
    '/bookings/accounts/{account_id}/balance',
    { params: { account_id: account_id ?? '' } },
    { enabled: may && account_id !== undefined },
  )
  if (balances === undefined) return null
  return (
    <p className="free">
      Available to trade:{' '}
      {assets.map((asset, index) => (
        <span key={asset}>
          {index > 0 && ' · '}
          <Amount value={balances[asset]?.trading ?? '0'} asset={asset} />
        </span>
      ))}
    </p>
  )
}
