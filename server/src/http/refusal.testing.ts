import assert from 'node:assert/strict'
import { ERRORS } from '../core/errors.ts'
import type { ErrorName } from '../core/errors.ts'
import type { Answer } from './testing.ts'

/** Every refusal has the specified envelope and, for 3001, a reason that names its field. */
export function refused(
  answer: Answer<unknown>,
  name: ErrorName,
  code?: string,
  path?: string,
): void {
  const { code: number, status, message } = ERRORS[name]
  assert.deepEqual(
    [answer.status, answer.success, answer.error_code, answer.error_message],
    [status, false, number, message],
    answer.text,
  )
  assert.equal(typeof answer.request_id, 'string')
  if (code !== undefined) {
    const found = answer.error_details?.find(
      (detail) => detail.code === code && (path === undefined || detail.path === path),
    )
    assert.ok(found !== undefined && found.message.length > 3, answer.text)
  }
}
