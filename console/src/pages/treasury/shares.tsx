/** Parts of a movement and the accounts they go to: rows of a form that can be split, with what is left over. */
import { MinusCircleOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form } from 'antd'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { addAmounts, isZero, negated, readAmount } from '../../parts/decimal.ts'
import { Amount } from '../../parts/values.tsx'
import './treasury.css'

export type Share = { account_id?: string; quantity?: string }

/** Amounts that are not typed to their end count as nothing. */
export const sumOf = (shares: readonly (Share | undefined)[]): string =>
  addAmounts(...shares.map((share) => readAmount(share?.quantity ?? '') ?? '0'))

export const sharesOf = (given: unknown): { account_id: string; quantity: string }[] =>
  (given as Share[]).map(({ account_id = '', quantity = '' }) => ({ account_id, quantity }))

/** Whether an account is a customer's: only those can be given something. */
export function useIsCustomers(): (account_id: string) => boolean {
  const accounts = useAll('/accounts')
  return useMemo(() => {
    const ids = new Set(
      accounts?.filter((account) => account.customer_id !== null).map((account) => account.id),
    )
    return (id) => ids.has(id)
  }, [accounts])
}

/** `of`: what there is to share; `whole`: nothing may be left. */
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
  const isCustomers = useIsCustomers()
  const rest = of === undefined ? undefined : addAmounts(of, negated(sumOf(shares)))
  const over = rest?.startsWith('-') === true
  return (
    <Form.List name={name}>
      {(items, { add, remove }, { errors }) => (
        <>
          {items.map((item, index) => (
            <div key={item.key} className="share">
              <InputItem
                field={{
                  name: [item.name, 'account_id'],
                  label: field?.label ?? 'To the account',
                  kind: 'account',
                  required: true,
                  only: isCustomers,
                }}
              />
              <InputItem
                field={{
                  name: [item.name, 'quantity'],
                  label: 'Amount',
                  kind: 'amount',
                  required: true,
                  asset,
                }}
              />
              {items.length > 1 && (
                <Button
                  type="text"
                  aria-label={`Remove part ${index + 1}`}
                  title="Remove"
                  icon={<MinusCircleOutlined />}
                  onClick={() => {
                    remove(item.name)
                  }}
                />
              )}
            </div>
          ))}
          <div className="share-foot">
            <Button
              size="small"
              type="dashed"
              icon={<PlusOutlined aria-hidden />}
              onClick={() => {
                add(rest === undefined || over || isZero(rest) ? {} : { quantity: rest })
              }}
            >
              Another account
            </Button>
            {rest !== undefined && !isZero(rest) && (
              <span role="status" className={over ? 'over' : ''}>
                {over ? (
                  <>
                    <Amount value={negated(rest)} asset={asset} /> too much
                  </>
                ) : (
                  <>
                    {whole ? 'Still missing:' : 'Stays unassigned:'}{' '}
                    <Amount value={rest} asset={asset} />
                  </>
                )}
              </span>
            )}
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
