/** Parts of a movement and their accounts: form rows that can be split, with the rest shown. */
import { MinusCircleOutlined, PlusOutlined } from '@ant-design/icons'
import { addAmounts, isZero, negated, plainAmount } from '@kontor/client'
import { Button, Form } from 'antd'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { Trans, t } from '../../language/index.ts'
import { typedOf } from '../../parts/amounts.ts'
import { isNamedType } from '../../parts/account-types.ts'
import { Amount } from '../../parts/values.tsx'
import './treasury.css'

export type Share = { account_id?: string; quantity?: string }

/** Incomplete amounts count as zero. */
const sumOf = (shares: readonly (Share | undefined)[]): string =>
  addAmounts(...shares.map((share) => plainAmount(share?.quantity) ?? '0'))

export const sharesOf = (shares: unknown): { account_id: string; quantity: string }[] =>
  (shares as Share[]).map(({ account_id = '', quantity = '' }) => ({ account_id, quantity }))

/** Answers whether a movement can be assigned to an account: a customer's, or the house's own. */
export function useIsAssignable(): (account_id: string) => boolean {
  const accounts = useAll('/accounts')
  return useMemo(() => {
    const ids = new Set(
      accounts
        ?.filter(({ customer_id, type }) => customer_id !== null || isNamedType(type))
        .map((account) => account.id),
    )
    return (id) => ids.has(id)
  }, [accounts])
}

/** Answers whether an account belongs to a customer. */
export function useIsCustomers(): (account_id: string) => boolean {
  const accounts = useAll('/accounts')
  return useMemo(() => {
    const ids = new Set(
      accounts?.filter((account) => account.customer_id !== null).map((account) => account.id),
    )
    return (id) => ids.has(id)
  }, [accounts])
}

/** What one share can be at most: its own amount, and what no share has yet. */
function leftFor(share: Share | undefined, rest: string | undefined): string | undefined {
  if (rest === undefined) return undefined
  const left = addAmounts(rest, plainAmount(share?.quantity) ?? '0')
  return left.startsWith('-') ? '0' : left
}

const wholeOrNot = (isLeft: boolean): Promise<void> =>
  isLeft
    ? Promise.reject(new Error(t('Assign all of it: a part is still missing')))
    : Promise.resolve()

/** `of` is the amount to share; with `whole` nothing may be left over. */
export function ShareRows({
  name,
  asset,
  of,
  whole = false,
  field,
}: {
  name: string
  asset: string
  of: string | undefined
  whole?: boolean
  field?: { label: string }
}): ReactNode {
  const form = Form.useFormInstance()
  const shares = (Form.useWatch(name, form) as Share[] | undefined) ?? []
  // What was not understood yet is no amount, and nothing is said of what it leaves.
  const isUnread = shares.some((share) => typedOf(share?.quantity ?? '') !== undefined)
  const rest = of === undefined ? undefined : addAmounts(of, negated(sumOf(shares)))
  const isLeft = rest !== undefined && !rest.startsWith('-') && !isZero(rest)
  return (
    <Form.List name={name} rules={whole ? [{ validator: () => wholeOrNot(isLeft) }] : []}>
      {(items, { add, remove }, { errors }) => (
        <>
          {items.map((item, index) => (
            <ShareRow
              key={item.key}
              name={item.name}
              number={index + 1}
              label={field?.label ?? t('To account')}
              asset={asset}
              available={leftFor(shares[item.name], rest)}
              remove={
                items.length === 1
                  ? undefined
                  : () => {
                      remove(item.name)
                    }
              }
            />
          ))}
          <div className="share-foot">
            <Button
              size="small"
              type="dashed"
              icon={<PlusOutlined aria-hidden />}
              onClick={() => {
                add(isLeft ? { quantity: rest } : {})
              }}
            >
              {t('Add account')}
            </Button>
            <Rest rest={isUnread ? undefined : rest} asset={asset} whole={whole} />
          </div>
          {errors.length > 0 && (
            <div className="share-error" role="alert">
              <Form.ErrorList errors={errors} />
            </div>
          )}
        </>
      )}
    </Form.List>
  )
}

function ShareRow({
  name,
  number,
  label,
  asset,
  available,
  remove,
}: {
  name: number
  number: number
  label: string
  asset: string
  available: string | undefined
  remove: (() => void) | undefined
}): ReactNode {
  const isAssignable = useIsAssignable()
  return (
    <div className="share">
      <InputItem
        field={{
          name: [name, 'account_id'],
          label,
          kind: 'account',
          required: true,
          only: isAssignable,
        }}
      />
      <InputItem
        field={{
          name: [name, 'quantity'],
          label: t('Amount'),
          kind: 'amount',
          required: true,
          asset,
          available,
        }}
      />
      {remove !== undefined && (
        <Button
          type="text"
          aria-label={t('Remove part {{number}}', { number })}
          title={t('Remove')}
          icon={<MinusCircleOutlined />}
          onClick={remove}
        />
      )}
    </div>
  )
}

function Rest({
  rest,
  asset,
  whole,
}: {
  rest: string | undefined
  asset: string
  whole: boolean
}): ReactNode {
  if (rest === undefined || isZero(rest)) return null
  if (rest.startsWith('-'))
    return (
      <span role="status" className="over">
        <Trans
          i18nKey="<amount/> too much"
          components={{ amount: <Amount value={negated(rest)} asset={asset} /> }}
        />
      </span>
    )
  return (
    <span role="status" className="">
      {whole ? t('Still missing:') : t('Remains unassigned:')} <Amount value={rest} asset={asset} />
    </span>
  )
}
