/** Two customers of one name: asked about before there are two. */
import { Alert, Checkbox, Form } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import type { Values } from '../../action/plan.ts'
import { nameWords } from '../../api/named.ts'
import { useNamed } from '../../api/names.ts'
import { t } from '../../language/index.ts'

/**
 * Says who else has this name, so that the two can be told apart by their references. A new one
 * without a reference is a customer who is there already, until somebody says otherwise.
 */
export function SameName({
  form,
  nameIn,
}: {
  form: FormInstance<Values>
  nameIn(values: Values): string
}): ReactNode {
  const values = (Form.useWatch([], form) as Values | undefined) ?? {}
  const id = form.getFieldValue('id') as string | undefined
  const typed = nameIn(values).toLowerCase()
  const others = [...useNamed('customer')].filter(
    ([other, { name }]) => other !== id && name.toLowerCase() === typed,
  )
  if (typed === '' || others.length === 0) return null
  const known = others.map(([, named]) => nameWords(named)).join(', ')
  const isTold = String(values['foreign_id'] ?? '').trim() !== ''
  return (
    <>
      <Alert
        type="warning"
        showIcon
        role="status"
        title={t('There is a customer of this name already: {{known}}.', { known })}
        description={t(
          'Give this customer a reference of its own, so that the two can be told apart.',
        )}
      />
      {id === undefined && !isTold && <AnotherOne />}
    </>
  )
}

function AnotherOne(): ReactNode {
  return (
    <Form.Item
      name="another"
      valuePropName="checked"
      rules={[
        {
          validator: (_rule, ticked: unknown) =>
            ticked === true
              ? Promise.resolve()
              : Promise.reject(new Error(t('Enter a reference, or tick this'))),
        },
      ]}
      validateTrigger="onSubmit"
    >
      <Checkbox>{t('This is another customer, and has no reference')}</Checkbox>
    </Form.Item>
  )
}
