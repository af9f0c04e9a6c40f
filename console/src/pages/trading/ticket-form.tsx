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
  const { type, tif } = written
  const base = market?.base ?? ''
  const quoted = market?.quoted ?? ''
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
            value={
              market === undefined
                ? null
                : market.best
                  ? market.symbol
                  : (market.routes[0]?.id ?? null)
            }
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
                { value: 'base', label: base },
                { value: 'quote', label: quoted, disabled: type !== 'MARKET' },
              ]}
              onChange={(by) => {
                write({ by: by as Written['by'] })
              }}
            />
          </div>
        )}
      </Field>
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
      {type !== 'MARKET' && (
        <>
          <Field
            label={type === 'LIMIT' ? 'Limit, all in' : 'Trigger'}
            help={
              type === 'LIMIT'
                ? 'What the customer pays or gets for one, with fee and margin'
                : 'Compared with the top of the book; then it goes to the market'
            }
          >
            {(id) => (
              <AmountInput
                id={id}
                asset={quoted}
                value={written.price}
                onChange={changed((price) => {
                  write({ price })
                })}
              />
            )}
          </Field>
          <Field label="Valid">
            {(id) => (
              <Select
                id={id}
                value={tif}
                options={options(
                  type === 'LIMIT' ? ['GTC', 'GTD', 'IOC', 'FOK'] : ['GTC', 'GTD'],
                  TIF_WORDS,
                )}
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
                  {...(written.expires_at === undefined ? {} : { value: written.expires_at })}
                  onChange={(expires_at) => {
                    write({ expires_at })
                  }}
                />
              )}
            </Field>
          )}
        </>
      )}
      <details>
        <summary>Margin, risk, reference</summary>
        <Field label="Margin" help="Instead of the route's, in per cent">
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
        <Field label="Risk" help="In per cent; a held price brings its own">
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
    </form>
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

/** For each symbol: the best of its routes where there are several, then each. */
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

function Customers({
  written: { customers, by },
  write,
  market,
}: Pick<Props, 'written' | 'write' | 'market'>): ReactNode {
  const several = customers.length > 1
  const set = (index: number, change: Partial<Written['customers'][number]>): void => {
    write({
      customers: customers.map((customer, at) =>
        at === index ? { ...customer, ...change } : customer,
      ),
    })
  }
  return (
    <>
      {customers.map(({ customer_id, quantity }, index) => (
        <div key={index}>
          <Field label={several ? `Customer ${index + 1}` : 'Customer'}>
            {(id) => (
              <div className="beside">
                <NamePicker
                  of="customer"
                  id={id}
                  {...(customer_id === undefined ? {} : { value: customer_id })}
                  only={(each) =>
                    each === customer_id || customers.every((other) => other.customer_id !== each)
                  }
                  onChange={(chosen) => {
                    set(index, { customer_id: chosen })
                  }}
                />
                {several && (
                  <AmountInput
                    aria-label={`Part of customer ${index + 1}`}
                    asset={by === 'base' ? market?.base : market?.quoted}
                    value={quantity}
                    onChange={changed((typed) => {
                      set(index, { quantity: typed })
                    })}
                  />
                )}
                {several && (
                  <Button
                    aria-label={`Without customer ${index + 1}`}
                    title="Take out"
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
          {customer_id !== undefined && market !== undefined && (
            <Free customer_id={customer_id} assets={[market.quoted, market.base]} />
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
        {several && <small>One may leave the part empty: it takes the rest.</small>}
      </div>
    </>
  )
}

/** What can be traded now of these assets. */
function Free({
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
      Can be traded:{' '}
      {assets.map((asset, index) => (
        <span key={asset}>
          {index > 0 && ' · '}
          <Amount value={balances[asset]?.trading ?? '0'} asset={asset} />
        </span>
      ))}
    </p>
  )
}
