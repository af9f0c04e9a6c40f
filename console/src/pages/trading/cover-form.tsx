import { Button, Form, Select } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import type { Values } from '../../action/action.tsx'
import { AmountInput } from '../../action/inputs.tsx'
import { useGet } from '../../api/query.ts'
import { Name } from '../../parts/values.tsx'
import type { Part } from './settlement.ts'

export type CoverPart = Pick<Part, 'venue_id' | 'asset' | 'direction' | 'quantity'> & {
  route_id: string | undefined
}
export type CoverValues = { parts: CoverPart[] }

/** One line per part: its amount and its route; a line can be split. */
export function CoverForm({ form }: { form: FormInstance<Values> }): ReactNode {
  const { data: routes = [] } = useGet('/treasury/wallets/routes')
  const parts = (Form.useWatch('parts', { form, preserve: true }) as CoverPart[] | undefined) ?? []
  /** As the service sees it: from a wallet of the house to the venue that is owed, or the other way. */
  const fitting = ({ venue_id, asset, direction }: CoverPart) =>
    routes.filter(({ from_wallet, to_wallet, state }) => {
      const [theirs, ours] =
        direction === 'OUTGOING' ? [to_wallet, from_wallet] : [from_wallet, to_wallet]
      return (
        state === 'ACTIVE' &&
        from_wallet.asset === asset &&
        theirs.venue_id === venue_id &&
        ours.type === 'VENUE' &&
        ours.venue_id !== null &&
        ours.venue_id !== venue_id
      )
    })
  return (
    <Form.List name="parts">
      {(fields, { add, remove }, { errors }) => [
        ...fields.map(({ key, name }) => {
          const part = parts[name]
          if (part === undefined) return null
          const title = `${part.asset} ${part.direction === 'OUTGOING' ? 'to' : 'from'}`
          return (
            <fieldset key={key} className="cover-part">
              <legend>
                {title} <Name of="venue" id={part.venue_id} />
              </legend>
              <Form.Item
                name={[name, 'quantity']}
                rules={[{ required: true, message: 'An amount is needed' }]}
              >
                <AmountInput asset={part.asset} aria-label={`Amount ${name + 1}`} />
              </Form.Item>
              <Form.Item name={[name, 'route_id']}>
                <Select
                  allowClear
                  aria-label={`Route ${name + 1}`}
                  placeholder="No route: confirmed by hand"
                  options={fitting(part).map(({ id, label }) => ({ value: id, label }))}
                />
              </Form.Item>
              <Form.Item name={[name, 'venue_id']} hidden>
                <input type="hidden" />
              </Form.Item>
              <Form.Item name={[name, 'asset']} hidden>
                <input type="hidden" />
              </Form.Item>
              <Form.Item name={[name, 'direction']} hidden>
                <input type="hidden" />
              </Form.Item>
              {parts.filter(
                (other) => other.venue_id === part.venue_id && other.asset === part.asset,
              ).length > 1 ? (
                <Button
                  size="small"
                  onClick={() => {
                    remove(name)
                  }}
                >
                  Take out
                </Button>
              ) : (
                <Button
                  size="small"
                  onClick={() => {
                    add({ ...part, quantity: '' }, name + 1)
                  }}
                >
                  Split
                </Button>
              )}
            </fieldset>
          )
        }),
        <Form.ErrorList key="errors" errors={errors} />,
      ]}
    </Form.List>
  )
}
