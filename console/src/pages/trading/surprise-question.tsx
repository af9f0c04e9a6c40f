/** What is said of an order that may not do what is meant, and the question before it is sent. */
import { Alert, Checkbox, Form } from 'antd'
import type { ReactNode } from 'react'
import { Trans, t } from '../../language/index.ts'
import { Amount } from '../../parts/values.tsx'
import type { Surprise } from './surprises.ts'
import type { Side } from './words.tsx'

type Told = { side: Side; surprise: Surprise; quoted: string }

export function SurpriseWords({ side, surprise: { kind, market }, quoted }: Told): ReactNode {
  const components = { now: <Amount value={market} asset={quoted} /> }
  switch (kind) {
    case 'STOP_REACHED':
      return (
        <Trans
          i18nKey={
            'The market is at <now/> and has reached this trigger already. The order would ' +
            'be executed at once.'
          }
          components={components}
        />
      )
    case 'GIVES_AWAY':
      return (
        <Trans
          i18nKey={
            side === 'BUY'
              ? 'The market is at <now/>. With this limit the customer may pay far more than ' +
                'the market’s price.'
              : 'The market is at <now/>. With this limit the customer may get far less than ' +
                'the market’s price.'
          }
          components={components}
        />
      )
    case 'OUT_OF_REACH':
      return (
        <Trans
          i18nKey={
            'The market is at <now/>. The order waits until the market comes to this limit, ' +
            'which is more than 5 % away.'
          }
          components={components}
        />
      )
    case 'NO_MARKET':
      return t(
        'The price of the market is not known now. Nobody can say how far away this order is.',
      )
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
                : Promise.reject(new Error(t('Say that this is what you want, or cancel'))),
          },
        ]}
      >
        <Checkbox>{t('I want this order all the same')}</Checkbox>
      </Form.Item>
    </>
  )
}
