/** The details of a refusal, each shown at the field that it is about. */
import { KontorError } from '@kontor/client'
import type { FormInstance } from 'antd'
import type { Values } from './plan.ts'

const PERMISSION_DENIED = 1003

/** `legs[0].quantity` → ['legs', 0, 'quantity']. */
export function fieldPath(path: string): (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** `transfer.to.town is required with transfer.to.street` → `town is required with street`. */
function withoutPlace(message: string, path: string): string {
  const place = path.slice(0, path.lastIndexOf('.') + 1)
  return place === '' ? message : message.replaceAll(place, '')
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
  const details = error.error_details.map(({ path, message }) => ({
    name: fieldPath(fieldOf?.(path) ?? path),
    message: withoutPlace(message, path),
  }))
  const names = new Set(form.getFieldsError().map(({ name }) => JSON.stringify(name)))
  const placed = details.filter(({ name }) => names.has(JSON.stringify(name)))
  for (const { name, message } of placed)
    form.setFields([{ name: name as never, errors: [message] }])
  return placed.length === details.length
}
