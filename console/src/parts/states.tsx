/** What stands where nothing can be shown, always with what to do about it. */
import { KontorError } from '@kontor/client'
import { Alert, Button, Spin } from 'antd'
import type { ReactNode } from 'react'

export function Loading({ what = 'Loading' }: { what?: string }): ReactNode {
  return (
    <div className="middle" role="status" aria-label={what}>
      <Spin delay={300} />
    </div>
  )
}

/** `children` says what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className="middle">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}

/** What to do about the errors that people meet. */
const ADVICE: Readonly<Record<number, string>> = {
  1001: 'Log in again.',
  1003: 'Ask an administrator for a role that has it, or have somebody do it who has.',
  2001: 'Try again. If it stays, hand the request id to whoever runs Kontor.',
  2003: 'The venue does not answer at the moment. Try again, or look at Desk → Venues.',
  4004: 'It may have been deleted, or the address is incomplete.',
  4091: 'Close the form and begin again.',
  4092: 'Wait a moment and try again.',
  4291: 'Wait a little and try again.',
}

/** `sent`: of something that was to be done, not of something read. */
export function errorText(
  error: unknown,
  sent = false,
): { title: string; advice: string | undefined; request_id: string | undefined } {
  if (!(error instanceof KontorError)) {
    if (error instanceof TypeError)
      return {
        title: 'Kontor does not answer.',
        advice: sent
          ? 'Whether it was done is not known. Send it again as it stands: it is done once.'
          : 'It is tried again by itself; nothing you typed is lost.',
        request_id: undefined,
      }
    return {
      title: error instanceof Error ? error.message : String(error),
      advice: undefined,
      request_id: undefined,
    }
  }
  const said = error.error_details.map((detail) => detail.message)
  const description = error.message.replace(/^\d+ /, '').replace(`${error.error_message}: `, '')
  const title = said.length > 0 ? said.join('; ') : description
  return {
    title: title.charAt(0).toUpperCase() + title.slice(1),
    advice: ADVICE[error.error_code],
    request_id: error.request_id,
  }
}

export function Failure({
  error,
  again,
  sent = false,
}: {
  error: unknown
  again?: () => unknown
  sent?: boolean
}): ReactNode {
  const { title, advice, request_id } = errorText(error, sent)
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      className="failure"
      title={title}
      description={
        <>
          {advice}
          {request_id !== undefined && <small className="request-id">Request {request_id}</small>}
        </>
      }
      action={
        again === undefined ? undefined : (
          <Button
            size="small"
            onClick={() => {
              again()
            }}
          >
            Try again
          </Button>
        )
      }
    />
  )
}
