/** The form of an order: market, customers, type, quantity, price and further terms. */
import { Input, Segmented, Select } from 'antd'
import type { ReactNode } from 'react'
import { lowered, t } from '../../language/index.ts'
import { AmountInput } from '../../parts/amount-input.tsx'
import { TimeInput } from '../../parts/time-input.tsx'
import { inWords } from '../../parts/status.tsx'
import type { Market, Written } from './draft.ts'
import type { PriceRoute } from './price-routes.tsx'
import { Customers } from './ticket-customers.tsx'
import { Field } from './ticket-field.tsx'
import type { InputsProps } from './ticket-field.tsx'
import { CONDITION_WORDS, TIF_WORDS, TYPE_WORDS } from './words.tsx'

const options = <Word extends string>(
  words: readonly Word[],
  named: Readonly<Record<string, string>>,
) => words.map((value) => ({ value, label: named[value] ?? value }))

type Props = InputsProps & { choose(market: string): void; routes: readonly PriceRoute[] }

export function TicketForm({ written, write, market, choose, routes }: Props): ReactNode {
  const { type } = written
  return (
    <form
      className="panel ticket-form"
      aria-label={t('Order')}
      onSubmit={(event) => {
        event.preventDefault()
      }}
    >
      <Field label={t('Market')}>
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
        <legend>{t('Type')}</legend>
        <Segmented
          block
          aria-label={t('Type')}
          value={type}
          options={options(['MARKET', 'LIMIT', 'STOP_MARKET'], TYPE_WORDS)}
          onChange={(chosen) => {
            write(typeChange(written, chosen))
          }}
        />
      </fieldset>
      <QuantityInput written={written} write={write} market={market} />
      {type === 'STOP_MARKET' && (
        <fieldset>
          <legend>{t('Condition')}</legend>
          <Segmented
            block
            aria-label={t('Condition')}
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

/** A limit is no trigger, and an amount of euros none of bitcoins: they are typed anew. */
function typeChange({ type, by }: Written, chosen: Written['type']): Partial<Written> {
  const isOther = chosen !== 'MARKET' && by === 'quote'
  return {
    type: chosen,
    ...(chosen === type ? {} : { price: '' }),
    ...(isOther ? { by: 'base', quantity: '' } : {}),
  }
}

function chosenMarket(market: Market | undefined): string | null {
  if (market === undefined) return null
  return market.best ? market.symbol : (market.routes[0]?.id ?? null)
}

function QuantityInput({ written, write, market }: InputsProps): ReactNode {
  return (
    <Field label={t('Quantity')}>
      {(id) => (
        <div className="beside">
          <AmountInput
            id={id}
            asset={written.by === 'base' ? market?.base : market?.quoted}
            value={written.quantity}
            onChange={(quantity) => {
              write({ quantity })
            }}
          />
          <Segmented
            aria-label={t('Quantity in')}
            value={written.by}
            options={[
              { value: 'base', label: market?.base ?? '' },
              { value: 'quote', label: market?.quoted ?? '', disabled: written.type !== 'MARKET' },
            ]}
            onChange={(by) => {
              write({ by: by as Written['by'], ...(by === written.by ? {} : { quantity: '' }) })
            }}
          />
        </div>
      )}
    </Field>
  )
}

const PRICE_WORDS = {
  LIMIT: {
    label: t('Limit, all-in'),
    help: t('The price of one unit for the customer, with fee and margin'),
    tif: ['GTC', 'GTD', 'IOC', 'FOK'],
  },
  STOP_MARKET: {
    label: t('Trigger'),
    help: t('When the top of the book reaches this price, the order goes to the market'),
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
            price
            asset={market?.quoted ?? ''}
            value={written.price}
            onChange={(price) => {
              write({ price })
            }}
          />
        )}
      </Field>
      <Field label={t('Time in force')}>
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
        <Field label={t('Until')}>
          {(id) => (
            <TimeInput
              id={id}
              value={expires_at}
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

function FurtherInputs({ written, write }: Pick<InputsProps, 'written' | 'write'>): ReactNode {
  return (
    <details>
      <summary>{t('Margin, risk, reference')}</summary>
      <Field label={t('Margin')} help={t('In per cent; replaces the margin of the route')}>
        {(id) => (
          <AmountInput
            id={id}
            zero
            asset="%"
            value={written.margin}
            onChange={(margin) => {
              write({ margin })
            }}
          />
        )}
      </Field>
      <Field label={t('Risk')} help={t('In per cent; a held price keeps its own risk')}>
        {(id) => (
          <AmountInput
            id={id}
            zero
            asset="%"
            value={written.risk}
            onChange={(risk) => {
              write({ risk })
            }}
          />
        )}
      </Field>
      <Field label={t('Your reference')}>
        {(id) => (
          <Input
            id={id}
            maxLength={200}
            value={written.client_ref}
            onChange={({ target }) => {
              write({ client_ref: target.value })
            }}
          />
        )}
      </Field>
    </details>
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
          ? [
              {
                value: symbol,
                label: t('{{symbol}}, best of {{count}} routes', { symbol, count: of.length }),
              },
            ]
          : []),
        ...of
          .toSorted((a, b) => a.label.localeCompare(b.label))
          .map((route) => ({
            value: route.id,
            label:
              route.state === 'UP'
                ? route.label
                : `${route.label} (${lowered(inWords(route.state))})`,
          })),
      ],
    }))
}
