/** The details of a refusal, each shown at the field that it is about. */
import { KontorError } from '@kontor/client'
import type { FormInstance } from 'antd'
import { refusalWords } from '../parts/refusal-words.ts'
import type { Values } from './plan.ts'

const PERMISSION_DENIED = 1003

/** `legs[0].quantity` → ['legs', 0, 'quantity']. */
export function fieldPath(path: string): (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** Shows the details of an error at their fields; true when every detail has found one. */
export function showAtFields(
  form: FormInstance<Values>,
  error: unknown,
  fieldOf: ((path: string) => string) | undefined,
): boolean {
  if (!(error instanceof KontorError) || error.error_details.length === 0) return false
  // Who may not do it is not helped at a field.
  if (error.error_code === PERMISSION_DENIED) return false
  const details = error.error_details.map((detail) => ({
    name: fieldPath(fieldOf?.(detail.path) ?? detail.path),
    message: refusalWords(detail),
  }))
  const names = new Set(form.getFieldsError().map(({ name }) => JSON.stringify(name)))
  const placed = details.filter(({ name }) => names.has(JSON.stringify(name)))
  for (const { name, message } of placed)
    form.setFields([{ name: name as never, errors: [message] }])
  const [first] = placed
  if (first !== undefined) form.scrollToField(first.name as never, { focus: true, block: 'center' })
  return placed.length === details.length
}

/**
 * What was said of a field goes when the field changes. In a list of parts it goes from all of
 * them: one part may be too much because of another.
 */
export function clearErrors(form: FormInstance<Values>, changed: Partial<Values>): void {
  const names = new Set(Object.keys(changed))
  const old = form
    .getFieldsError()
    .filter(({ name, errors }) => errors.length > 0 && names.has(String(name[0])))
  form.setFields(old.map(({ name }) => ({ name: name as never, errors: [] })))
}
