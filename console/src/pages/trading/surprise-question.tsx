/** What is said of an order that may not do what is meant, and the question before it is sent. */
import { Alert, Checkbox, Form } from 'antd'
import type { ReactNode } from 'react'
import { Amount } from '../../parts/values.tsx'
import type { Surprise } from './surprises.ts'
import type { Side } from './words.tsx'

type Told = { side: Side; surprise: Surprise; quoted: string }

export function SurpriseWords({ side, surprise: { kind, market }, quoted }: Told): ReactNode {
  const now = <Amount value={market} asset={quoted} />
  switch (kind) {
    case 'STOP_REACHED':
      return (
        <>
          The market is at {now} and has reached this trigger already. The order would be executed
          at once.
        </>
      )
    case 'GIVES_AWAY':
      return (
        <>
          The market is at {now}. With this limit the customer may{' '}
          {side === 'BUY' ? 'pay far more' : 'get far less'} than the market's price.
        </>
      )
    case 'OUT_OF_REACH':
      return (
        <>
          The market is at {now}. The order waits until the market comes to this limit, which is
          more than 5 % away.
        </>
      )
    case 'NO_MARKET':
      return 'The price of the market is not known now. Nobody can say how far away this order is.'
  }
}

export function SurpriseQuestion(told: Told): ReactNode {
  return (
    <>
      <Alert
        type="warning"
        showIcon
        role="alert"
        className="failure"
        title={<SurpriseWords {...told} />}
      />
      <Form.Item
        name="sure"
        valuePropName="checked"
        validateTrigger="onSubmit"
        rules={[
          {
            validator: (_rule, sure: unknown) =>
              sure === true
                ? Promise.resolve()
                : Promise.reject(new Error('Say that this is what you want, or cancel')),
          },
        ]}
      >
        <Checkbox>I want this order all the same</Checkbox>
      </Form.Item>
    </>
  )
}
