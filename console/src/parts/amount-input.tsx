/**
 * The one field for amounts. It reads what is typed in the person's number format, says what it
 * has understood, and asks where a text can mean two amounts. Its value is the amount as the API
 * takes it; a text that was not understood is marked, so that nothing takes it for an amount.
 */
import { formatAmount, isAmount, negated, readAmount } from '@kontor/client'
import { Button, Form, Input } from 'antd'
import type { InputRef } from 'antd'
import type { Rule } from 'antd/es/form'
import { useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useAssets } from '../api/assets.tsx'
import type { Asset, Assets } from '../api/assets.tsx'
import { t } from '../language/index.ts'
import { faultOf, leastDecimals, normalForm, possible, typedOf, unread } from './amounts.ts'
import type { AmountTerms } from './amounts.ts'
import { useNumbers } from './number-format.ts'
import type { Numbers } from './number-format.ts'

/** What a field asks for. */
export type AmountAsked = Omit<AmountTerms, 'asset'> & {
  /** The code of the asset, which stands behind the text; undefined until it is known. */
  asset?: string | undefined
  /** What one unit costs: it may have more decimals than its asset. */
  price?: true | undefined
  /** What is there, where more than it is not refused; `available` is refused above. */
  known?: string | undefined
}

type Props = AmountAsked & {
  value?: string
  onChange?(value: string): void
  id?: string
  disabled?: boolean
  'aria-label'?: string
  placeholder?: string
  /** As high as the filters of a list are. */
  small?: true
}

/** The terms with the asset itself. A price is not bound to the decimals of its asset. */
function useTerms(asked: AmountAsked): AmountTerms {
  return termsOf(asked, useAssets())
}

const termsOf = ({ asset, price, zero, negative, available }: AmountAsked, assets: Assets) => ({
  asset: price === true ? undefined : assets.get(asset ?? ''),
  zero,
  negative,
  available,
})

/** Says why a value cannot be sent, for forms that check their fields themselves. */
export function useAmountFault(): (value: string, asked: AmountAsked) => string | undefined {
  const assets = useAssets()
  const numbers = useNumbers()
  return (value, asked) => faultOf(value, termsOf(asked, assets), numbers)
}

/** The rule of a form's field with an amount. */
export function useAmountRule(asked: AmountAsked): Rule {
  const terms = useTerms(asked)
  const numbers = useNumbers()
  return {
    validator: (_rule, value: unknown) => {
      const fault = typeof value === 'string' ? faultOf(value, terms, numbers) : undefined
      return fault === undefined ? Promise.resolve() : Promise.reject(new Error(fault))
    },
  }
}

/**
 * With an `asset` property, also an undefined one, the suffix exists from the start: adding it
 * later would replace the input while somebody types.
 */
export function AmountInput(props: Props): ReactNode {
  const { value = '', onChange, id, disabled = false } = props
  const numbers = useNumbers()
  const terms = useTerms(props)
  const note = useId()
  const input = useRef<InputRef>(null)
  const [typed, setTyped] = useState<{ text: string; value: string }>()
  const text = typed?.value === value ? typed.text : textOf(value, numbers)
  const take = (amount: string): void => {
    setTyped(undefined)
    onChange?.(amount)
    input.current?.focus()
  }
  return (
    <div className="amount-field">
      <Input
        {...(id === undefined ? {} : { id })}
        ref={input}
        disabled={disabled}
        value={text}
        inputMode="decimal"
        autoComplete="off"
        className="amount-input"
        aria-label={props['aria-label']}
        {...(props.placeholder === undefined ? {} : { placeholder: props.placeholder })}
        {...(props.small === true ? { size: 'small' as const, allowClear: true } : {})}
        aria-describedby={note}
        onChange={({ target }) => {
          const next = valueOf(target.value, numbers, props.negative === true)
          setTyped({ text: target.value, value: next })
          onChange?.(next)
        }}
        {...('asset' in props ? { suffix: <>{props.asset}</> } : {})}
      />
      <div className="amount-note" id={note} role="status">
        <Understood value={value} terms={terms} take={take} unit={props.asset} />
        <There props={props} asset={terms.asset} take={take} />
      </div>
    </div>
  )
}

/** What stands in the field for a value that was not typed here. */
const textOf = (value: string, { format }: Numbers): string =>
  typedOf(value) ??
  (isAmount(value.replace(/^-/, '')) ? formatAmount(value, format, { grouped: false }) : value)

function valueOf(text: string, numbers: Numbers, negative: boolean): string {
  const { format, sure } = numbers
  if (text.trim() === '') return ''
  const [, rest] = negative ? (/^\s*[-−](.*)$/.exec(text) ?? []) : []
  if (rest !== undefined) {
    const amount = valueOf(rest, numbers, false)
    return isAmount(amount) ? negated(amount) : unread(text)
  }
  const reading = readAmount(text, format, sure)
  return 'amount' in reading ? reading.amount : unread(text)
}

/** What the field has understood, what it asks, or what is wrong. */
function Understood({
  value,
  terms,
  take,
  unit,
}: {
  value: string
  terms: AmountTerms
  take(amount: string): void
  unit: string | undefined
}): ReactNode {
  const numbers = useNumbers()
  // At a field with an error the words of the error stand already.
  const { status } = Form.Item.useStatus()
  const choices = choicesOf(value, numbers, terms.asset)
  if (choices.length > 0)
    return <Asks choices={choices} asset={terms.asset} unit={unit} take={take} />
  const fault = faultOf(value, terms, numbers)
  if (fault !== undefined) return status === 'error' ? null : <span className="wrong">{fault}</span>
  if (value === '') return null
  return <span>{[normalForm(value, numbers, terms.asset), unit].filter(Boolean).join(' ')}</span>
}

function choicesOf(value: string, { format, sure }: Numbers, asset: Asset | undefined) {
  const typed = typedOf(value)
  if (typed === undefined) return []
  const reading = readAmount(typed, format, sure)
  if ('problem' in reading) return []
  return possible('amount' in reading ? [reading.amount] : reading.choices, asset)
}

function Asks({
  choices,
  asset,
  unit,
  take,
}: {
  choices: readonly string[]
  asset: Asset | undefined
  unit: string | undefined
  take(amount: string): void
}): ReactNode {
  const { format } = useNumbers()
  return (
    <span className="asks">
      {choices.length > 1
        ? t('This can be read in two ways. Which amount?')
        : t('Do you mean this?')}
      {choices.map((amount) => (
        <Button
          key={amount}
          size="small"
          onClick={() => {
            take(amount)
          }}
        >
          {formatAmount(amount, format, { decimals: leastDecimals(asset) })}
          {unit === undefined ? '' : ` ${unit}`}
        </Button>
      ))}
    </span>
  )
}

/** What there is of it, with a button that takes all. */
function There({
  props: { available, known, asset: unit, disabled },
  asset,
  take,
}: {
  props: Props
  asset: Asset | undefined
  take(amount: string): void
}): ReactNode {
  const numbers = useNumbers()
  const there = available ?? known
  if (there === undefined) return null
  const isNone = !/[1-9]/.test(there) || there.startsWith('-')
  return (
    <span>
      {t('Available: {{amount}}', {
        amount: [normalForm(there, numbers, asset), unit].filter(Boolean).join(' '),
      })}{' '}
      {!isNone && disabled !== true && (
        <Button
          type="link"
          size="small"
          onClick={() => {
            take(there)
          }}
        >
          {t('Take all')}
        </Button>
      )}
    </span>
  )
}
